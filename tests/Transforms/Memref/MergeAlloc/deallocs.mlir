// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{free=true}))' %s | FileCheck --check-prefix=FREE %s

// A dealloc does not make a life longer, and goes; the allocation is freed at
// the end. What is left alone keeps its own.
// CHECK-LABEL: func.func @late_deallocs(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<256xi8>
// CHECK: %[[C:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: memref.dealloc %[[C]]
// CHECK-NEXT: memref.dealloc %[[ARENA]] {bufferization.manual_deallocation} : memref<256xi8>
// CHECK-NEXT: return
func.func @late_deallocs(%n: index) {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  %c = memref.alloc(%n) : memref<?xf32>
  "test.use"(%c) : (memref<?xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %c : memref<?xf32>
  return
}

// -----

// Nothing was freed before: nothing is now, if it is not wanted.
// FREE-LABEL: func.func @no_deallocs(
// FREE-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<256xi8>
// FREE-COUNT-2: "test.use"
// FREE-NEXT: memref.dealloc %[[ARENA]] {bufferization.manual_deallocation} : memref<256xi8>
// FREE-NEXT: return
// CHECK-LABEL: func.func @no_deallocs(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NOT: memref.dealloc
func.func @no_deallocs() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  return
}

// -----

// At every way out of the function.
// CHECK-LABEL: func.func @several_exits(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<256xi8>
// CHECK: ^bb1:
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK-NEXT: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
func.func @several_exits(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  cf.cond_br %p, ^more, ^end
^more:
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  return
^end:
  return
}

// -----

// One dealloc for a buffer of either branch.
// CHECK-LABEL: func.func @freed_together(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<256xi8>
// CHECK: "test.use"
// CHECK-NOT: memref.dealloc %{{.*}} : memref<64xf32>
// CHECK: memref.dealloc %[[ARENA]] {bufferization.manual_deallocation} : memref<256xi8>
// CHECK-NEXT: return
func.func @freed_together(%p: i1) {
  %r = scf.if %p -> memref<64xf32> {
    %a = memref.alloc() : memref<64xf32>
    scf.yield %a : memref<64xf32>
  } else {
    %b = memref.alloc() : memref<64xf32>
    scf.yield %b : memref<64xf32>
  }
  "test.use"(%r) : (memref<64xf32>) -> ()
  memref.dealloc %r : memref<64xf32>
  return
}

// -----

// Freed with one that stays: both stay, and whatever is freed with them.
// CHECK-LABEL: func.func @freed_with_one_that_stays(
// CHECK-NOT: memref.view
// CHECK-COUNT-2: memref.dealloc %{{.*}} : memref<64xf32>
func.func @freed_with_one_that_stays(%p: i1, %q: i1, %other: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  "test.use"(%b) : (memref<64xf32>) -> ()
  %s = arith.select %p, %a, %b : memref<64xf32>
  memref.dealloc %s : memref<64xf32>
  %t = arith.select %q, %b, %other : memref<64xf32>
  memref.dealloc %t : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

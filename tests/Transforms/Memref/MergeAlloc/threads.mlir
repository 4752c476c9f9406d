// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{hoist-threads}))' %s | FileCheck --check-prefix=HOIST %s

// Every thread has its own. Hoisted: a slice for each of 3 x 5 threads, 100
// bytes in a stride of 128.
// CHECK-LABEL: func.func @slices(
// CHECK: scf.forall
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<100xi8>
// HOIST-LABEL: func.func @slices(
// HOIST: %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1920xi8>
// HOIST: scf.forall (%[[I:.*]], %[[J:.*]]) in (3, 5)
// HOIST: %[[FIVE:.*]] = arith.constant 5 : index
// HOIST: %[[ROW:.*]] = arith.muli %[[I]], %[[FIVE]]
// HOIST: %[[THREAD:.*]] = arith.addi %[[ROW]], %[[J]]
// HOIST: %[[STRIDE:.*]] = arith.constant 128 : index
// HOIST: %[[START:.*]] = arith.muli %[[THREAD]], %[[STRIDE]]
// HOIST: %[[SLICE:.*]] = memref.view %[[ALL]][%[[START]]][] : memref<1920xi8> to memref<100xi8>
// HOIST: memref.view %[[SLICE]]{{.*}} memref<100xi8> to memref<25xf32>
// HOIST-NOT: memref.alloc
func.func @slices() {
  scf.forall (%i, %j) in (3, 5) {
    %a = memref.alloc() : memref<25xf32>
    "test.use"(%a) : (memref<25xf32>) -> ()
    %b = memref.alloc() : memref<25xf32>
    "test.use"(%b) : (memref<25xf32>) -> ()
  }
  return
}

// -----

// Bounds and steps count: threads 2, 5, 8 are the slices 0, 1, 2.
// HOIST-LABEL: func.func @steps(
// HOIST: memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<768xi8>
// HOIST: scf.parallel (%[[I:.*]]) =
// HOIST: %[[TWO:.*]] = arith.constant 2 : index
// HOIST: %[[DISTANCE:.*]] = arith.subi %[[I]], %[[TWO]]
// HOIST: %[[THREE:.*]] = arith.constant 3 : index
// HOIST: %[[THREAD:.*]] = arith.divui %[[DISTANCE]], %[[THREE]]
// HOIST: arith.muli %[[THREAD]],
func.func @steps() {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  scf.parallel (%i) = (%c2) to (%c10) step (%c3) {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    memref.dealloc %a : memref<64xf32>
    scf.reduce
  }
  // HOIST: memref.dealloc %{{.*}} {bufferization.manual_deallocation} : memref<768xi8>
  // HOIST-NEXT: return
  return
}

// -----

// D7. The loop in the middle has a number of threads that is not known: what is
// inside ends up in it, 2 slices of 128 bytes, not outside.
// HOIST-LABEL: func.func @d7_static_dynamic_static(
// HOIST-NEXT: scf.forall (%{{.*}}) in (4)
// HOIST-NEXT: scf.forall (%{{.*}}) in (%{{.*}}) {
// HOIST-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// HOIST-NEXT: scf.forall (%[[I:.*]]) in (2)
// HOIST-NEXT: %[[STRIDE:.*]] = arith.constant 128 : index
// HOIST-NEXT: arith.muli %[[I]], %[[STRIDE]]
func.func @d7_static_dynamic_static(%n: index) {
  scf.forall (%i) in (4) {
    scf.forall (%j) in (%n) {
      scf.forall (%k) in (2) {
        %a = memref.alloc() : memref<32xf32>
        "test.use"(%a) : (memref<32xf32>) -> ()
      }
    }
  }
  return
}

// -----

// D12. A slice begins at a multiple of the alignment: 4 x 3 strides of 64, for
// 20 bytes each. The outer thread's own buffer shares nothing with them.
// HOIST-LABEL: func.func @d12_nested(
// HOIST: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// HOIST: scf.forall (%{{.*}}) in (4)
// HOIST: memref.view {{.*}} : memref<1024xi8> to memref<2{{.*}}xi8>
// HOIST: scf.forall (%{{.*}}) in (3)
// HOIST: memref.view {{.*}} : memref<192xi8> to memref<20xi8>
// HOIST-NOT: memref.alloc
// Not hoisted, an inner loop's allocation is in the inner loop.
// CHECK-LABEL: func.func @d12_nested(
// CHECK-NEXT: scf.forall
// CHECK-NEXT: %[[X:.*]] = memref.alloc() : memref<5xf32>
// CHECK: scf.forall
// CHECK-NEXT: memref.alloc() : memref<5xf32>
func.func @d12_nested() {
  scf.forall (%i) in (4) {
    %x = memref.alloc() : memref<5xf32>
    "test.use"(%x) : (memref<5xf32>) -> ()
    scf.forall (%j) in (3) {
      %a = memref.alloc() : memref<5xf32>
      "test.use"(%a, %x) : (memref<5xf32>, memref<5xf32>) -> ()
    }
  }
  return
}

// -----

// A buffer of the function that the threads use conflicts with all that they
// do; one after the loop does not.
// CHECK-LABEL: func.func @outer_buffers(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// HOIST-LABEL: func.func @outer_buffers(
// HOIST-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
func.func @outer_buffers() {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  scf.forall (%i) in (2) {
    "test.use"(%a) : (memref<64xf32>) -> ()
    %own = memref.alloc() : memref<64xf32>
    "test.use"(%own) : (memref<64xf32>) -> ()
    "test.use"(%b) : (memref<64xf32>) -> ()
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

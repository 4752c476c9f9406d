// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --copy-removal %s | FileCheck %s

// What placement of deallocations makes of loop_nested_if: the copies of
// buffers that are freed after them go, two that ownership needs stay.
// CHECK-LABEL: func.func @loop_nested_if(
// CHECK-COUNT-1: memref.copy
// CHECK: scf.for {{.*}} iter_args(%[[EACH:.*]] = %
// CHECK: %[[NEXT:.*]] = scf.if
// CHECK-NEXT: %[[NEW:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: "test.use"(%[[NEW]])
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[COPY:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[EACH]], %[[COPY]]
// CHECK-NEXT: scf.yield %[[COPY]]
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[EACH]]
// CHECK-NEXT: scf.yield %[[NEXT]]
func.func @loop_nested_if(%lb: index, %ub: index, %step: index, %buf: memref<2xf32>, %res: memref<2xf32>) {
  %4 = memref.alloc() : memref<2xf32>
  memref.copy %buf, %4 : memref<2xf32> to memref<2xf32>
  %0 = scf.for %i = %lb to %ub step %step iter_args(%each = %4) -> memref<2xf32> {
    %1 = arith.cmpi eq, %i, %ub : index
    %2 = scf.if %1 -> (memref<2xf32>) {
      %3 = memref.alloc() : memref<2xf32>
      "test.use"(%3) : (memref<2xf32>) -> ()
      %5 = memref.alloc() : memref<2xf32>
      memref.copy %3, %5 : memref<2xf32> to memref<2xf32>
      memref.dealloc %3 : memref<2xf32>
      scf.yield %5 : memref<2xf32>
    } else {
      %6 = memref.alloc() : memref<2xf32>
      memref.copy %each, %6 : memref<2xf32> to memref<2xf32>
      scf.yield %6 : memref<2xf32>
    }
    %7 = memref.alloc() : memref<2xf32>
    memref.copy %2, %7 : memref<2xf32> to memref<2xf32>
    memref.dealloc %2 : memref<2xf32>
    memref.dealloc %each : memref<2xf32>
    scf.yield %7 : memref<2xf32>
  }
  memref.copy %0, %res : memref<2xf32> to memref<2xf32>
  memref.dealloc %0 : memref<2xf32>
  return
}

// -----

// The branch example after placement: one of two copies.
// CHECK-LABEL: func.func @branch(
// CHECK: ^bb1:
// CHECK-NEXT: %[[A:.*]] = memref.alloc()
// CHECK-NEXT: "test.use"(%[[A]])
// CHECK-NEXT: cf.br ^bb3(%[[A]] :
// CHECK: memref.copy
func.func @branch(%arg0: i1) {
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %arg0, ^bb1, ^bb2
^bb1:
  %1 = memref.alloc() : memref<2xf32>
  "test.use"(%1) : (memref<2xf32>) -> ()
  %3 = memref.alloc() : memref<2xf32>
  memref.copy %1, %3 : memref<2xf32> to memref<2xf32>
  memref.dealloc %1 : memref<2xf32>
  cf.br ^bb3(%3 : memref<2xf32>)
^bb2:
  "test.use"(%0) : (memref<2xf32>) -> ()
  %4 = memref.alloc() : memref<2xf32>
  memref.copy %0, %4 : memref<2xf32> to memref<2xf32>
  cf.br ^bb3(%4 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  "test.use"(%2) : (memref<2xf32>) -> ()
  memref.dealloc %2 : memref<2xf32>
  memref.dealloc %0 : memref<2xf32>
  return
}

// -----

// A block argument that is freed after its copy, as in the join of a region.
// CHECK-LABEL: func.func @join(
// CHECK: ^bb1(%[[A:.*]]: memref<?xf32>):
// CHECK-NEXT: return %[[A]]
func.func @join(%c: i1, %n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  %1 = memref.alloc(%n) : memref<?xf32>
  cf.cond_br %c, ^bb1(%0 : memref<?xf32>), ^bb1(%1 : memref<?xf32>)
^bb1(%a: memref<?xf32>):
  %2 = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %2 : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return %2 : memref<?xf32>
}

// -----

// All kinds of copies, and a chain of them.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: %[[A:.*]] = memref.alloc()
// CHECK-NEXT: "test.make"(%[[A]])
// CHECK-NEXT: "test.use"(%[[A]])
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
#id = affine_map<(d0) -> (d0)>
func.func @chain() {
  %a = memref.alloc() : memref<4xf32>
  "test.make"(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  linalg.copy ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  memref.dealloc %b : memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%c : memref<4xf32>) outs(%d : memref<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  memref.dealloc %c : memref<4xf32>
  %e = bufferization.clone %d : memref<4xf32> to memref<4xf32>
  memref.dealloc %d : memref<4xf32>
  memref.copy %e, %e : memref<4xf32> to memref<4xf32>
  "test.use"(%e) : (memref<4xf32>) -> ()
  memref.dealloc %e : memref<4xf32>
  return
}

// -----

// Neither is written while both are read: no free of the source is needed, and
// it may be a constant.
memref.global "private" constant @weights : memref<4xf32> = dense<1.0>
// CHECK-LABEL: func.func @constant(
// CHECK-NEXT: %[[W:.*]] = memref.get_global
// CHECK-NEXT: %[[V:.*]] = memref.load %[[W]]
// CHECK-NEXT: return %[[V]]
func.func @constant(%i: index) -> f32 {
  %w = memref.get_global @weights : memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  memref.copy %w, %a : memref<4xf32> to memref<4xf32>
  %v = memref.load %a[%i] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %v : f32
}

// -----

// The stricter alignment is kept, and a cast is made where shapes are known to
// different degrees.
// CHECK-LABEL: func.func @alignment(
// CHECK-NEXT: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT: "test.make"(%[[A]])
// CHECK-NEXT: %[[B:.*]] = memref.cast %[[A]] : memref<4xf32> to memref<?xf32>
// CHECK-NEXT: return %[[B]]
func.func @alignment(%n: index) -> memref<?xf32> {
  %a = memref.alloc() {alignment = 16 : i64} : memref<4xf32>
  "test.make"(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.copy %a, %b : memref<4xf32> to memref<?xf32>
  memref.dealloc %a : memref<4xf32>
  return %b : memref<?xf32>
}

// -----

// The target is allocated between producer and copy: it moves up.
// CHECK-LABEL: func.func @later_target(
// CHECK-NEXT: %[[T:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf32>
// CHECK-NEXT: linalg.fill {{.*}} outs(%[[T]] :
// CHECK-NEXT: memref.store %{{.*}}, %[[T]]
// CHECK-NEXT: return %[[T]]
func.func @later_target(%x: f32, %n: index, %i: index) -> memref<?xf32> {
  %a = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  %t = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %t : memref<?xf32> to memref<?xf32>
  memref.store %x, %t[%i] : memref<?xf32>
  return %t : memref<?xf32>
}

// -----

// An argument of its own cannot be reached through others.
// CHECK-LABEL: func.func @noalias(
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
func.func @noalias(%x: memref<4xf32>, %y: memref<4xf32> {llvm.noalias}) {
  %t = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
  memref.copy %t, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  return
}

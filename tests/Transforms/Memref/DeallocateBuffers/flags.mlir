// RUN: tpuc-opt --memref-deallocate="prefer-flags" %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate="prefer-flags" %s | tpuc-opt --memref-deallocate -o %t.2
// RUN: tpuc-opt --memref-deallocate="prefer-flags" %s -o %t.1
// RUN: cmp %t.1 %t.2

// Buffers are lent, with an i1 beside them, where a copy would do as well.
// ExamplesTest runs these functions, too.

// One buffer in all, where the default copies the argument.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: memref.copy
// CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %arg1, %[[F:.*]] = %false)
// CHECK: scf.if %[[F]] {
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: memref.copy %{{.*}}#0, %arg2
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.dealloc
func.func @loop(%n: index, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %buf) -> memref<4xf32> {
    %c = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %c -> memref<4xf32> {
      %a = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    scf.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// Both go round a while loop, which hands on its arguments by two ways.
// CHECK-LABEL: func.func @while(
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %arg1, %{{.*}} = %false)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}}, %{{.*}} : index, memref<4xf32>, i1
// CHECK: ^bb0(%{{.*}}: index, %[[M:.*]]: memref<4xf32>, %[[F:.*]]: i1)
// CHECK: scf.if %[[F]] {
// CHECK-NEXT: memref.dealloc %[[M]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %true
func.func @while(%n: index, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %b = %buf) : (index, memref<4xf32>) -> (index, memref<4xf32>) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %i, %b : index, memref<4xf32>
  } do {
  ^bb0(%i: index, %m: memref<4xf32>):
    %v = memref.load %m[%c0] : memref<4xf32>
    %w = arith.addf %v, %v : f32
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%w : f32) outs(%a : memref<4xf32>)
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %a : index, memref<4xf32>
  }
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return
}

// The same buffer under two names of a loop: the second borrows from the first.
// CHECK-LABEL: func.func @two_names(
// CHECK: cf.cond_br %{{.*}}, ^bb1(%{{.*}}, %[[Q:.*]], %[[P:.*]], %[[FQ:.*]], %[[FP:.*]] : {{.*}}), ^bb3
// CHECK: memref.copy %[[P]], %[[F:.*]] :
// CHECK: cf.br ^bb1(%{{.*}}, %[[F]], %[[F]], %true, %false :
func.func @two_names(%n: index, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  cf.br ^h(%c0, %a, %b : index, memref<4xf32>, memref<4xf32>)
^h(%i: index, %p: memref<4xf32>, %q: memref<4xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^b, ^e
^b:
  %j = arith.addi %i, %c1 : index
  memref.store %x, %p[%c0] : memref<4xf32>
  %v = memref.load %q[%c1] : memref<4xf32>
  memref.store %v, %q[%c0] : memref<4xf32>
  %swap = arith.cmpi eq, %i, %c1 : index
  cf.cond_br %swap, ^h(%j, %q, %p : index, memref<4xf32>, memref<4xf32>), ^s
^s:
  %f = memref.alloc() : memref<4xf32>
  memref.copy %p, %f : memref<4xf32> to memref<4xf32>
  cf.br ^h(%j, %f, %f : index, memref<4xf32>, memref<4xf32>)
^e:
  memref.copy %q, %out : memref<4xf32> to memref<4xf32>
  return
}

// The caller gets the buffer when it is the function's, else a copy.
// CHECK-LABEL: func.func @returned(
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: %[[G:.*]] = scf.if %[[R]]#1 -> (memref<4xf32>) {
// CHECK-NEXT: scf.yield %[[R]]#0
// CHECK: memref.copy %[[R]]#0
// CHECK: return %[[G]]
func.func @returned(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    scf.yield %m : memref<4xf32>
  } else {
    %f = memref.alloc() : memref<4xf32>
    scf.yield %f : memref<4xf32>
  }
  linalg.fill ins(%x : f32) outs(%r : memref<4xf32>)
  return %r : memref<4xf32>
}

// A lender that dies with what it lent hands its duty on.
// CHECK-LABEL: func.func @taken(
// CHECK: arith.ori
// CHECK: arith.andi
func.func @taken(%n: index, %init: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %init) -> memref<4xf32> {
    %c = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %c -> memref<4xf32> {
      %a = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    %v = memref.load %b[%c0] : memref<4xf32>
    memref.store %v, %s[%c1] : memref<4xf32>
    scf.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// What ops of another dialect hand on is known by their interfaces.
// CHECK-LABEL: func.func @affine_loop(
// CHECK-NOT: memref.copy
// CHECK: affine.for {{.*}} iter_args(%[[B:.*]] = %arg1, %[[F:.*]] = %false)
// CHECK: scf.if %[[F]] {
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: memref.copy %{{.*}}#0, %arg2
// CHECK-NEXT: scf.if %{{.*}}#1 {
// CHECK-NEXT: memref.dealloc %{{.*}}#0
func.func @affine_loop(%n: index, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %r = affine.for %i = 0 to %n iter_args(%b = %buf) -> (memref<4xf32>) {
    %c = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %c -> memref<4xf32> {
      %a = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    affine.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func @affine_branch(
// CHECK: %[[R:.*]]:2 = affine.if
// CHECK: affine.yield %{{.*}}, %true
// CHECK: affine.yield %arg1, %false
// CHECK: memref.copy %[[R]]#0, %arg2
// CHECK-NEXT: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @affine_branch(%n: index, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %f1 = arith.constant 1.0 : f32
  %r = affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%n) -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
    affine.yield %a : memref<4xf32>
  } else {
    affine.yield %buf : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// A loop that runs once, and its interface says so: its argument and its result
// come by different ways, but the op has as many of the one as of the other.
// CHECK-LABEL: func.func @affine_once(
// CHECK: %[[R:.*]]:2 = affine.for {{.*}} iter_args(%{{.*}} = %arg1, %{{.*}} = %false)
// CHECK: affine.yield %[[S:.*]]#0, %[[S]]#1
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @affine_once(%c: i1, %buf: memref<4xf32>, %out: memref<4xf32>) {
  %f1 = arith.constant 1.0 : f32
  %r = affine.for %i = 0 to 1 iter_args(%b = %buf) -> (memref<4xf32>) {
    %s = scf.if %c -> memref<4xf32> {
      %a = memref.alloc() : memref<4xf32>
      linalg.fill ins(%f1 : f32) outs(%a : memref<4xf32>)
      scf.yield %a : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    affine.yield %s : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

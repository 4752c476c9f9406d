// RUN: tpuc-opt --memref-deallocate %s 2>&1 | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s 2>/dev/null | tpuc-opt --memref-deallocate -o %t.2
// RUN: tpuc-opt --memref-deallocate %s -o %t.1 2>/dev/null
// RUN: cmp %t.1 %t.2

// Programs that deallocation of buffers is known to get wrong. ExamplesTest
// runs them, too.

// CHECK-NOT: remark:

// The join loads from what its predecessors only branch past.
// CHECK-LABEL: func.func @f1(
// CHECK: ^bb3:
// CHECK: memref.load %[[A:.*]][
// CHECK-NEXT: memref.dealloc
func.func @f1(%c: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %c, ^l, ^r
^l:
  cf.br ^e
^r:
  cf.br ^e
^e:
  %y = arith.addf %x, %x : f32
  %v = memref.load %a[%c0] : memref<4xf32>
  %s = arith.addf %v, %y : f32
  return %s : f32
}

// CHECK-LABEL: func.func @f2(
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK: ^bb1(
// CHECK: %[[B:.*]] = memref.alloc() : memref<2xf32>
// CHECK: memref.load %[[A]]
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK: memref.load %[[B]]
// CHECK-NEXT: memref.dealloc %[[B]]
func.func @f2(%c: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %e = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf32> into memref<2x2xf32>
  %v = memref.collapse_shape %e [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  cf.cond_br %c, ^j(%v : memref<4xf32>), ^j(%v : memref<4xf32>)
^j(%m: memref<4xf32>):
  %b = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<2xf32>)
  %w = memref.load %a[%c0] : memref<4xf32>
  %y = memref.load %b[%c0] : memref<2xf32>
  %s = arith.addf %w, %y : f32
  return %s : f32
}

// Two ways out.
// CHECK-LABEL: func.func @f3(
// CHECK: ^bb1:
// CHECK-NEXT: memref.copy %[[A:.*]], %
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
// CHECK: ^bb2:
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @f3(%c: i1, %x: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %c, ^l, ^r
^l:
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  return
^r:
  return
}

// The program frees on one path.
// CHECK-LABEL: func.func @f4(
// CHECK: ^bb1:
// CHECK: memref.dealloc %[[A:.*]] :
// CHECK-NEXT: cf.br
// CHECK: ^bb2:
// CHECK-NEXT: memref.dealloc %[[A]] :
// CHECK-NEXT: cf.br
func.func @f4(%c: i1, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %c, ^l, ^r
^l:
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.dealloc %a : memref<4xf32>
  cf.br ^e
^r:
  cf.br ^e
^e:
  return
}

// Early exit.
// CHECK-LABEL: func.func @f5(
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f5(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  cf.cond_br %c, ^a, ^e
^a:
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %d, ^e, ^b
^b:
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^e:
  linalg.fill ins(%x : f32) outs(%out : memref<4xf32>)
  return
}

// CHECK-LABEL: func.func @f6(
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f6(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  cf.cond_br %c, ^a, ^e
^a:
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %d, ^e, ^b
^b:
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^e:
  return
}

// The join only returns.
// CHECK-LABEL: func.func @f7(
// CHECK-NOT: memref.copy
// CHECK: ^bb3(%[[M:.*]]: memref<2xf32>):
// CHECK-NEXT: memref.dealloc %[[M]]
// CHECK-NEXT: return
func.func @f7(%c: i1, %x: f32) {
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = memref.alloc() : memref<2xf32>
  cf.br ^bb3(%1 : memref<2xf32>)
^bb2:
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  return
}

// CHECK-LABEL: func.func @f8(
// CHECK: ^bb1:
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[A:.*]] :
// CHECK: ^bb2:
// CHECK-NEXT: memref.dealloc %[[A]] :
// CHECK: memref.dealloc
func.func @f8(%c: i1, %x: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %c, ^l, ^r
^l:
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^r:
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^e:
  return
}

// Critical edges: freed on the edge that does not hand the buffer on.
// CHECK-LABEL: func.func @f9(
// CHECK-COUNT-3: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f9(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  cf.cond_br %c, ^p, ^q
^p:
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.cond_br %d, ^e(%a : memref<4xf32>), ^x
^q:
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  cf.cond_br %d, ^e(%b : memref<4xf32>), ^x
^e(%m: memref<4xf32>):
  memref.copy %m, %out : memref<4xf32> to memref<4xf32>
  cf.br ^x
^x:
  return
}

// It is not known which of the two is returned: the caller gets a copy.
// CHECK-LABEL: func.func @f10(
// CHECK: %[[S:.*]] = arith.select
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[S]], %[[C]]
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: return %[[C]]
func.func @f10(%c: i1, %x: f32, %y: f32) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  %s = arith.select %c, %a, %b : memref<4xf32>
  return %s : memref<4xf32>
}

// What hoisting makes of a function that returns one of two: here they move.
// CHECK-LABEL: func.func @f11(
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.dealloc
func.func @f11(%c: i1, %x: f32, %y: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// Recursion: a depth of n has n + 1 buffers, and each depth frees its own. The
// argument is returned as a copy, since nothing notices.
// CHECK-LABEL: func.func private @f12_branches(
// CHECK: %[[F:.*]] = memref.alloc
// CHECK: %[[S:.*]] = call @f12_branches(%{{.*}}, %[[F]]
// CHECK-NEXT: memref.dealloc %[[F]]
// CHECK-NEXT: cf.br ^bb3(%[[S]]
// CHECK: ^bb2:
// CHECK: %[[C:.*]] = memref.alloc
// CHECK-NEXT: memref.copy %arg1, %[[C]]
// CHECK-NEXT: cf.br ^bb3(%[[C]]
func.func private @f12_branches(%n: index, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %last, ^e(%m : memref<4xf32>), ^r
^r:
  %v = memref.load %m[%c0] : memref<4xf32>
  %w = arith.addf %v, %x : f32
  %f = memref.alloc() : memref<4xf32>
  linalg.fill ins(%w : f32) outs(%f : memref<4xf32>)
  %k = arith.subi %n, %c1 : index
  %s = func.call @f12_branches(%k, %f, %x) : (index, memref<4xf32>, f32) -> memref<4xf32>
  cf.br ^e(%s : memref<4xf32>)
^e(%r: memref<4xf32>):
  return %r : memref<4xf32>
}

// CHECK-LABEL: func.func private @f12_returns(
// CHECK: memref.alloc
// CHECK: call @f12_returns
// CHECK-NEXT: memref.dealloc
// CHECK: memref.copy %arg1
func.func private @f12_returns(%n: index, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %last, ^e, ^r
^r:
  %f = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%f : memref<4xf32>)
  %k = arith.subi %n, %c1 : index
  %s = func.call @f12_returns(%k, %f, %x) : (index, memref<4xf32>, f32) -> memref<4xf32>
  return %s : memref<4xf32>
^e:
  return %m : memref<4xf32>
}

// CHECK-LABEL: func.func @f12(
// CHECK: %[[R:.*]] = call @f12_branches(%arg0, %[[M:.*]], %arg1)
// CHECK: memref.dealloc %[[M]]
// CHECK: memref.copy %[[R]], %arg2
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @f12(%n: index, %x: f32, %out: memref<4xf32>, %other: memref<4xf32>) {
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  %r = func.call @f12_branches(%n, %m, %x) : (index, memref<4xf32>, f32) -> memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  %o = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%o : memref<4xf32>)
  %t = func.call @f12_returns(%n, %o, %x) : (index, memref<4xf32>, f32) -> memref<4xf32>
  memref.copy %t, %other : memref<4xf32> to memref<4xf32>
  return
}

// A write to what may be the caller's: no copy may hide it. A flag says whose
// it is.
// CHECK-LABEL: func.func @f13(
// CHECK-NOT: memref.copy
// CHECK: cf.br ^bb3(%arg2, %false : memref<4xf32>, i1)
// CHECK: cf.br ^bb3(%{{.*}}, %true : memref<4xf32>, i1)
// CHECK: ^bb3(%[[M:.*]]: memref<4xf32>, %[[FLAG:.*]]: i1):
// CHECK: scf.if %[[FLAG]] {
// CHECK-NEXT: memref.dealloc %[[M]]
func.func @f13(%c: i1, %x: f32, %arg: memref<4xf32>) {
  cf.cond_br %c, ^l, ^r
^l:
  cf.br ^e(%arg : memref<4xf32>)
^r:
  %a = memref.alloc() : memref<4xf32>
  cf.br ^e(%a : memref<4xf32>)
^e(%m: memref<4xf32>):
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  return
}

// The flag goes the same ways as the buffer.
// CHECK-LABEL: func.func @f14(
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[B:.*]] = %arg1, %[[FLAG:.*]] = %false)
// CHECK: %[[S:.*]]:2 = scf.if
// CHECK: memref.copy
// CHECK-NEXT: scf.if %[[FLAG]] {
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %{{.*}}, %true
// CHECK: scf.yield %[[B]], %[[FLAG]]
// CHECK: scf.yield %[[S]]#0, %[[S]]#1
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @f14(%n: index, %init: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %init) -> memref<4xf32> {
    %v = memref.load %b[%c0] : memref<4xf32>
    %w = arith.addf %v, %f1 : f32
    linalg.fill ins(%w : f32) outs(%b : memref<4xf32>)
    %e = arith.cmpi eq, %i, %c1 : index
    %s = scf.if %e -> memref<4xf32> {
      %x = memref.alloc() : memref<4xf32>
      memref.copy %b, %x : memref<4xf32> to memref<4xf32>
      scf.yield %x : memref<4xf32>
    } else {
      scf.yield %b : memref<4xf32>
    }
    scf.yield %s : memref<4xf32>
  }
  return
}

// The second run finds nothing to do: see the RUN lines.
// CHECK-LABEL: func.func @f15(
// CHECK: memref.load %[[R:.*]][
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @f15(%c: i1, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
    scf.yield %b : memref<4xf32>
  }
  %v = memref.load %r[%c0] : memref<4xf32>
  return %v : f32
}

// A loop made of branches, and a buffer that never leaves its body.
// CHECK-LABEL: func.func @f16_inside(
// CHECK: memref.load %[[A:.*]][
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @f16_inside(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^h(%c0, %x : index, f32)
^h(%i: index, %s: f32):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^b, ^e
^b:
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %v = memref.load %a[%c0] : memref<4xf32>
  %t = arith.addf %s, %v : f32
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %t : index, f32)
^e:
  return %s : f32
}

// One that is replaced by a fresh one in one iteration: the old one is freed
// there, the last one after the loop.
// CHECK-LABEL: func.func @f16_replaced(
// CHECK-NOT: memref.copy
// CHECK: memref.dealloc
// CHECK: memref.load
// CHECK-NEXT: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f16_replaced(%n: index, %x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.br ^h(%c0, %a : index, memref<4xf32>)
^h(%i: index, %m: memref<4xf32>):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^b, ^e
^b:
  %j = arith.addi %i, %c1 : index
  %here = arith.cmpi eq, %i, %c1 : index
  cf.cond_br %here, ^f, ^h(%j, %m : index, memref<4xf32>)
^f:
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  cf.br ^h(%j, %b : index, memref<4xf32>)
^e:
  %v = memref.load %m[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @f17(
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc
// CHECK: ^bb1:
// CHECK-NEXT: memref.load %[[R:.*]][
// CHECK-NEXT: memref.dealloc %[[R]]
// CHECK: ^bb2:
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @f17(%c: i1, %d: i1, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f32
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f1 : f32) outs(%m : memref<4xf32>)
  %r = scf.if %c -> memref<4xf32> {
    %n = memref.alloc() : memref<4xf32>
    linalg.fill ins(%f1 : f32) outs(%n : memref<4xf32>)
    scf.yield %n : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  cf.cond_br %d, ^a, ^e
^a:
  %v = memref.load %r[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<1xf32>
  cf.br ^e
^e:
  return
}

// CHECK-LABEL: func.func @f18(
// CHECK: scf.for {{.*}} iter_args(%[[B:.*]] = %
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: memref.alloc
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f18(%c: i1, %n: index, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %m) -> memref<4xf32> {
    linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
    %f = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%f : memref<4xf32>)
    scf.yield %f : memref<4xf32>
  }
  cf.cond_br %c, ^a, ^e
^a:
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^e:
  return
}

// A value and the argument that is it, in one region.
// CHECK-LABEL: func.func @f19(
// CHECK-NOT: memref.copy %{{.*}}, %alloc
// CHECK-COUNT-2: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @f19(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  cf.cond_br %c, ^x, ^b(%m : memref<4xf32>)
^b(%a: memref<4xf32>):
  %r = scf.if %d -> memref<4xf32> {
    scf.yield %m : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  cf.br ^x
^x:
  return
}

// CHECK-LABEL: func.func @f20(
// CHECK: memref.dealloc
func.func @f20(%k: i32, %x: f32, %out: memref<4xf32>) {
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  cf.switch %k : i32, [
    default: ^e,
    1: ^a(%m : memref<4xf32>),
    2: ^b
  ]
^a(%p: memref<4xf32>):
  memref.copy %p, %out : memref<4xf32> to memref<4xf32>
  cf.br ^e
^b:
  %n = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%n : memref<4xf32>)
  cf.br ^a(%n : memref<4xf32>)
^e:
  return
}

// Views of a merged allocation, one of which is selected.
// CHECK-LABEL: func.func @f21(
// CHECK: %[[ARENA:.*]] = memref.alloc() : memref<32xi8>
// CHECK: %[[M:.*]] = memref.alloc() : memref<4xf32>
// CHECK: ^bb2:
// CHECK-NEXT: %[[V:.*]] = memref.load
// CHECK-NEXT: memref.dealloc %[[M]]
// CHECK-NEXT: memref.dealloc %[[ARENA]]
func.func @f21(%c: i1, %d: i1, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %arena = memref.alloc() : memref<32xi8>
  %p = memref.view %arena[%c0][] : memref<32xi8> to memref<4xf32>
  %q = memref.view %arena[%c16][] : memref<32xi8> to memref<4xf32>
  linalg.fill ins(%x : f32) outs(%p : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%q : memref<4xf32>)
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  %s = arith.select %c, %q, %m : memref<4xf32>
  cf.cond_br %d, ^a, ^e
^a:
  cf.br ^e
^e:
  %v = memref.load %s[%c0] : memref<4xf32>
  return %v : f32
}

// A view of an allocation is returned: whoever gets it frees the allocation.
// CHECK-LABEL: func.func private @f22_view(
// CHECK-NOT: memref.dealloc
// CHECK-LABEL: func.func @f22(
// CHECK: %[[R:.*]] = call @f22_view
// CHECK-NEXT: memref.load %[[R]]
// CHECK-NEXT: memref.dealloc %[[R]]
func.func private @f22_view(%x: f32) -> memref<4xf32> {
  %c16 = arith.constant 16 : index
  %arena = memref.alloc() : memref<32xi8>
  %q = memref.view %arena[%c16][] : memref<32xi8> to memref<4xf32>
  linalg.fill ins(%x : f32) outs(%q : memref<4xf32>)
  return %q : memref<4xf32>
}
func.func @f22(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %r = func.call @f22_view(%x) : (f32) -> memref<4xf32>
  %v = memref.load %r[%c0] : memref<4xf32>
  return %v : f32
}

// A transposed view is no buffer of its own, and keeps the one it is of.
// CHECK-LABEL: func.func @f23(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[T:.*]] = memref.transpose %[[A]]
// CHECK-NOT: memref.dealloc
// CHECK: memref.load %[[T]]
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @f23(%x: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<2x4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2x4xf32>)
  %t = memref.transpose %a (i, j) -> (j, i) : memref<2x4xf32> to memref<4x2xf32, strided<[1, 4]>>
  %v = memref.load %a[%c1, %c1] : memref<2x4xf32>
  memref.store %v, %t[%c1, %c1] : memref<4x2xf32, strided<[1, 4]>>
  %w = memref.load %t[%c1, %c1] : memref<4x2xf32, strided<[1, 4]>>
  return %w : f32
}

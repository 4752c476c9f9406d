// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate=prefer-flags %s | FileCheck %s

// A copy would be noticed, so that a flag says whose the buffer is. ExamplesTest
// runs these, too.

!strided = memref<?xi32, strided<[?], offset: ?>>
!odd = memref<2xi32, strided<[2], offset: 1>>

memref.global "private" @g : memref<4xi32> = dense<[7, 8, 9, 10]>

// The whole buffer is found again from a part of it.
// CHECK-LABEL: func.func @part(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<2xi32, strided<[1]>>, i1)
//       CHECK: return
func.func @part(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : i32
  %y = memref.subview %p[0] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1]>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %y) -> memref<2xi32, strided<[1]>> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    %x = memref.subview %a[0] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1]>>
    scf.yield %x : memref<2xi32, strided<[1]>>
  }
  %w = memref.reinterpret_cast %r to offset: [0], sizes: [4], strides: [1] : memref<2xi32, strided<[1]>> to memref<4xi32>
  %v = memref.load %w[%c3] : memref<4xi32>
  return %v : i32
}

// The program knows strides and offset, which the type leaves open.
// CHECK-LABEL: func.func @layout(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<?xi32, strided<[?], offset: ?>>, i1)
//       CHECK: return
func.func @layout(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %x = memref.subview %p[1] [2] [2] : memref<4xi32> to !odd
  %xx = memref.cast %x : !odd to !strided
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %xx) -> !strided {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    %y = memref.subview %a[1] [2] [2] : memref<4xi32> to !odd
    %yy = memref.cast %y : !odd to !strided
    scf.yield %yy : !strided
  }
  %s = memref.cast %r : !strided to !odd
  %v = memref.load %s[%c1] : !odd
  return %v : i32
}

// CHECK-LABEL: func.func @strides(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<?xi32, strided<[?], offset: ?>>, i1)
//       CHECK: return
func.func @strides(%p: memref<4xi32>, %n: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %x = memref.subview %p[1] [2] [2] : memref<4xi32> to !odd
  %xx = memref.cast %x : !odd to !strided
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %xx) -> !strided {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    %y = memref.subview %a[1] [2] [2] : memref<4xi32> to !odd
    %yy = memref.cast %y : !odd to !strided
    scf.yield %yy : !strided
  }
  %b, %o, %z, %t = memref.extract_strided_metadata %r : !strided -> memref<i32>, index, index, index
  return %t : index
}

// Accesses count on an alignment.
// CHECK-LABEL: func.func @aligned(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<4xi32>, i1)
//       CHECK: return
func.func @aligned(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %p = memref.alloc() {alignment = 1024 : i64} : memref<4xi32>
  linalg.fill ins(%c7 : i32) outs(%p : memref<4xi32>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %p) -> memref<4xi32> {
    %a = memref.alloc() {alignment = 1024 : i64} : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  }
  %u = memref.assume_alignment %r, 1024 : memref<4xi32>
  %v = memref.load %u[%c1] : memref<4xi32>
  %w = memref.load %p[%c1] : memref<4xi32>
  %s = arith.addi %v, %w : i32
  return %s : i32
}

// The argument is a global, which is written under its own name.
// CHECK-LABEL: func.func private @writes_global(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<4xi32>, i1)
//       CHECK: return
func.func private @writes_global(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %p) -> memref<4xi32> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  }
  %q = memref.get_global @g : memref<4xi32>
  memref.store %c5, %q[%c1] : memref<4xi32>
  %v = memref.load %r[%c1] : memref<4xi32>
  memref.store %c7, %q[%c1] : memref<4xi32>
  return %v : i32
}
func.func @global(%n: index) -> i32 {
  %g = memref.get_global @g : memref<4xi32>
  %v = call @writes_global(%g, %n) : (memref<4xi32>, index) -> i32
  return %v : i32
}

// So it is when a function does that, and with blocks.
func.func private @set() {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : i32
  %q = memref.get_global @g : memref<4xi32>
  memref.store %c5, %q[%c1] : memref<4xi32>
  return
}
// CHECK-LABEL: func.func private @calls(
//   CHECK-NOT: memref.copy
//       CHECK: cf.br ^bb1({{.*}}, %arg0, %false : index, memref<4xi32>, i1)
//       CHECK: return
func.func private @calls(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  cf.br ^h(%c0, %p : index, memref<4xi32>)
^h(%i: index, %b: memref<4xi32>):
  %k = arith.cmpi slt, %i, %n : index
  cf.cond_br %k, ^l, ^e
^l:
  %a = memref.alloc() : memref<4xi32>
  linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
  %i1 = arith.addi %i, %c1 : index
  cf.br ^h(%i1, %a : index, memref<4xi32>)
^e:
  call @set() : () -> ()
  %v = memref.load %b[%c1] : memref<4xi32>
  return %v : i32
}
func.func @global_by_call(%n: index) -> i32 {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : i32
  %g = memref.get_global @g : memref<4xi32>
  memref.store %c8, %g[%c1] : memref<4xi32>
  %v = call @calls(%g, %n) : (memref<4xi32>, index) -> i32
  return %v : i32
}

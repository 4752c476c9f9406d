// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s

// The argument is in a table, too, by which it is written.
// CHECK-LABEL: func.func private @loads(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<4xi32>, i1)
//       CHECK: return
func.func private @loads(%p: memref<4xi32>, %t: memref<1xmemref<4xi32>>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %p) -> memref<4xi32> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  }
  %q = memref.load %t[%c0] : memref<1xmemref<4xi32>>
  memref.store %c7, %q[%c1] : memref<4xi32>
  %v = memref.load %r[%c1] : memref<4xi32>
  return %v : i32
}
func.func @table(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %t = memref.alloca() : memref<1xmemref<4xi32>>
  memref.store %p, %t[%c0] : memref<1xmemref<4xi32>>
  %v = call @loads(%p, %t, %n) : (memref<4xi32>, memref<1xmemref<4xi32>>, index) -> i32
  return %v : i32
}

// A pointer may be that of the argument.
// CHECK-LABEL: func.func @pointer(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<4xi32>, i1)
//       CHECK: return
func.func @pointer(%p: memref<4xi32>, %q: !llvm.ptr, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %p) -> memref<4xi32> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  }
  llvm.store %c7, %q : i32, !llvm.ptr
  %v = memref.load %r[%c1] : memref<4xi32>
  return %v : i32
}

// Something that was started writes it until a function waits, which nobody
// sees.
// CHECK-LABEL: func.func private @is_written(
//   CHECK-NOT: memref.copy
//       CHECK: scf.for {{.*}} -> (memref<4xi32>, i1)
//       CHECK: return
func.func private @external()
func.func private @is_written(%p: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %p) -> memref<4xi32> {
    %a = memref.alloc() : memref<4xi32>
    linalg.fill ins(%c7 : i32) outs(%a : memref<4xi32>)
    scf.yield %a : memref<4xi32>
  }
  func.call @external() : () -> ()
  %v = memref.load %r[%c1] : memref<4xi32>
  return %v : i32
}
func.func @starts(%p: memref<4xi32>, %q: memref<4xi32>, %n: index) -> i32 {
  %t = async.execute {
    memref.copy %q, %p : memref<4xi32> to memref<4xi32>
    async.yield
  }
  %v = call @is_written(%p, %n) : (memref<4xi32>, index) -> i32
  return %v : i32
}

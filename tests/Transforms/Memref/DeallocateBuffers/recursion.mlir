// RUN: tpuc-opt --memref-deallocate --memref-verify-deallocation='leaks=error strict' %s | FileCheck %s
// RUN: tpuc-opt --memref-memory %s -o /dev/null 2>&1 | count 0

// A function that calls itself returns its argument or a buffer of its own; who
// calls it gets a copy, and what the check is told of it is not that the
// argument is freed by a call.

// CHECK-LABEL: func.func private @f
// CHECK: %[[R:.*]] = call @f
// CHECK: memref.dealloc %[[R]]
// CHECK: tpu_memory.copies_unless_owned
func.func private @f(%x: memref<4xi32>, %c: i1, %n: index) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %e, ^end, ^go
^end:
  %z = memref.alloc() : memref<4xi32>
  return %z : memref<4xi32>
^go:
  %d = arith.subi %n, %c1 : index
  %m = memref.alloc() : memref<4xi32>
  %s = arith.select %c, %x, %m : memref<4xi32>
  %r = func.call @f(%x, %c, %d) : (memref<4xi32>, i1, index) -> memref<4xi32>
  return %s : memref<4xi32>
}

// What a call of the function itself returned and is freed is none of the
// arguments: no path on which that ends returns one. Whoever calls it still has
// to free what it gave.
func.func private @two(%a: memref<4xi32>, %b: memref<4xi32>, %n: index) -> (memref<4xi32>, memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %e, ^end, ^go
^end:
  %p = memref.alloc() : memref<4xi32>
  %q = memref.alloc() : memref<4xi32>
  return %p, %q : memref<4xi32>, memref<4xi32>
^go:
  %d = arith.subi %n, %c1 : index
  %r:2 = func.call @two(%b, %a, %d) : (memref<4xi32>, memref<4xi32>, index) -> (memref<4xi32>, memref<4xi32>)
  memref.dealloc %r#0 : memref<4xi32>
  %m = memref.alloc() : memref<4xi32>
  return %m, %r#1 : memref<4xi32>, memref<4xi32>
}
// CHECK-LABEL: func.func @calls_two(
// CHECK: %[[R:.*]]:2 = call @two
// CHECK: memref.dealloc %[[R]]#0
// CHECK: %[[Y:.*]] = memref.alloc()
// CHECK: %[[S:.*]]:2 = call @two(%[[R]]#1, %[[Y]]
// CHECK-DAG: memref.dealloc %[[R]]#1
// CHECK-DAG: memref.dealloc %[[Y]]
// CHECK-DAG: memref.dealloc %[[S]]#0
// CHECK-DAG: memref.dealloc %[[S]]#1
// CHECK: return
func.func @calls_two(%x: memref<4xi32>, %n: index) {
  %r:2 = call @two(%x, %x, %n) : (memref<4xi32>, memref<4xi32>, index) -> (memref<4xi32>, memref<4xi32>)
  %y = memref.alloc() : memref<4xi32>
  %s:2 = call @two(%r#1, %y, %n) : (memref<4xi32>, memref<4xi32>, index) -> (memref<4xi32>, memref<4xi32>)
  return
}

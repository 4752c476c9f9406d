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

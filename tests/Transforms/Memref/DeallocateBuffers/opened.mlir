// RUN: tpuc-opt --allow-unregistered-dialect --memref-deallocate='prefer-flags=true remarks=false' %s -o %t.1
// RUN: FileCheck %s < %t.1
// RUN: tpuc-opt --allow-unregistered-dialect --memref-deallocate='prefer-flags=true remarks=false' %t.1 | diff %t.1 -

// A name for one buffer, by whatever way, owns nothing that others could not.
// CHECK-LABEL: func.func private @one_buffer(
// CHECK: %[[S:.*]] = arith.select %{{.*}}, %[[X:.*]], %[[X]]
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: scf.yield %[[S]], %false
func.func private @one_buffer(%x: memref<4xi64>, %c: i1, %d: i1) -> memref<4xi64> {
  %s = arith.select %c, %x, %x : memref<4xi64>
  %a = memref.alloc() : memref<4xi64>
  memref.copy %x, %a : memref<4xi64> to memref<4xi64>
  %r = arith.select %d, %s, %a : memref<4xi64>
  return %r : memref<4xi64>
}

// A select that is opened in vain stays one.
// CHECK-LABEL: func.func @in_vain(
// CHECK: arith.select
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @in_vain(%x: memref<4xi32>, %c: i1) -> (memref<4xi32>, i64) {
  %m = memref.alloc() : memref<4xi32>
  %r = arith.select %c, %m, %x : memref<4xi32>
  %w = "test.handle"(%x) : (memref<4xi32>) -> i64
  return %r, %w : memref<4xi32>, i64
}

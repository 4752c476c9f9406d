// RUN: tpuc-opt --memref-hoist=mode=dominator --memref-verify-deallocation='leaks=error strict' %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate --memref-hoist=mode=dominator --memref-verify-deallocation='leaks=error strict' %s | FileCheck %s

// What is returned on one path its callers free on that path.

// CHECK-LABEL: func.func private @one_of_two
// CHECK-NOT: memref.alloc
// CHECK: cf.cond_br
// CHECK: memref.alloc
// CHECK: memref.alloc
func.func private @one_of_two(%x: memref<4xi32>, %c: i1) -> memref<4xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %m = memref.alloc() : memref<4xi32>
  return %m : memref<4xi32>
^b:
  %n = memref.alloc() : memref<4xi32>
  memref.copy %x, %n : memref<4xi32> to memref<4xi32>
  return %n : memref<4xi32>
}

// CHECK-LABEL: func.func private @in_regions
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.alloc
// CHECK: else
// CHECK-NEXT: memref.alloc
func.func private @in_regions(%c: i1) -> memref<4xi32> {
  %r = scf.if %c -> memref<4xi32> {
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  } else {
    %n = memref.alloc() : memref<4xi32>
    scf.yield %n : memref<4xi32>
  }
  return %r : memref<4xi32>
}

func.func @main(%x: memref<4xi32>, %c: i1) {
  %r = call @one_of_two(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  %s = call @in_regions(%c) : (i1) -> memref<4xi32>
  memref.copy %r, %x : memref<4xi32> to memref<4xi32>
  memref.copy %s, %x : memref<4xi32> to memref<4xi32>
  memref.dealloc %r : memref<4xi32>
  memref.dealloc %s : memref<4xi32>
  return
}

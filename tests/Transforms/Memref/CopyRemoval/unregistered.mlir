// RUN: tpuc-opt --allow-unregistered-dialect --copy-removal %s | FileCheck %s

// What an op takes that ends its block, but does not say where it leads, may be
// what its parent or a block gets.

// CHECK-LABEL: func.func @one_way_is_not_known(
// CHECK: memref.copy
func.func @one_way_is_not_known(%c: i1, %f: f32, %i: index) -> f32 {
  %y = memref.alloc() : memref<4xf32>
  memref.store %f, %y[%i] : memref<4xf32>
  %x = memref.alloc() : memref<4xf32>
  memref.store %f, %x[%i] : memref<4xf32>
  cf.cond_br %c, ^a, ^b
^a:
  "custom.br"(%y)[^j] : (memref<4xf32>) -> ()
^b:
  cf.br ^j(%x : memref<4xf32>)
^j(%m: memref<4xf32>):
  %t = memref.alloc() : memref<4xf32>
  memref.copy %y, %t : memref<4xf32> to memref<4xf32>
  memref.store %f, %m[%i] : memref<4xf32>
  %r = memref.load %t[%i] : memref<4xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @one_end_is_not_known(
// CHECK: memref.copy
func.func @one_end_is_not_known(%c: i1, %f: f32, %i: index) -> f32 {
  %y = memref.alloc() : memref<4xf32>
  memref.store %f, %y[%i] : memref<4xf32>
  %x = memref.alloc() : memref<4xf32>
  memref.store %f, %x[%i] : memref<4xf32>
  %m = scf.execute_region -> memref<4xf32> {
    cf.cond_br %c, ^a, ^b
  ^a:
    scf.yield %x : memref<4xf32>
  ^b:
    "custom.yield"(%y) : (memref<4xf32>) -> ()
  }
  %t = memref.alloc() : memref<4xf32>
  memref.copy %y, %t : memref<4xf32> to memref<4xf32>
  memref.store %f, %m[%i] : memref<4xf32>
  %r = memref.load %t[%i] : memref<4xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @no_end_is_known(
// CHECK: memref.copy
func.func @no_end_is_known(%f: f32, %i: index) -> f32 {
  %y = memref.alloc() : memref<4xf32>
  memref.store %f, %y[%i] : memref<4xf32>
  %m:2 = "custom.region"() ({
    "custom.yield"(%y) : (memref<4xf32>) -> ()
  }) : () -> (index, memref<4xf32>)
  %t = memref.alloc() : memref<4xf32>
  memref.copy %y, %t : memref<4xf32> to memref<4xf32>
  memref.store %f, %m#1[%i] : memref<4xf32>
  %r = memref.load %t[%i] : memref<4xf32>
  return %r : f32
}

// CHECK-LABEL: func.func @both_are_returned(
// CHECK: memref.copy
func.func @both_are_returned(%f: f32, %i: index) -> (memref<4xf32>, memref<4xf32>) {
  %s = memref.alloc() : memref<4xf32>
  memref.store %f, %s[%i] : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  memref.copy %s, %t : memref<4xf32> to memref<4xf32>
  "custom.return"(%s, %t) : (memref<4xf32>, memref<4xf32>) -> ()
}

// Nothing else has the source.
// CHECK-LABEL: func.func @one_is_returned(
// CHECK: %[[S:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: "custom.return"(%[[S]])
func.func @one_is_returned(%f: f32, %i: index) -> memref<4xf32> {
  %s = memref.alloc() : memref<4xf32>
  memref.store %f, %s[%i] : memref<4xf32>
  %t = memref.alloc() : memref<4xf32>
  memref.copy %s, %t : memref<4xf32> to memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  "custom.return"(%t) : (memref<4xf32>) -> ()
}

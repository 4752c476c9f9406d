// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc %s | FileCheck %s --check-prefix=SAVES
// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc=merge-always %s | FileCheck %s

// One allocation, although two buffers that are alive together save nothing.
// CHECK-LABEL: func.func @together(
// CHECK: memref.alloc() {{.*}} : memref<128xi8>
// CHECK-NOT: memref.alloc
// SAVES-LABEL: func.func @together(
// SAVES-NOT: memref.view
func.func @together() {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  "test.copy"(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  return
}

// Also of one.
// CHECK-LABEL: func.func @alone(
// CHECK: memref.alloc() {{.*}} : memref<64xi8>
// CHECK: memref.view
func.func @alone() {
  %a = memref.alloc() : memref<16xf32>
  "test.use"(%a) : (memref<16xf32>) -> ()
  return
}

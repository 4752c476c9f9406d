// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces=default,workgroup}))' %s | FileCheck --check-prefix=SOME %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{alignment=16 capacity=default:288,3:512}))' %s | FileCheck --check-prefix=NARROW %s

// One allocation a memory space, in the order of their first buffers.
// CHECK-LABEL: func.func @spaces(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, 3>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// SOME-LABEL: func.func @spaces(
// SOME-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// SOME-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// SOME-NEXT: memref.alloc() : memref<64xf32, 3>
func.func @spaces() {
  %a = memref.alloc() : memref<64xf32, 3>
  "test.use"(%a) : (memref<64xf32, 3>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  %c = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  "test.use"(%c) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  %d = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  "test.use"(%d) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  %e = memref.alloc() : memref<64xf32>
  "test.use"(%e) : (memref<64xf32>) -> ()
  %f = memref.alloc() : memref<64xf32, 3>
  "test.use"(%f) : (memref<64xf32, 3>) -> ()
  return
}

// -----

// With a smaller alignment less lies between.
// CHECK-LABEL: func.func @alignment(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<336xi8>
// NARROW-LABEL: func.func @alignment(
// NARROW-NEXT: memref.alloc() {alignment = 16 : i64} : memref<288xi8>
func.func @alignment() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%a, %b, %c) : (memref<4xf32>, memref<4xf32>, memref<64xf32>) -> ()
  %d = memref.alloc() : memref<64xf32>
  "test.use"(%d) : (memref<64xf32>) -> ()
  return
}

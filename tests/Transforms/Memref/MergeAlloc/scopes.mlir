// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc %s | FileCheck %s

// scf.for is no scope; scf.forall is, and so is one inside it.
// CHECK-LABEL: func.func @nested(
// CHECK-NEXT: %[[OUTER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK: scf.for
// CHECK: memref.view %[[OUTER]]
// CHECK: memref.view %[[OUTER]]
// CHECK: scf.forall
// CHECK-NEXT: %[[THREAD:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: memref.view %[[THREAD]]
// CHECK: scf.forall
// CHECK-NEXT: %[[INNER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: memref.view %[[INNER]]
// CHECK: memref.view %[[INNER]]
// CHECK: memref.view %[[THREAD]]
func.func @nested(%lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
  }
  scf.forall (%t) in (4) {
    %a = memref.alloc() : memref<128xf32>
    "test.use"(%a) : (memref<128xf32>) -> ()
    scf.forall (%u) in (4) {
      %x = memref.alloc() : memref<32xf32>
      "test.use"(%x) : (memref<32xf32>) -> ()
      %y = memref.alloc() : memref<32xf32>
      "test.use"(%y) : (memref<32xf32>) -> ()
    }
    %b = memref.alloc() : memref<128xf32>
    "test.use"(%b) : (memref<128xf32>) -> ()
  }
  return
}

// -----

// Nor is another loop whose iterations follow on each other.
// CHECK-LABEL: func.func @affine(
// CHECK-NEXT: %[[OUTER:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK: affine.for
// CHECK-NOT: memref.alloc
// CHECK: memref.view %[[OUTER]]
// CHECK: memref.view %[[OUTER]]
func.func @affine() {
  affine.for %i = 0 to 8 {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @alloca_scope(
// CHECK: memref.alloca_scope
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @alloca_scope() {
  memref.alloca_scope {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
  }
  return
}

// -----

// Kernels: a gpu.func, and the body of a gpu.launch.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<private>>
gpu.module @kernels {
  gpu.func @kernel() kernel {
    %a = memref.alloc() : memref<64xf32, #gpu.address_space<private>>
    "test.use"(%a) : (memref<64xf32, #gpu.address_space<private>>) -> ()
    %b = memref.alloc() : memref<64xf32, #gpu.address_space<private>>
    "test.use"(%b) : (memref<64xf32, #gpu.address_space<private>>) -> ()
    gpu.return
  }
}

// -----

// CHECK-LABEL: func.func @launch(
// CHECK: gpu.launch
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @launch() {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
    gpu.terminator
  }
  return
}

// -----

// A function without a body, and one without buffers.
// CHECK: func.func private @declared()
func.func private @declared()
// CHECK: func.func @empty()
// CHECK-NEXT: return
func.func @empty() {
  return
}

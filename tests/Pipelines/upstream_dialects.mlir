// RUN: tpuc-opt --merge-alloc %s | FileCheck %s

// What stands beside bufferized functions: MLIR's own dialects are known
// without --allow-unregistered-dialect.

#csr = #sparse_tensor.encoding<{map = (d0, d1) -> (d0 : dense, d1 : compressed)}>

// CHECK: ml_program.global
ml_program.global private @state(dense<0> : tensor<4xi32>) : tensor<4xi32>

// CHECK-LABEL: @types
func.func private @types(tensor<4x4xf32, #csr>, !shape.shape, !transform.any_op, tensor<2x!quant.uniform<i8:f32, 1.0>>)

// CHECK-LABEL: @ops
// CHECK: memref.alloc() {{.*}}xi8>
func.func @ops(%x: tensor<4xf32>, %out: memref<64xf32>, %z: complex<f32>) -> (tensor<4xf32>, !shape.shape, f32) {
  %y = tosa.abs %x : (tensor<4xf32>) -> tensor<4xf32>
  %s = shape.shape_of %x : tensor<4xf32> -> !shape.shape
  %p = ub.poison : f32
  %n = complex.abs %z : complex<f32>
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%out : memref<64xf32>) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%out : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return %y, %s, %n : tensor<4xf32>, !shape.shape, f32
}

// CHECK: transform.named_sequence
module attributes {transform.with_named_sequence} {
  transform.named_sequence @main(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}

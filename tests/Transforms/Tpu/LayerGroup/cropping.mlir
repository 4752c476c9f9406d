// Windows with pads below zero leave out what is at the border. No group has
// such a layer, and everything around it is planned and runs all the same.
// RUN: tpuc-opt %s --tpu-local-memory --mlir-print-debuginfo -o %t.local.mlir
// RUN: FileCheck %s < %t.local.mlir
// RUN: tpuc-opt %t.local.mlir --tpu-global-memory -o %t.final.mlir --mlir-print-debuginfo
// RUN: model_runner --model %t.final.mlir

// CHECK-NOT: "tpu.Group"
// CHECK: "tpu.Conv2D"
// CHECK: "tpu.Pool2D"
// CHECK: "tpu.Deconv"

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x32x16x16xf32>) -> tensor<1x32x8x16xf32> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x32x16x16xf32>) -> tensor<1x32x16x16xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<32x32x3x3xf32> loc("w")
    %c = "tpu.Conv2D"(%x, %w, %none) {dilations = [1, 1], group = 1 : i64, kernel_shape = [3, 3], pads = [-1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x16x16xf32>, tensor<32x32x3x3xf32>, none) -> tensor<1x32x14x16xf32> loc("c")
    %p = "tpu.Pool2D"(%c) {count_include_pad = false, is_adaptive = false, kernel_shape = [3, 3], pads = [1, 1, -3, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<1x32x14x16xf32>) -> tensor<1x32x10x16xf32> loc("p")
    %v = "top.Weight"() : () -> tensor<32x32x1x1xf32> loc("v")
    %y = "tpu.Deconv"(%p, %v, %none) {dilations = [1, 1], group = 1 : i64, kernel_shape = [1, 1], pads = [3, 1, -1, -1], strides = [1, 1]} : (tensor<1x32x10x16xf32>, tensor<32x32x1x1xf32>, none) -> tensor<1x32x8x16xf32> loc("y")
    return %y : tensor<1x32x8x16xf32>
  }
}

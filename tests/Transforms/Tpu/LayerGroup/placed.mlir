// The coarsest cut along channels whose parts fit a lane byte by byte, 2, has no placement. Finer ones move as little: each byte once.
// RUN: tpuc-opt %s --tpu-layer-group=objective=traffic --tpu-verify-local --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s

// CHECK: traffic 674,816 B: 1.00 times the least
module @net attributes {module.chip = "cv184x"} {
  func.func @main(%0: tensor<1x256x16x16xf32>) -> tensor<1x256x16x16xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x256x16x16xf32>) -> tensor<1x256x16x16xf32> loc("x")
    %w1 = "top.Weight"() : () -> tensor<256x1x7x7xf32> loc("w1")
    %2 = "tpu.Conv2D"(%1, %w1, %none) {kernel_shape = [7, 7], strides = [1, 1], pads = [3, 3, 3, 3], group = 256 : i64} : (tensor<1x256x16x16xf32>, tensor<256x1x7x7xf32>, none) -> tensor<1x256x16x16xf32> loc("a")
    %w2 = "top.Weight"() : () -> tensor<256x1x7x7xf32> loc("w2")
    %3 = "tpu.Conv2D"(%2, %w2, %none) {kernel_shape = [7, 7], strides = [1, 1], pads = [3, 3, 3, 3], group = 256 : i64} : (tensor<1x256x16x16xf32>, tensor<256x1x7x7xf32>, none) -> tensor<1x256x16x16xf32> loc("b")
    %w3 = "top.Weight"() : () -> tensor<256x1x7x7xf32> loc("w3")
    %4 = "tpu.Conv2D"(%3, %w3, %none) {kernel_shape = [7, 7], strides = [1, 1], pads = [3, 3, 3, 3], group = 256 : i64} : (tensor<1x256x16x16xf32>, tensor<256x1x7x7xf32>, none) -> tensor<1x256x16x16xf32> loc("c")
    return %4 : tensor<1x256x16x16xf32>
  }
}

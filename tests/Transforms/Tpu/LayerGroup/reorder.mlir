// Three branches of two layers: the first ones read the same tensor, the second
// ones have weights that fill a lane. The first ones share a group; else, with
// cuts along channels, each branch is in the group as the program has it.
// RUN: tpuc-opt %s --tpu-layer-group="chip-file=%S/small.json objective=traffic cut-channels=false remarks=false" --tpu-verify-local=chip-file=%S/small.json | FileCheck %s
// RUN: tpuc-opt %s --tpu-layer-group="chip-file=%S/small.json objective=traffic cut-channels=false remarks=false reorder=false" | FileCheck %s --check-prefix=KEPT
// RUN: tpuc-opt %s --tpu-local-memory="chip-file=%S/small.json objective=traffic remarks=false reorder=false" | FileCheck %s --check-prefix=PIPELINE

// CHECK-LABEL: @branches
// CHECK: "tpu.Group"(
// CHECK-COUNT-3: "tpu.Conv2D"
// CHECK: "tpu.Yield"
// CHECK-NOT: "tpu.Group"
// CHECK-COUNT-3: "tpu.Conv2D"{{.*}}tensor<256x
// KEPT-LABEL: @branches
// KEPT-NOT: "tpu.Group"
// PIPELINE-LABEL: @branches
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x64x4x8xi8>
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x256x4x8xi8>
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x64x4x8xi8>
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x256x4x8xi8>
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x64x4x8xi8>
// PIPELINE: "tpu.Conv2D"{{.*}} -> tensor<1x256x4x8xi8>
module @branches {
  func.func @main(%arg0: tensor<1x64x4x8xi8>) -> (tensor<1x256x4x8xi8>, tensor<1x256x4x8xi8>, tensor<1x256x4x8xi8>) {
    %none = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (tensor<1x64x4x8xi8>) -> tensor<1x64x4x8xi8> loc("in")
    %w0 = "top.Weight"() : () -> tensor<64x64x1x1xi8> loc("w0")
    %c0 = "tpu.Conv2D"(%in, %w0, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x4x8xi8> loc("c0")
    %v0 = "top.Weight"() : () -> tensor<256x64x5x5xi8> loc("v0")
    %d0 = "tpu.Conv2D"(%c0, %v0, %none) {kernel_shape = [5, 5], strides = [1, 1], pads = [2, 2, 2, 2], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<256x64x5x5xi8>, none) -> tensor<1x256x4x8xi8> loc("d0")
    %w1 = "top.Weight"() : () -> tensor<64x64x1x1xi8> loc("w1")
    %c1 = "tpu.Conv2D"(%in, %w1, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x4x8xi8> loc("c1")
    %v1 = "top.Weight"() : () -> tensor<256x64x5x5xi8> loc("v1")
    %d1 = "tpu.Conv2D"(%c1, %v1, %none) {kernel_shape = [5, 5], strides = [1, 1], pads = [2, 2, 2, 2], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<256x64x5x5xi8>, none) -> tensor<1x256x4x8xi8> loc("d1")
    %w2 = "top.Weight"() : () -> tensor<64x64x1x1xi8> loc("w2")
    %c2 = "tpu.Conv2D"(%in, %w2, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x4x8xi8> loc("c2")
    %v2 = "top.Weight"() : () -> tensor<256x64x5x5xi8> loc("v2")
    %d2 = "tpu.Conv2D"(%c2, %v2, %none) {kernel_shape = [5, 5], strides = [1, 1], pads = [2, 2, 2, 2], group = 1 : i64}
        : (tensor<1x64x4x8xi8>, tensor<256x64x5x5xi8>, none) -> tensor<1x256x4x8xi8> loc("d2")
    return %d0, %d1, %d2 : tensor<1x256x4x8xi8>, tensor<1x256x4x8xi8>, tensor<1x256x4x8xi8>
  }
}

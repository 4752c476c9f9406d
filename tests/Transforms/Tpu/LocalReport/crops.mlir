// What an output has no use for need not be loaded, and that is so however layers are grouped: the least of a network is one number.
// RUN: tpuc-opt %s --split-input-file --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group=remarks=false --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --split-input-file "--tpu-layer-group=remarks=false objective=traffic" --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s

// Of 50 tokens the first one is classified: its 256 bytes, and the weights.
// CHECK: module token
// CHECK: least, 3,368 B (weights and inputs once 3,328 B, outputs once 40 B)
module @token attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x50x64xf32>) -> tensor<1x1x10xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x50x64xf32>) -> tensor<1x50x64xf32> loc("x")
    %g = "top.Weight"() : () -> tensor<1x1x64xf32> loc("g")
    %b = "top.Weight"() : () -> tensor<1x1x64xf32> loc("b")
    %2 = "tpu.LayerNorm"(%1, %g, %b) {axis = 2 : si32, eps = 1.0e-5 : f64} : (tensor<1x50x64xf32>, tensor<1x1x64xf32>, tensor<1x1x64xf32>) -> tensor<1x50x64xf32> loc("norm")
    %3 = "tpu.Slice"(%2, %none, %none, %none, %none) {offset = [0, 0, 0], steps = [1, 1, 1], ends = [1, 1, 64], axes = []} : (tensor<1x50x64xf32>, none, none, none, none) -> tensor<1x1x64xf32> loc("first")
    %w = "top.Weight"() : () -> tensor<64x10xf32> loc("w")
    %4 = "tpu.MatMul"(%3, %w, %none) : (tensor<1x1x64xf32>, tensor<64x10xf32>, none) -> tensor<1x1x10xf32> loc("y")
    return %4 : tensor<1x1x10xf32>
  }
}

// -----

// Both halves of the channels are used, so that all filters are; a tensor of which every other row and column is taken is computed there alone: 16
// of 64 places, each of a window of 3 by 3 that overlaps its neighbours' by one: 9 of 10 rows and columns of the input are read.
// CHECK: module halves
// CHECK: least, 10,704 B (weights and inputs once 9,424 B, outputs once 1,280 B)
module @halves attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x4x10x10xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x16x4x4xf32>) {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x4x10x10xf32>) -> tensor<1x4x10x10xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<40x4x3x3xf32> loc("w")
    %2 = "tpu.Conv2D"(%1, %w, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x4x10x10xf32>, tensor<40x4x3x3xf32>, none) -> tensor<1x40x8x8xf32> loc("c")
    %3 = "tpu.Slice"(%2, %none, %none, %none, %none) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 8, 8], axes = []} : (tensor<1x40x8x8xf32>, none, none, none, none) -> tensor<1x4x8x8xf32> loc("a")
    %4 = "tpu.Slice"(%2, %none, %none, %none, %none) {offset = [0, 4, 0, 0], steps = [1, 1, 1, 1], ends = [1, 40, 8, 8], axes = []} : (tensor<1x40x8x8xf32>, none, none, none, none) -> tensor<1x36x8x8xf32> loc("b")
    %u = "top.Weight"() : () -> tensor<4x4x1x1xf32> loc("u")
    %v = "top.Weight"() : () -> tensor<16x36x1x1xf32> loc("v")
    %5 = "tpu.Conv2D"(%3, %u, %none) {kernel_shape = [1, 1], strides = [2, 2], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, none) -> tensor<1x4x4x4xf32> loc("y")
    %6 = "tpu.Conv2D"(%4, %v, %none) {kernel_shape = [1, 1], strides = [2, 2], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x36x8x8xf32>, tensor<16x36x1x1xf32>, none) -> tensor<1x16x4x4xf32> loc("z")
    return %5, %6 : tensor<1x4x4x4xf32>, tensor<1x16x4x4xf32>
  }
}

// -----

// Through views: rows 2 to 4 of 6, which are 12 of 24 elements of each channel.
// CHECK: module views
// CHECK: least, 768 B (weights and inputs once 384 B, outputs once 384 B)
module @views attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x8x24xf32>) -> tensor<1x8x3x4xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x8x24xf32>) -> tensor<1x8x24xf32> loc("x")
    %2 = "tpu.Active"(%1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x24xf32>) -> tensor<1x8x24xf32> loc("a")
    %3 = "tpu.Reshape"(%2) : (tensor<1x8x24xf32>) -> tensor<1x8x6x4xf32> loc("r")
    %4 = "tpu.Slice"(%3, %none, %none, %none, %none) {offset = [0, 0, 2, 0], steps = [1, 1, 1, 1], ends = [1, 8, 5, 4], axes = []} : (tensor<1x8x6x4xf32>, none, none, none, none) -> tensor<1x8x3x4xf32> loc("s")
    %5 = "tpu.Active"(%4) {mode = #tpu<active_mode EXP>} : (tensor<1x8x3x4xf32>) -> tensor<1x8x3x4xf32> loc("y")
    return %5 : tensor<1x8x3x4xf32>
  }
}

// -----

// Outputs that are parts of one tensor: what both have is stored once, and may be where the third one is, which joins it with another one. A part
// of that one is in none of them.
// CHECK: module parts
// CHECK: least, 1,472 B (weights and inputs once 640 B, outputs once 832 B)
module @parts attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x8x4x4xf32>, %00: tensor<1x2x4x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x5x4x4xf32>, tensor<1x10x4x4xf32>, tensor<1x3x4x4xf32>) {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> loc("x")
    %2 = "top.Input"(%00) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("x2")
    %a = "tpu.Active"(%1) {mode = #tpu<active_mode EXP>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> loc("a")
    %b = "tpu.Active"(%2) {mode = #tpu<active_mode EXP>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("b")
    %s = "tpu.Slice"(%a, %none, %none, %none, %none) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 4, 4], axes = []} : (tensor<1x8x4x4xf32>, none, none, none, none) -> tensor<1x4x4x4xf32> loc("s")
    %t = "tpu.Slice"(%a, %none, %none, %none, %none) {offset = [0, 2, 0, 0], steps = [1, 1, 1, 1], ends = [1, 7, 4, 4], axes = []} : (tensor<1x8x4x4xf32>, none, none, none, none) -> tensor<1x5x4x4xf32> loc("t")
    %j = "tpu.Concat"(%a, %b) {axis = 1 : si32} : (tensor<1x8x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x10x4x4xf32> loc("j")
    %c = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> loc("c")
    %u = "tpu.Slice"(%c, %none, %none, %none, %none) {offset = [0, 5, 0, 0], steps = [1, 1, 1, 1], ends = [1, 8, 4, 4], axes = []} : (tensor<1x8x4x4xf32>, none, none, none, none) -> tensor<1x3x4x4xf32> loc("u")
    return %s, %t, %j, %u : tensor<1x4x4x4xf32>, tensor<1x5x4x4xf32>, tensor<1x10x4x4xf32>, tensor<1x3x4x4xf32>
  }
}

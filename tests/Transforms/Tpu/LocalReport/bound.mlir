// What has to move whatever is done: through views and calls, once for all readers, as far as it is needed.
// RUN: tpuc-opt %s --split-input-file --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s

// A weight that two layers read, an input of which a slice is read through a reshape, a result that nobody needs outside.
// CHECK: module shared
// CHECK: least, 12,352 B (weights and inputs once 4,160 B, outputs once 8,192 B)
module @shared attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<1x64x128xf16>) -> tensor<64x64xf16> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128xf16>) -> tensor<1x64x128xf16> loc("x")
    %2 = "tpu.Reshape"(%1) : (tensor<1x64x128xf16>) -> tensor<64x128xf16> loc("r")
    %w = "top.Weight"() : () -> tensor<1x32xf16> loc("w")
    %3 = "tpu.Slice"(%2, %none, %none, %none, %none) {offset = [0, 0], steps = [1, 1], ends = [64, 32]} : (tensor<64x128xf16>, none, none, none, none) -> tensor<64x32xf16> loc("s")
    %4 = "tpu.Add"(%3, %w) : (tensor<64x32xf16>, tensor<1x32xf16>) -> tensor<64x32xf16> loc("a")
    %5 = "tpu.Mul"(%4, %w) : (tensor<64x32xf16>, tensor<1x32xf16>) -> tensor<64x32xf16> loc("m")
    %6 = "tpu.Concat"(%5, %4) {axis = 1 : si32} : (tensor<64x32xf16>, tensor<64x32xf16>) -> tensor<64x64xf16> loc("c")
    return %6 : tensor<64x64xf16>
  }
}

// -----

// The input of one function is that of the other; what it returns is the network's output.
// CHECK: module calls
// CHECK: least, 128 B (weights and inputs once 64 B, outputs once 64 B)
module @calls attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<16xf32>) -> tensor<16xf32> {
    %1 = "top.Input"(%0) : (tensor<16xf32>) -> tensor<16xf32> loc("x")
    %2 = call @sub(%1) : (tensor<16xf32>) -> tensor<16xf32>
    return %2 : tensor<16xf32>
  }
  func.func private @sub(%0: tensor<16xf32>) -> tensor<16xf32> {
    %1 = "tpu.Active"(%0) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xf32>) -> tensor<16xf32> loc("y")
    %2 = "tpu.Active"(%1) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xf32>) -> tensor<16xf32> loc("z")
    return %2 : tensor<16xf32>
  }
}

// -----

// An input that is handed on, and a weight that is an output, do not move.
// CHECK: module handed
// CHECK: least, 0 B (weights and inputs once 0 B, outputs once 0 B)
module @handed attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<16xf32>) -> (tensor<16xf32>, tensor<4xf32>) {
    %w = "top.Weight"() : () -> tensor<4xf32> loc("w")
    return %0, %w : tensor<16xf32>, tensor<4xf32>
  }
}

// -----

// What several cores make is the output, and the pieces that they read are the input.
// CHECK: module cores
// CHECK: least, 8,192 B (weights and inputs once 4,096 B, outputs once 4,096 B)
module @cores attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%0: tensor<1x4x512xf16>) -> tensor<1x4x512xf16> {
    %1 = "top.Input"(%0) : (tensor<1x4x512xf16>) -> tensor<1x4x512xf16> loc("x")
    %2 = "tpu.CoreParallel"(%1) ({
      %3:2 = "tpu.CoreSplit"(%1) {axis = 1 : si32} : (tensor<1x4x512xf16>) -> (tensor<1x3x512xf16>, tensor<1x1x512xf16>) loc("p")
      %4 = "tpu.Active"(%3#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x3x512xf16>) -> tensor<1x3x512xf16> loc("y_0")
      %5 = "tpu.Active"(%3#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x1x512xf16>) -> tensor<1x1x512xf16> loc("y_1")
      %6 = "tpu.CoreJoin"(%4, %5) {axis = 1 : si32} : (tensor<1x3x512xf16>, tensor<1x1x512xf16>) -> tensor<1x4x512xf16> loc("j")
      "tpu.Yield"(%6) : (tensor<1x4x512xf16>) -> ()
    }) {offset = 0 : i64, size = 2 : i64} : (tensor<1x4x512xf16>) -> tensor<1x4x512xf16> loc("y")
    return %2 : tensor<1x4x512xf16>
  }
}

// -----

// Rows and columns that strides pass over are not needed: 4 of 8 are.
// CHECK: module passes
// CHECK: least, 12,288 B (weights and inputs once 10,240 B, outputs once 2,048 B)
module @passes attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<1x64x8x8xf16>) -> tensor<1x64x4x4xf16> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x8x8xf16>) -> tensor<1x64x8x8xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf16> loc("w")
    %2 = "tpu.Conv2D"(%1, %w, %none) {kernel_shape = [1, 1], strides = [2, 2], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x8x8xf16>, tensor<64x64x1x1xf16>, none) -> tensor<1x64x4x4xf16> loc("y")
    return %2 : tensor<1x64x4x4xf16>
  }
}

// -----

// What is scaled by a number that all of it makes is loaded again but for what local memory, 256 KiB, can keep: 4 MiB less twice that.
// CHECK: module scaled
// CHECK: traffic 12,600,320 B: 1.04 times the least, 12,075,008 B (weights and inputs once 4,210,688 B, outputs once 4,194,304 B, again 3,670,016 B)
module @scaled attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x128xf32>) -> tensor<1x64x128x128xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128x128xf32>) -> tensor<1x64x128x128xf32> loc("x")
    %2 = "tpu.Pool2D"(%1) {kernel_shape = [128, 128], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x128xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf32> loc("w")
    %gate = "tpu.Conv2D"(%2, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x1x1xf32>, tensor<64x64x1x1xf32>, none) -> tensor<1x64x1x1xf32> loc("gate")
    %3 = "tpu.Mul"(%1, %gate) : (tensor<1x64x128x128xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x128xf32> loc("y")
    return %3 : tensor<1x64x128x128xf32>
  }
}

// -----

// Each row of the sum depends on all rows, in whatever parts that is computed.
// CHECK: module attention
// CHECK: least, 2,621,440 B (weights and inputs once 1,048,576 B, outputs once 1,048,576 B, again 524,288 B)
module @attention attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x1024x256xf32>) -> tensor<1x1024x256xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x1024x256xf32>) -> tensor<1x1024x256xf32> loc("x")
    %2 = "tpu.MatMul"(%1, %1, %none) {right_transpose = true} : (tensor<1x1024x256xf32>, tensor<1x1024x256xf32>, none) -> tensor<1x1024x1024xf32> loc("scores")
    %3 = "tpu.Softmax"(%2, %none, %none, %none, %none, %none) {axis = 2 : si32, beta = 1.0 : f64} : (tensor<1x1024x1024xf32>, none, none, none, none, none) -> tensor<1x1024x1024xf32> loc("p")
    %4 = "tpu.MatMul"(%3, %1, %none) : (tensor<1x1024x1024xf32>, tensor<1x1024x256xf32>, none) -> tensor<1x1024x256xf32> loc("found")
    %5 = "tpu.Add"(%1, %4) : (tensor<1x1024x256xf32>, tensor<1x1024x256xf32>) -> tensor<1x1024x256xf32> loc("y")
    return %5 : tensor<1x1024x256xf32>
  }
}

// -----

// A norm of each row by itself is no barrier, as rows fit one by one; nor is a mean of each channel.
// CHECK: module rows
// CHECK: least, 4,194,304 B (weights and inputs once 2,097,152 B, outputs once 2,097,152 B)
module @rows attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x2048x256xf32>) -> tensor<1x2048x256xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x2048x256xf32>) -> tensor<1x2048x256xf32> loc("x")
    %2 = "tpu.LayerNorm"(%1, %none, %none) {axis = 2 : si32, eps = 1.0e-5 : f64} : (tensor<1x2048x256xf32>, none, none) -> tensor<1x2048x256xf32> loc("norm")
    %3 = "tpu.Add"(%1, %2) : (tensor<1x2048x256xf32>, tensor<1x2048x256xf32>) -> tensor<1x2048x256xf32> loc("y")
    return %3 : tensor<1x2048x256xf32>
  }
}

// -----

// CHECK: module channels
// CHECK: least, 8,388,608 B (weights and inputs once 4,194,304 B, outputs once 4,194,304 B)
module @channels attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x128xf32>) -> tensor<1x64x128x128xf32> {
    %1 = "top.Input"(%0) : (tensor<1x64x128x128xf32>) -> tensor<1x64x128x128xf32> loc("x")
    %2 = "tpu.Pool2D"(%1) {kernel_shape = [128, 128], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x128xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %3 = "tpu.Mul"(%1, %2) : (tensor<1x64x128x128xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x128xf32> loc("y")
    return %3 : tensor<1x64x128x128xf32>
  }
}

// -----

// A matrix of 4 bits is read in one piece, but no column of the result depends on the others' numbers.
// CHECK: module packed
// CHECK: least, 12,582,976 B (weights and inputs once 8,388,672 B, outputs once 4,194,304 B)
module @packed attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x16xf32>) -> tensor<1x1048576xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x16xf32>) -> tensor<1x16xf32> loc("x")
    %w = "top.Weight"() : () -> tensor<16x524288xi8> loc("w")
    %2 = "tpu.MatMul"(%1, %w, %none) {weight_bits = 4 : i64} : (tensor<1x16xf32>, tensor<16x524288xi8>, none) -> tensor<1x1048576xf32> loc("p")
    %3 = "tpu.Active"(%2) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x1048576xf32>) -> tensor<1x1048576xf32> loc("y")
    return %3 : tensor<1x1048576xf32>
  }
}

// -----

// What is computed is stored and loaded: twice 2 MiB less twice 256 KiB.
// CHECK: module computed
// CHECK: outputs once 2,097,152 B, again 3,670,016 B)
module @computed attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x64xf32>, %00: tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x")
    %2 = "top.Input"(%00) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x2")
    %t = "tpu.Add"(%1, %2) : (tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("t")
    %mean = "tpu.Pool2D"(%t) {kernel_shape = [128, 64], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x64xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf32> loc("w")
    %gate = "tpu.Conv2D"(%mean, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x1x1xf32>, tensor<64x64x1x1xf32>, none) -> tensor<1x64x1x1xf32> loc("gate")
    %y = "tpu.Mul"(%t, %gate) : (tensor<1x64x128x64xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x64xf32> loc("y")
    return %y : tensor<1x64x128x64xf32>
  }
}

// -----

// Two outputs are halves of it, so that it is stored anyway: once 2 MiB less twice 256 KiB.
// CHECK: module halves
// CHECK: again 1,572,864 B)
module @halves attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x64xf32>, %00: tensor<1x64x128x64xf32>) -> (tensor<1x64x128x64xf32>, tensor<1x32x128x64xf32>, tensor<1x32x128x64xf32>) {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x")
    %2 = "top.Input"(%00) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x2")
    %t = "tpu.Add"(%1, %2) : (tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("t")
    %mean = "tpu.Pool2D"(%t) {kernel_shape = [128, 64], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x64xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf32> loc("w")
    %gate = "tpu.Conv2D"(%mean, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x1x1xf32>, tensor<64x64x1x1xf32>, none) -> tensor<1x64x1x1xf32> loc("gate")
    %y = "tpu.Mul"(%t, %gate) : (tensor<1x64x128x64xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x64xf32> loc("y")
    %a = "tpu.Slice"(%t, %none, %none, %none, %none) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 32, 128, 64]} : (tensor<1x64x128x64xf32>, none, none, none, none) -> tensor<1x32x128x64xf32> loc("a")
    %b = "tpu.Slice"(%t, %none, %none, %none, %none) {offset = [0, 32, 0, 0], steps = [1, 1, 1, 1], ends = [1, 64, 128, 64]} : (tensor<1x64x128x64xf32>, none, none, none, none) -> tensor<1x32x128x64xf32> loc("b")
    return %y, %a, %b : tensor<1x64x128x64xf32>, tensor<1x32x128x64xf32>, tensor<1x32x128x64xf32>
  }
}

// -----

// Of what a mask throws away nothing is needed: how much is left nobody counts.
// CHECK: module masked
// CHECK: outputs once 2,097,152 B)
module @masked attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x64xf32>, %00: tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x")
    %2 = "top.Input"(%00) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x2")
    %t = "tpu.Add"(%1, %2) : (tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("t")
    %mean = "tpu.Pool2D"(%t) {kernel_shape = [128, 64], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x64xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf32> loc("w")
    %gate = "tpu.Conv2D"(%mean, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x1x1xf32>, tensor<64x64x1x1xf32>, none) -> tensor<1x64x1x1xf32> loc("gate")
    %m = "tpu.Trilu"(%t) {diagonal = 60 : si32, upper = 1 : si32} : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("m")
    %y = "tpu.Mul"(%m, %gate) : (tensor<1x64x128x64xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x64xf32> loc("y")
    return %y : tensor<1x64x128x64xf32>
  }
}

// -----

// Nor of an input.
// CHECK: module triangle
// CHECK: least, 4,096 B (weights and inputs once 0 B, outputs once 4,096 B)
module @triangle attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> {
    %1 = "top.Input"(%0) : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> loc("x")
    %2 = "tpu.Trilu"(%1) {diagonal = 28 : si32, upper = 1 : si32} : (tensor<1x1x32x32xf32>) -> tensor<1x1x32x32xf32> loc("y")
    return %2 : tensor<1x1x32x32xf32>
  }
}

// -----

// One branch hands it on to an output, which may be where it is loaded from.
// CHECK: module branch
// CHECK: again 1,572,864 B)
module @branch attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x64x128x64xf32>, %00: tensor<1x64x128x64xf32>, %c: tensor<1xi32>) -> (tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>) {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x")
    %2 = "top.Input"(%00) : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("x2")
    %t = "tpu.Add"(%1, %2) : (tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("t")
    %mean = "tpu.Pool2D"(%t) {kernel_shape = [128, 64], strides = [1, 1], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Avg>} : (tensor<1x64x128x64xf32>) -> tensor<1x64x1x1xf32> loc("mean")
    %w = "top.Weight"() : () -> tensor<64x64x1x1xf32> loc("w")
    %gate = "tpu.Conv2D"(%mean, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x64x1x1xf32>, tensor<64x64x1x1xf32>, none) -> tensor<1x64x1x1xf32> loc("gate")
    %y = "tpu.Mul"(%t, %gate) : (tensor<1x64x128x64xf32>, tensor<1x64x1x1xf32>) -> tensor<1x64x128x64xf32> loc("y")
    %a = "tpu.If"(%c) ({
      "tpu.Yield"(%t) : (tensor<1x64x128x64xf32>) -> ()
    }, {
      %b = "tpu.Active"(%t) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x128x64xf32>) -> tensor<1x64x128x64xf32> loc("b")
      "tpu.Yield"(%b) : (tensor<1x64x128x64xf32>) -> ()
    }) : (tensor<1xi32>) -> tensor<1x64x128x64xf32> loc("a")
    return %y, %a : tensor<1x64x128x64xf32>, tensor<1x64x128x64xf32>
  }
}

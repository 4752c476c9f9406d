// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" --split-input-file --verify-diagnostics

// The first thing that is wrong is said, and nothing is rewritten.
module @net {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %0 = "top.Abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // expected-error @+1 {{'top.Einsum' op cannot be lowered: no op of the Tpu dialect is known for it [TPUMEM-E010]}}
    %1 = "top.Einsum"(%0, %0) {mode = "ab,ab->ab"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "top.BatchNorm"(%1) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>> {
    // expected-error @+1 {{'top.Abs' op has a quantised tensor, 'tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>': a float lowering takes none, and quantised networks have to be lowered already [TPUMEM-E005]}}
    %0 = "top.Abs"(%x) : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
    return %0 : tensor<4x!quant.uniform<i8:f32, 1.0>>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<4xindex>) -> tensor<4xindex> {
    // expected-error @+1 {{'top.Abs' op has a type that is no tensor of floats or integers: 'tensor<4xindex>' [TPUMEM-E005]}}
    %0 = "top.Abs"(%x) : (tensor<4xindex>) -> tensor<4xindex>
    return %0 : tensor<4xindex>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
    // expected-error @+1 {{'top.Pad' op: attribute 'mode' has the unknown value 'circular' [TPUMEM-E005]}}
    %0 = "top.Pad"(%x) {mode = "circular", paddings = [0, 0, 0, 0, 0, 0, 0, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    return %0 : tensor<1x4x8x8xf32>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<1x4x2x2x2x2xf32>) -> tensor<1x4x1x1x1x1xf32> {
    // expected-error @+1 {{'top.MaxPool' op has 4 spatial dimensions; 1, 2 and 3 can be lowered [TPUMEM-E005]}}
    %0 = "top.MaxPool"(%x) {kernel_shape = [2, 2, 2, 2]} : (tensor<1x4x2x2x2x2xf32>) -> tensor<1x4x1x1x1x1xf32>
    return %0 : tensor<1x4x1x1x1x1xf32>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'top.Cast' op casts to 'F8E4M3'; F32, F16, BF16 and INT32 can be lowered [TPUMEM-E005]}}
    %0 = "top.Cast"(%x) {to = "F8E4M3"} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @net {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'func.call' op cannot be lowered: it is not of the Top dialect [TPUMEM-E010]}}
    %0 = func.call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @other(tensor<4xf32>) -> tensor<4xf32>
}

// -----

module @net {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    // expected-error @+1 {{'tpu.Relu' op cannot be lowered: it is lowered already, but 'module.state' does not say so [TPUMEM-E010]}}
    %0 = "tpu.Relu"(%x) : (tensor<4xf16>) -> tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}

// -----

// Lowered already: fine for the mode it has, an error for another.
module @same attributes {module.mode = "F16", module.state = "TPU_LOWERED"} {
}

// -----

// expected-error @+1 {{the module is lowered already, to mode 'INT8', and cannot be lowered to 'F16' [TPUMEM-E005]}}
module @other attributes {module.mode = "INT8", module.state = "TPU_LOWERED"} {
}

// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" --split-input-file --verify-diagnostics

// The first thing that is wrong is said, and nothing is rewritten.
module @net {
  func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // expected-error @+1 {{'scf.execute_region' op cannot be lowered: what its regions do is not known [TPUMEM-E010]}}
    %0 = scf.execute_region -> tensor<4x8xf32> {
      scf.yield %x : tensor<4x8xf32>
    }
    return %0 : tensor<4x8xf32>
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

// Lowered already: fine for the mode it has, an error for another.
module @same attributes {module.mode = "F16", module.state = "TPU_LOWERED"} {
}

// -----

// expected-error @+1 {{the module is lowered already, to mode 'INT8', and cannot be lowered to 'F16' [TPUMEM-E005]}}
module @other attributes {module.mode = "INT8", module.state = "TPU_LOWERED"} {
}

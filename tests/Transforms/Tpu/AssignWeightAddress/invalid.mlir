// RUN: tpuc-opt %s --tpu-assign-weight-address --verify-diagnostics

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // One element more than 2^60 makes 2^65 bits and some.
    // expected-error @+1 {{has no static size in bytes; planning needs fixed shapes, sized elements and less than 2^63 bits a tensor [TPUMEM-E002]}}
    %w = "top.Weight"() : () -> tensor<1152921504606846977xf32>
    %x = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %s = "tpu.Add"(%x, %w) : (tensor<4xf32>, tensor<1152921504606846977xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}

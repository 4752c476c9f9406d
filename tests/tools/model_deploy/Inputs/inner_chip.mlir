// What there is to know of the network stands on the inner module alone.
module @net {
  module @net_0 attributes {module.chip = "bm1684x", module.mode = "F16", module.state = "TOP_F32", module.device_id = 0 : i64, module.step = 0 : i64} {
    func.func @main(%arg0: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
      %x = "top.Input"(%arg0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("x")
      %a = "top.Abs"(%x) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("a")
      %y = "top.Add"(%x, %a) {do_relu = false, is_scalar = false, relu_limit = -1.0 : f64} : (tensor<1x16x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("y")
      return %y : tensor<1x16x8x8xf32>
    }
  }
}

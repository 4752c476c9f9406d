module attributes {module.chip = "ALL", module.state = "TOP_F32", module.platform = "ONNX"} {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("x")
    %u = "top.Weight"() : () -> tensor<64x4096xf32> loc("u")
    %a = "top.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32> loc("a")
    %b = "top.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32> loc("b")
    %v = "top.Weight"() : () -> tensor<4096x64xf32> loc("v")
    %c = "top.MatMul"(%a, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32> loc("c")
    %d = "top.MatMul"(%b, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32> loc("d")
    %y = "top.Add"(%c, %d) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32> loc("y")
    return %y : tensor<1x64xf32>
  }
}

// Casts and clamps with other counts of operands and results than theirs are
// lowered as they are.
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16 chip=bm1684x" | FileCheck %s
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F32 chip=bm1684x" -o /dev/null

// CHECK-LABEL: func.func @main(
// CHECK: "tpu.Cast"()
// CHECK: "tpu.Cast"({{.*}} -> (tensor
module @m attributes {module.chip = "bm1684x", module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    %u = "top.Cast"() : () -> tensor<4x8xf32> loc("u")
    %v:2 = "top.Cast"(%x) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<f32>) loc("v")
    %y = "top.Add"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("y")
    %z:2 = "top.Relu"(%y) : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) loc("z")
    return %u, %v#0, %z#1 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  }
}

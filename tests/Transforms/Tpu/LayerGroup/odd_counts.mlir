// Ops with fewer or more operands and results than any network has are global.
// RUN: tpuc-opt %s --tpu-layer-group | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory -o /dev/null

// CHECK-LABEL: func.func @main(
// CHECK-NOT: tpu.Group
// CHECK: "tpu.Add"() : () -> tensor<4x8xi8>
module @m attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>) {
    %x = "top.Input"(%arg0) : (tensor<4x8xi8>) -> tensor<4x8xi8> loc("x")
    %none = "top.None"() : () -> none
    %a = "tpu.Add"() : () -> tensor<4x8xi8> loc("a")
    %b = "tpu.Mul"(%none) : (none) -> tensor<4x8xi8> loc("b")
    return %a, %b : tensor<4x8xi8>, tensor<4x8xi8>
  }
}

// The example of the pass's documentation.
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=BF16" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

module {
  func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x4xf32> {
    %0 = "top.None"() : () -> none
    // CHECK: %[[NONE:.*]] = "top.None"
    // CHECK-NEXT: %[[X:.*]] = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    // CHECK-NEXT: %[[XC:.*]] = "tpu.Cast"(%[[X]]) {{{.*}}} : (tensor<1x8xf32>) -> tensor<1x8xbf16> loc("xy_bf16")
    // CHECK-NEXT: %[[W:.*]] = "top.Weight"() {origin = "w"} : () -> tensor<8x4xbf16> loc("w_bf16")
    // CHECK-NEXT: %[[Y:.*]] = "tpu.MatMul"(%[[XC]], %[[W]], %[[NONE]], %[[NONE]], %[[NONE]]) {{{.*}}} : (tensor<1x8xbf16>, tensor<8x4xbf16>, none, none, none) -> tensor<1x4xbf16> loc("y")
    // CHECK-NEXT: %[[YC:.*]] = "tpu.Cast"(%[[Y]]) {{{.*}}} : (tensor<1x4xbf16>) -> tensor<1x4xf32> loc("y_f32")
    // CHECK-NEXT: return %[[YC]] : tensor<1x4xf32>
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<8x4xf32> loc("w")
    %3 = "top.MatMul"(%1, %2, %0) : (tensor<1x8xf32>, tensor<8x4xf32>, none) -> tensor<1x4xf32> loc("y")
    return %3 : tensor<1x4xf32>
  }
}

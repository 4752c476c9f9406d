// The example of the pass's documentation.
// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

module {
  // CHECK: %[[X:.*]] = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
  // CHECK-NEXT: %[[Y:.*]] = "top.SiLU"(%[[X]]) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
  // CHECK-NEXT: return %[[Y]]
  func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
    %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %1 = "top.Sigmoid"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("gate")
    %2 = "top.Mul"(%0, %1) : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
    return %2 : tensor<1x8xf32>
  }
}

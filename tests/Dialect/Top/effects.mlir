// RUN: tpuc-opt %s --cse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Weights are told apart by their locations, so two that look alike stay two;
// so do inputs. A computation without a use goes away.

// CHECK-LABEL: func.func @alike
func.func @alike(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: "top.Weight"() : () -> tensor<4xf32> loc("left")
  // CHECK-DAG: "top.Weight"() : () -> tensor<4xf32> loc("right")
  %0 = "top.Weight"() : () -> tensor<4xf32> loc("left")
  %1 = "top.Weight"() : () -> tensor<4xf32> loc("right")
  // CHECK-COUNT-2: "top.Input"
  %2 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: "top.Exp"
  %4 = "top.Exp"(%2) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-COUNT-2: "top.Add"
  %5 = "top.Add"(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = "top.Add"(%1, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %5, %6 : tensor<4xf32>, tensor<4xf32>
}

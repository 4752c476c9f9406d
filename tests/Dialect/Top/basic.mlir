// RUN: tpuc-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tpuc-opt %s | tpuc-opt | FileCheck %s --check-prefix=PLAIN

// Attributes are printed as a dictionary, and none is added.

// CHECK-LABEL: func.func @layers
func.func @layers(%arg0: tensor<1x3x8x8xf32>) -> tensor<1x4x4x4xf32> {
  // CHECK: "top.None"() : () -> none
  %none = "top.None"() : () -> none
  // CHECK: "top.Input"(%{{.*}}) {do_preprocess = false} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  %0 = "top.Input"(%arg0) {do_preprocess = false} : (tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32>
  // CHECK: "top.Weight"() {do_compress = true, path = "a.b", store_mode = "4N"} : () -> tensor<4x3x3x3xf32> loc("w")
  %w = "top.Weight"() {do_compress = true, path = "a.b", store_mode = "4N"} : () -> tensor<4x3x3x3xf32> loc("w")
  // CHECK: "top.Conv"
  // CHECK-SAME: {do_relu = false, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], relu_limit = -1.000000e+00 : f64, strides = [2, 2]}
  %1 = "top.Conv"(%0, %w, %none) {do_relu = false, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], relu_limit = -1.000000e+00 : f64, strides = [2, 2]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<1x4x4x4xf32>
  return %1 : tensor<1x4x4x4xf32>
}

// Without an attribute, with and without a trailing none.

// CHECK-LABEL: func.func @bare
// PLAIN-LABEL: func.func @bare
func.func @bare(%arg0: tensor<1x8xf32>, %arg1: tensor<8x4xf32>) {
  %none = "top.None"() : () -> none
  // CHECK: "top.MatMul"(%{{.*}}, %{{.*}}) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
  %0 = "top.MatMul"(%arg0, %arg1) : (tensor<1x8xf32>, tensor<8x4xf32>) -> tensor<1x4xf32>
  // CHECK: "top.MatMul"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<1x8xf32>, tensor<8x4xf32>, none) -> tensor<1x4xf32>
  %1 = "top.MatMul"(%arg0, %arg1, %none) : (tensor<1x8xf32>, tensor<8x4xf32>, none) -> tensor<1x4xf32>
  // CHECK: %values, %indices = "top.TopK"
  // PLAIN: %values, %indices = "top.TopK"(%{{.*}}) {K = 1 : i64, axis = 1 : i64} : (tensor<1x4xf32>) -> (tensor<1x1xf32>, none)
  %2, %3 = "top.TopK"(%0) {K = 1 : i64, axis = 1 : i64} : (tensor<1x4xf32>) -> (tensor<1x1xf32>, none)
  return
}

// An op and an attribute that this version does not know stay as they are.

// CHECK-LABEL: func.func @unknown
func.func @unknown(%arg0: tensor<4xf32>) {
  // CHECK: "top.NotYetInvented"(%{{.*}}) {level = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "top.NotYetInvented"(%arg0) {level = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "top.SiLU"(%{{.*}}) {brand_new = [1, 2]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "top.SiLU"(%0) {brand_new = [1, 2]} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%cond: tensor<1xf32>, %arg0: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: "top.If"
  %0 = "top.If"(%cond) ({
    // CHECK: "top.Yield"
    "top.Yield"(%arg0) : (tensor<4xf32>) -> ()
  }, {
    %1 = "top.Abs"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    "top.Yield"(%1) : (tensor<4xf32>) -> ()
  }) : (tensor<1xf32>) -> tensor<4xf32>
  %none = "top.None"() : () -> none
  // CHECK: "top.Loop"
  %2 = "top.Loop"(%none, %cond, %0) ({
  ^bb0(%i: tensor<1xf32>, %c: tensor<1xf32>, %state: tensor<4xf32>):
    "top.Yield"(%c, %state) : (tensor<1xf32>, tensor<4xf32>) -> ()
  }) : (none, tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

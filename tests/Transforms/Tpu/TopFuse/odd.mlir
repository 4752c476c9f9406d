// What is no network that anybody means is left as it is.
// RUN: tpuc-opt %s --top-fuse | FileCheck %s

// CHECK-LABEL: @no_operands
// CHECK-COUNT-11: "top.
func.func @no_operands() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = "top.Sigmoid"() : () -> tensor<2xf32>
  %1 = "top.Mul"(%0, %0, %0) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = "top.Permute"() : () -> tensor<2xf32>
  %3 = "top.Relu"() : () -> tensor<2xf32>
  %4 = "top.Add"(%2) : (tensor<2xf32>) -> tensor<2xf32>
  %6 = "top.Concat"(%3) {axis = 0 : si32} : (tensor<2xf32>) -> tensor<2xf32>
  %7 = "top.Mul"(%6) : (tensor<2xf32>) -> tensor<2xf32>
  %8 = "top.Add"(%7, %7) {coeff = [1.0, "a"]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %9 = "top.Scale"(%8) : (tensor<2xf32>) -> tensor<2xf32>
  %10 = "top.BatchNorm"(%9) : (tensor<2xf32>) -> tensor<2xf32>
  %11 = "top.Conv"(%10) : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %4, %11 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// No dimensions, no elements, more elements than there are numbers, shapes that
// are not known.
// CHECK-LABEL: @odd_shapes
// CHECK: return
func.func @odd_shapes(%x: tensor<f32>, %y: tensor<0x2xf32>, %z: tensor<9223372036854775807x9223372036854775807xf32>,
                      %u: tensor<*xf32>, %v: tensor<?x2xf32>)
    -> (tensor<f32>, tensor<0x2xf32>, tensor<9223372036854775807x9223372036854775807xf32>, tensor<*xf32>, tensor<?x2xf32>) {
  %n = "top.None"() : () -> none
  %0 = "top.Mul"(%x, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = "top.Reduce"(%0) {axes = [-1], keepdims = true, mode = "ReduceMean"} : (tensor<f32>) -> tensor<f32>
  %2 = "top.Rsqrt"(%1) : (tensor<f32>) -> tensor<f32>
  %3 = "top.Mul"(%x, %2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %w0 = "top.Weight"() {inline_bytes = ""} : () -> tensor<0xf32> loc("w0")
  %4 = "top.Scale"(%y, %w0, %w0) : (tensor<0x2xf32>, tensor<0xf32>, tensor<0xf32>) -> tensor<0x2xf32>
  %5 = "top.Permute"(%4) {order = [1, 0]} : (tensor<0x2xf32>) -> tensor<2x0xf32>
  %6 = "top.Permute"(%5) {order = [1, 0]} : (tensor<2x0xf32>) -> tensor<0x2xf32>
  %w1 = "top.Weight"() : () -> tensor<9223372036854775807x9223372036854775807xf32> loc("w1")
  %7 = "top.Add"(%z, %w1) : (tensor<9223372036854775807x9223372036854775807xf32>, tensor<9223372036854775807x9223372036854775807xf32>) -> tensor<9223372036854775807x9223372036854775807xf32>
  %8 = "top.LayerNorm"(%7, %n, %n) {axis = 9223372036854775807 : si64, eps = 1.0e-5 : f64} : (tensor<9223372036854775807x9223372036854775807xf32>, none, none) -> tensor<9223372036854775807x9223372036854775807xf32>
  %9 = "top.Mul"(%8, %w1) : (tensor<9223372036854775807x9223372036854775807xf32>, tensor<9223372036854775807x9223372036854775807xf32>) -> tensor<9223372036854775807x9223372036854775807xf32>
  %10 = "top.Sigmoid"(%u) : (tensor<*xf32>) -> tensor<*xf32>
  %11 = "top.Mul"(%10, %u) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %12 = "top.Sigmoid"(%v) : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %13 = "top.Mul"(%12, %v) : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %3, %6, %9, %11, %13 : tensor<f32>, tensor<0x2xf32>, tensor<9223372036854775807x9223372036854775807xf32>, tensor<*xf32>, tensor<?x2xf32>
}

// Numbers that no lists have.
// CHECK-LABEL: @odd_numbers
// CHECK: "top.Pad"
// CHECK: "top.Pad"
func.func @odd_numbers(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %0 = "top.Relu"(%x) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = "top.Pad"(%0) {paddings = [0, 0, 9223372036854775807, 0, 0, 0, 0, 0], mode = "constant", val = 0.0 : f64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = "top.MaxPool"(%1) {kernel_shape = [3, 3], strides = [9223372036854775807, 1], pads = [9223372036854775807, 1, 1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = "top.Pad"(%x) {paddings = [0, 0, 1], mode = "constant", val = 0.0 : f64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %4 = "top.AvgPool"(%3) {kernel_shape = [], strides = [1, 1], pads = [1, 1, 1, 1]} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %2, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// What is not of Top stays.
// CHECK-LABEL: @another_dialect
// CHECK: "tpu.Active"
// CHECK: "tpu.Mul"
func.func @another_dialect(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "tpu.Active"(%x) {mode = #tpu<active_mode SIGMOID>} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = "tpu.Mul"(%0, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<1x2x4x4xf32>
!p = tensor<1x2x6x5xf32>
!f = tensor<2x2x3x3xf32>

// CHECK-LABEL: @conv(
// CHECK: "top.Conv"(%arg0, %{{.*}}, %{{.*}}) {kernel_shape = [3, 3], pads = [1, 1, 2, 0], strides = [1, 1]} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @conv(%x: !t) -> tensor<1x2x5x3xf32> {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() : () -> !f loc("f")
  %0 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %y = "top.Conv"(%0, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 1, 0]} : (!p, !f, none) -> tensor<1x2x5x3xf32> loc("y")
  return %y : tensor<1x2x5x3xf32>
}

// Other numbers, other modes, channels, what is cut off, what others read, pads
// that are not resolved yet.
// CHECK-LABEL: @convs_that_stay
// CHECK-COUNT-6: "top.Pad"
func.func @convs_that_stay(%x: !t, %z: tensor<1x1x4x4xf32>, %big: tensor<1x2x8x5xf32>)
    -> (tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, !p, tensor<1x2x6x5xf32>) {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() : () -> !f loc("f2")
  %0 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 1.0 : f64} : (!t) -> !p
  %1 = "top.Conv"(%0, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0]} : (!p, !f, none) -> tensor<1x2x4x3xf32>
  %2 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "edge", val = 0.0 : f64} : (!t) -> !p
  %3 = "top.Conv"(%2, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0]} : (!p, !f, none) -> tensor<1x2x4x3xf32>
  %4 = "top.Pad"(%z) {paddings = [0, 1, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (tensor<1x1x4x4xf32>) -> !p
  %5 = "top.Conv"(%4, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0]} : (!p, !f, none) -> tensor<1x2x4x3xf32>
  %6 = "top.Pad"(%big) {paddings = [0, 0, -1, 0, 0, 0, -1, 0], mode = "constant", val = 0.0 : f64} : (tensor<1x2x8x5xf32>) -> !p
  %7 = "top.Conv"(%6, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0]} : (!p, !f, none) -> tensor<1x2x4x3xf32>
  %8 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %9 = "top.Conv"(%8, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [0, 0, 0, 0]} : (!p, !f, none) -> tensor<1x2x4x3xf32>
  %10 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %11 = "top.Conv"(%10, %f, %n) {kernel_shape = [3, 3], strides = [1, 1], auto_pad = "SAME_UPPER"} : (!p, !f, none) -> tensor<1x2x6x5xf32>
  return %1, %3, %5, %7, %9, %8, %11 : tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>, !p, tensor<1x2x6x5xf32>
}

// Zeros are not above what is never below them; the least number is above
// nothing.
// CHECK-LABEL: @max_pools
// CHECK-NOT: "top.Pad"
// CHECK: "top.MaxPool"({{.*}}) {kernel_shape = [2, 2], pads = [1, 1, 1, 0], strides = [2, 2]}
// CHECK: "top.MaxPool"(%arg0) {kernel_shape = [2, 2], pads = [1, 1, 1, 0], strides = [2, 2]}
func.func @max_pools(%x: !t) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>) {
  %r = "top.Relu"(%x) : (!t) -> !t
  %0 = "top.Pad"(%r) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %1 = "top.MaxPool"(%0) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (!p) -> tensor<1x2x3x2xf32>
  %2 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0xFFF0000000000000 : f64} : (!t) -> !p
  %3 = "top.MaxPool"(%2) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (!p) -> tensor<1x2x3x2xf32>
  return %1, %3 : tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
}

// The largest of numbers below 0 and a zero; a window of nothing but pads.
// CHECK-LABEL: @max_pools_that_stay
// CHECK-COUNT-2: "top.Pad"
func.func @max_pools_that_stay(%x: !t) -> (tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>) {
  %r = "top.Relu"(%x) : (!t) -> !t
  %0 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %1 = "top.MaxPool"(%0) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (!p) -> tensor<1x2x3x2xf32>
  %2 = "top.Pad"(%r) {paddings = [0, 0, 2, 2, 0, 0, 0, 0], mode = "constant", val = 0.0 : f64} : (!t) -> tensor<1x2x6x6xf32>
  %3 = "top.MaxPool"(%2) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32>
  return %1, %3 : tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32>
}

// CHECK-LABEL: @average
// CHECK-NEXT: "top.AvgPool"(%arg0) {count_include_pad = true, kernel_shape = [2, 1], pads = [1, 1, 1, 0], strides = [2, 1]}
func.func @average(%x: !t) -> tensor<1x2x3x5xf32> {
  %0 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %1 = "top.AvgPool"(%0) {kernel_shape = [2, 1], strides = [2, 1], pads = [0, 0, 0, 0], count_include_pad = false} : (!p) -> tensor<1x2x3x5xf32>
  return %1 : tensor<1x2x3x5xf32>
}

// The layer's own pads do not count, those of the Pad would; a last window that
// is cut off.
// CHECK-LABEL: @averages_that_stay
// CHECK-COUNT-2: "top.Pad"
func.func @averages_that_stay(%x: !t) -> (tensor<1x2x4x5xf32>, tensor<1x2x3x3xf32>) {
  %0 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %1 = "top.AvgPool"(%0) {kernel_shape = [2, 1], strides = [2, 1], pads = [1, 0, 1, 0], count_include_pad = false} : (!p) -> tensor<1x2x4x5xf32>
  %2 = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 0], mode = "constant", val = 0.0 : f64} : (!t) -> !p
  %3 = "top.AvgPool"(%2) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], ceil_mode = true} : (!p) -> tensor<1x2x3x3xf32>
  return %1, %3 : tensor<1x2x4x5xf32>, tensor<1x2x3x3xf32>
}

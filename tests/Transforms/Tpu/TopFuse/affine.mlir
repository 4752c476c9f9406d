// New numbers need a file; without one only what needs none is done, and said.
// RUN: tpuc-opt %s --top-fuse=new-weight-file=%t.npz --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tpuc-opt %s --top-fuse -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t

// REMARK: remark: 7 layers are left that might be fused if the numbers of weights were known and new ones could be kept: new numbers need a file: name one by 'new-weight-file'
// NONE: top.BatchNorm
// NONE-LABEL: @add_to_conv
// NONE-NOT: top.Add
// NONE: return

!t = tensor<1x2x3x2xf32>
!v = tensor<2xf32>
!f = tensor<2x2x1x1xf32>

// CHECK: module attributes {module.weight_file = "{{.*}}.npz"}
// CHECK-LABEL: @batch_norm_of_conv
// CHECK: %[[F:.*]] = "top.Weight"() {{.*}} loc("f1_fix")
// CHECK-NEXT: %[[B:.*]] = "top.Weight"() {{.*}} -> tensor<2xf32> loc("
// CHECK-NEXT: "top.Conv"(%arg0, %[[F]], %[[B]]) {do_relu = true, group = 1 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], relu_limit = 6.000000e+00 : f64, strides = [1, 1]} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @batch_norm_of_conv(%x: !t) -> !t {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f1")
  %a = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("mean")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("variance")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("gamma")
  %d = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("beta")
  %0 = "top.Conv"(%x, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t loc("conv")
  %y = "top.BatchNorm"(%0, %a, %b, %c, %d) {epsilon = 1.0e-5 : f64, do_relu = true, relu_limit = 6.0 : f64} : (!t, !v, !v, !v, !v) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @batch_norm_alone
// CHECK: "top.Scale"(%arg0, %{{.*}}, %{{.*}}) {do_relu = false, relu_limit = -1.000000e+00 : f64} : {{.*}} loc("alone")
func.func @batch_norm_alone(%x: !t) -> !t {
  %a = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("mean2")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("variance2")
  %n = "top.None"() : () -> none
  %y = "top.BatchNorm"(%x, %a, %b, %n, %n) : (!t, !v, !v, none, none) -> !t loc("alone")
  return %y : !t
}

// A bias of its own, a transposed convolution, groups.
// CHECK-LABEL: @scale_of_deconv
// CHECK-NOT: top.Scale
// CHECK: "top.Deconv"({{.*}} loc("scale")
func.func @scale_of_deconv(%x: !t) -> !t {
  %f = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<2x1x1x1xf32> loc("f2")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("b2")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("c2")
  %0 = "top.Deconv"(%x, %f, %b) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 2 : i64} : (!t, tensor<2x1x1x1xf32>, !v) -> !t
  %y = "top.Scale"(%0, %c, %b) : (!t, !v, !v) -> !t loc("scale")
  return %y : !t
}

// CHECK-LABEL: @scale_of_matmul
// CHECK-NOT: top.Scale
// CHECK: "top.MatMul"({{.*}} loc("scale3")
func.func @scale_of_matmul(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> tensor<2x2xf32> loc("f3")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("c3")
  %0 = "top.MatMul"(%x, %f, %n) {right_transpose = true} : (tensor<3x2xf32>, tensor<2x2xf32>, none) -> tensor<3x2xf32>
  %y = "top.Scale"(%0, %c, %n) : (tensor<3x2xf32>, !v, none) -> tensor<3x2xf32> loc("scale3")
  return %y : tensor<3x2xf32>
}

// Of three dimensions channels are rows, not columns.
// CHECK-LABEL: @scale_of_rows
// CHECK: top.Scale
func.func @scale_of_rows(%x: tensor<1x2x2xf32>) -> tensor<1x2x2xf32> {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> tensor<2x2xf32> loc("f4")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("c4")
  %0 = "top.MatMul"(%x, %f, %n) : (tensor<1x2x2xf32>, tensor<2x2xf32>, none) -> tensor<1x2x2xf32>
  %y = "top.Scale"(%0, %c, %n) : (tensor<1x2x2xf32>, !v, none) -> tensor<1x2x2xf32>
  return %y : tensor<1x2x2xf32>
}

// The filter is shared, computed, or packed; a relu is in between; the result is
// read by others.
// CHECK-LABEL: @scales_that_stay
// CHECK-COUNT-6: top.Scale
func.func @scales_that_stay(%x: !t, %z: !f) -> (!t, !t, !t, !t, !t, !t, !t) {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f5")
  %g = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f6")
  %h = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f7")
  %i = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f8")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("c5")
  %0 = "top.Conv"(%x, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %1 = "top.Scale"(%0, %c, %n) : (!t, !v, none) -> !t
  %2 = "top.Conv"(%1, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %3 = "top.Scale"(%2, %c, %n) : (!t, !v, none) -> !t
  %4 = "top.Conv"(%x, %z, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64, weight_is_coeff = 0 : i64} : (!t, !f, none) -> !t
  %5 = "top.Scale"(%4, %c, %n) : (!t, !v, none) -> !t
  %6 = "top.Conv"(%x, %g, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64, weight_bits = 4 : i64} : (!t, !f, none) -> !t
  %7 = "top.Scale"(%6, %c, %n) : (!t, !v, none) -> !t
  %8 = "top.Conv"(%x, %h, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64, do_relu = true} : (!t, !f, none) -> !t
  %9 = "top.Scale"(%8, %c, %n) : (!t, !v, none) -> !t
  %10 = "top.Conv"(%x, %i, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %11 = "top.Scale"(%10, %c, %n) : (!t, !v, none) -> !t
  return %1, %3, %5, %7, %9, %11, %10 : !t, !t, !t, !t, !t, !t, !t
}

// The weight itself is the bias, as a list where nobody else reads it.
// CHECK-LABEL: @add_to_conv
// CHECK: %[[B:.*]] = "top.Weight"() {{.*}} -> tensor<2xf32> loc("added")
// CHECK-NEXT: "top.Conv"(%arg0, %{{.*}}, %[[B]]) {{.*}}do_relu = true{{.*}} loc("sum")
// CHECK-NEXT: return
func.func @add_to_conv(%x: !t) -> !t {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f9")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<1x2x1x1xf32> loc("added")
  %0 = "top.Conv"(%x, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %y = "top.Add"(%b, %0) {do_relu = true} : (tensor<1x2x1x1xf32>, !t) -> !t loc("sum")
  return %y : !t
}

// CHECK-LABEL: @add_to_matmul
// CHECK: "top.MatMul"(%arg0, %arg1, %{{.*}}) {{.*}} loc("sum2")
// CHECK-NEXT: return
func.func @add_to_matmul(%x: tensor<1x3x2xf32>, %z: tensor<1x2x2xf32>) -> tensor<1x3x2xf32> {
  %n = "top.None"() : () -> none
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<1x1x2xf32> loc("b10")
  %0 = "top.MatMul"(%x, %z, %n) : (tensor<1x3x2xf32>, tensor<1x2x2xf32>, none) -> tensor<1x3x2xf32>
  %y = "top.Add"(%0, %b) : (tensor<1x3x2xf32>, tensor<1x1x2xf32>) -> tensor<1x3x2xf32> loc("sum2")
  return %y : tensor<1x3x2xf32>
}

// A bias and an addend are one bias.
// CHECK-LABEL: @add_to_a_bias
// CHECK: %[[B:.*]] = "top.Weight"() {{.*}} loc("b11_fix")
// CHECK-NEXT: "top.MatMul"(%arg0, %arg1, %[[B]])
func.func @add_to_a_bias(%x: tensor<3x2xf32>, %z: tensor<2x2xf32>) -> tensor<3x2xf32> {
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("b11")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("c11")
  %0 = "top.MatMul"(%x, %z, %b) : (tensor<3x2xf32>, tensor<2x2xf32>, !v) -> tensor<3x2xf32>
  %y = "top.Add"(%0, %c) : (tensor<3x2xf32>, !v) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Along another dimension; computed; a row of a product that is turned.
// CHECK-LABEL: @adds_that_stay
// CHECK-COUNT-4: top.Add
func.func @adds_that_stay(%x: !t, %z: tensor<2xf32>, %u: tensor<2x2xf32>) -> (!t, !t, tensor<2x2xf32>, tensor<2x2xf32>) {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> !f loc("f12")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("b12")
  %c = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<2x1xf32> loc("c12")
  %0 = "top.Conv"(%x, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %1 = "top.Add"(%0, %b) : (!t, !v) -> !t
  %2 = "top.Conv"(%x, %f, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!t, !f, none) -> !t
  %3 = "top.Add"(%2, %z) : (!t, !v) -> !t
  %4 = "top.MatMul"(%u, %u, %n) {output_transpose = true} : (tensor<2x2xf32>, tensor<2x2xf32>, none) -> tensor<2x2xf32>
  %5 = "top.Add"(%4, %b) : (tensor<2x2xf32>, !v) -> tensor<2x2xf32>
  %6 = "top.MatMul"(%u, %u, %n) : (tensor<2x2xf32>, tensor<2x2xf32>, none) -> tensor<2x2xf32>
  %7 = "top.Add"(%6, %c) : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  return %1, %3, %5, %7 : !t, !t, tensor<2x2xf32>, tensor<2x2xf32>
}

// Behind a Scale, too, a factor and an addend of the channels.
// CHECK-LABEL: @factor_of_scale
// CHECK: "top.Scale"(%arg0, %{{.*}}, %{{.*}}) {{.*}} loc("sum13")
// CHECK-NEXT: return
func.func @factor_of_scale(%x: !t) -> !t {
  %n = "top.None"() : () -> none
  %s = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("s13")
  %f = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<2x1x1xf32> loc("f13")
  %b = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<2x1x1xf32> loc("b13")
  %0 = "top.Scale"(%x, %s, %n) : (!t, !v, none) -> !t
  %1 = "top.Mul"(%f, %0) : (tensor<2x1x1xf32>, !t) -> !t
  %y = "top.Add"(%1, %b) : (!t, tensor<2x1x1xf32>) -> !t loc("sum13")
  return %y : !t
}

// A factor of a bias keeps that a bias is none; along rows it is none of the
// columns.
// CHECK-LABEL: @factor_of_matmul
// CHECK: %[[N:.*]] = "top.None"
// CHECK: "top.MatMul"(%arg0, %{{.*}}, %[[N]]) {{.*}} loc("product")
// CHECK: "top.Mul"
func.func @factor_of_matmul(%x: tensor<2x3x2xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xf32>) {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> tensor<2x2xf32> loc("f14")
  %g = "top.Weight"() {inline_bytes = "0000803f000000400000004000004040"} : () -> tensor<2x2xf32> loc("g14")
  %s = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> !v loc("s14")
  %t = "top.Weight"() {inline_bytes = "0000803f0000004000004040"} : () -> tensor<3x1xf32> loc("t14")
  %0 = "top.MatMul"(%x, %f, %n) : (tensor<2x3x2xf32>, tensor<2x2xf32>, none) -> tensor<2x3x2xf32>
  %1 = "top.Mul"(%0, %s) : (tensor<2x3x2xf32>, !v) -> tensor<2x3x2xf32> loc("product")
  %2 = "top.MatMul"(%x, %g, %n) : (tensor<2x3x2xf32>, tensor<2x2xf32>, none) -> tensor<2x3x2xf32>
  %3 = "top.Mul"(%2, %t) : (tensor<2x3x2xf32>, tensor<3x1xf32>) -> tensor<2x3x2xf32>
  return %1, %3 : tensor<2x3x2xf32>, tensor<2x3x2xf32>
}

// Of a vector on the right the result has no columns: these are rows.
// CHECK-LABEL: @add_to_rows
// CHECK: "top.Add"
func.func @add_to_rows(%x: tensor<4x3x2xf32>) -> tensor<4x3xf32> {
  %n = "top.None"() : () -> none
  %f = "top.Weight"() {inline_bytes = "0000803f00000040"} : () -> tensor<2xf32> loc("f15")
  %b = "top.Weight"() {inline_bytes = "0000803f0000004000004040"} : () -> tensor<3xf32> loc("b15")
  %0 = "top.MatMul"(%x, %f, %n) : (tensor<4x3x2xf32>, tensor<2xf32>, none) -> tensor<4x3xf32>
  %1 = "top.Add"(%0, %b) : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<2x8xf32>
!row = tensor<1x8xf32>

// CHECK-LABEL: @silu(
// CHECK-NEXT: %[[Y:.*]] = "top.SiLU"(%arg0) : {{.*}} loc("y")
// CHECK-NEXT: return %[[Y]]
func.func @silu(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) {scale = 1.0 : f64, bias = 0.0 : f64, log = false} : (!t) -> !t loc("g")
  %y = "top.Mul"(%g, %x) {do_relu = false} : (!t, !t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @silu_of_the_logarithm
// CHECK-NOT: SiLU
func.func @silu_of_the_logarithm(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) {log = true} : (!t) -> !t
  %y = "top.Mul"(%g, %x) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_scaled_gate
// CHECK-NOT: SiLU
func.func @silu_scaled_gate(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) {scale = 2.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%g, %x) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_biased_gate
// CHECK-NOT: SiLU
func.func @silu_biased_gate(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) {bias = 1.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%g, %x) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_of_another
// CHECK-NOT: SiLU
func.func @silu_of_another(%x: !t, %z: !t) -> !t {
  %g = "top.Sigmoid"(%x) : (!t) -> !t
  %y = "top.Mul"(%g, %z) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_with_a_reader
// CHECK-NOT: SiLU
func.func @silu_with_a_reader(%x: !t) -> (!t, !t) {
  %g = "top.Sigmoid"(%x) : (!t) -> !t
  %y = "top.Mul"(%g, %x) : (!t, !t) -> !t
  return %y, %g : !t, !t
}

// CHECK-LABEL: @silu_with_a_relu
// CHECK-NOT: SiLU
func.func @silu_with_a_relu(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) : (!t) -> !t
  %y = "top.Mul"(%g, %x) {do_relu = true} : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_with_coefficients
// CHECK-NOT: SiLU
func.func @silu_with_coefficients(%x: !t) -> !t {
  %g = "top.Sigmoid"(%x) : (!t) -> !t
  %y = "top.Mul"(%g, %x) {coeff = [2.0, 1.0]} : (!t, !t) -> !t
  return %y : !t
}

// A shape that spreads over the other is no gate.
// CHECK-LABEL: @silu_that_spreads
// CHECK-NOT: SiLU
func.func @silu_that_spreads(%x: !row, %z: !t) -> !t {
  %g = "top.Sigmoid"(%x) : (!row) -> !row
  %s = "top.Add"(%x, %z) : (!row, !t) -> !t
  %y = "top.Mul"(%g, %s) : (!row, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @silu_of_integers
// CHECK-NOT: SiLU
func.func @silu_of_integers(%x: tensor<2xi8>) -> tensor<2xi8> {
  %g = "top.Sigmoid"(%x) : (tensor<2xi8>) -> tensor<2xi8>
  %y = "top.Mul"(%g, %x) : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %y : tensor<2xi8>
}

// Not from one block into another: a branch may not run.
// CHECK-LABEL: @silu_across_blocks
// CHECK-NOT: SiLU
func.func @silu_across_blocks(%c: tensor<1xf32>, %x: !t) -> !t {
  %g = "top.Sigmoid"(%x) : (!t) -> !t
  %r = "top.If"(%c) ({
    %y = "top.Mul"(%g, %x) : (!t, !t) -> !t
    "top.Yield"(%y) : (!t) -> ()
  }, {
    "top.Yield"(%x) : (!t) -> ()
  }) : (tensor<1xf32>) -> !t
  return %r : !t
}

// CHECK-LABEL: @gelu_sigmoid(
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "sigm"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_sigmoid(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 1.702 : f64} : (!t) -> !t
  %g = "top.Sigmoid"(%0) : (!t) -> !t
  %y = "top.Mul"(%x, %g) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// Another factor, and one that is added.
// CHECK-LABEL: @gelu_sigmoid_other_gates
// CHECK-NOT: GELU
// CHECK-NOT: SiLU
func.func @gelu_sigmoid_other_gates(%x: !t) -> (!t, !t) {
  %0 = "top.MulConst"(%x) {const_val = 1.7 : f64} : (!t) -> !t
  %1 = "top.Sigmoid"(%0) : (!t) -> !t
  %2 = "top.Mul"(%x, %1) : (!t, !t) -> !t
  %3 = "top.MulConst"(%x) {const_val = 1.702 : f64} : (!t) -> !t
  %4 = "top.AddConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t
  %5 = "top.Sigmoid"(%4) : (!t) -> !t
  %6 = "top.Mul"(%x, %5) : (!t, !t) -> !t
  return %2, %6 : !t, !t
}

// CHECK-LABEL: @gelu_erf
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "normal"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_erf(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.70710678 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.Mul"(%x, %2) : (!t, !t) -> !t
  %y = "top.MulConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t loc("y")
  return %y : !t
}

// x * 0.5 * (1 + erf(x / sqrt 2)), with divisions.
// CHECK-LABEL: @gelu_erf_divided
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "normal"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_erf_divided(%x: !t) -> !t {
  %0 = "top.DivConst"(%x) {const_val = 1.41421356 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.DivConst"(%x) {const_val = 2.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%3, %2) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @gelu_half_in_the_gate
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "normal"} : {{.*}} loc("y")
func.func @gelu_half_in_the_gate(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.70710678 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.MulConst"(%1) {const_val = 0.5 : f64} : (!t) -> !t
  %3 = "top.AddConst"(%2) {const_val = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%3, %x) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// Constants that are weights: of one element, and all elements alike.
// CHECK-LABEL: @gelu_of_weights
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "normal"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_of_weights(%x: !t) -> !t {
  %half = "top.Weight"() {inline_bytes = "0000003f"} : () -> tensor<1xf32> loc("half")
  %one = "top.Weight"() {inline_bytes = "0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000803f"} : () -> tensor<8xf32> loc("one")
  %root = "top.Weight"() {inline_bytes = "f304b53f"} : () -> tensor<1x1xf32> loc("root")
  %0 = "top.Div"(%x, %root) : (!t, tensor<1x1xf32>) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.Add"(%one, %1) : (tensor<8xf32>, !t) -> !t
  %3 = "top.Mul"(%x, %half) : (!t, tensor<1xf32>) -> !t
  %y = "top.Mul"(%3, %2) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @gelu_of_unequal_weights
// CHECK-NOT: GELU
func.func @gelu_of_unequal_weights(%x: !t) -> !t {
  %one = "top.Weight"() {inline_bytes = "0000803f0000803f0000803f0000803f0000803f0000803f0000803f0000813f"} : () -> tensor<8xf32> loc("other")
  %0 = "top.MulConst"(%x) {const_val = 0.70710678 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.Add"(%one, %1) : (tensor<8xf32>, !t) -> !t
  %3 = "top.MulConst"(%x) {const_val = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%3, %2) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @gelu_other_root
// CHECK-NOT: GELU
func.func @gelu_other_root(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.7072 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.Mul"(%x, %2) : (!t, !t) -> !t
  %y = "top.MulConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t
  return %y : !t
}

// CHECK-LABEL: @gelu_not_halved
// CHECK-NOT: GELU
func.func @gelu_not_halved(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.70710678 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%x, %2) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @gelu_minus_one
// CHECK-NOT: GELU
func.func @gelu_minus_one(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.70710678 : f64} : (!t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.SubConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.Mul"(%x, %2) : (!t, !t) -> !t
  %y = "top.MulConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t
  return %y : !t
}

// CHECK-LABEL: @gelu_tanh
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "tanh"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_tanh(%x: !t) -> !t {
  %0 = "top.Pow"(%x) {exponent = 3.0 : f64} : (!t) -> !t
  %1 = "top.MulConst"(%0) {const_val = 0.044715 : f64} : (!t) -> !t
  %2 = "top.Add"(%x, %1) : (!t, !t) -> !t
  %3 = "top.MulConst"(%2) {const_val = 0.7978845608 : f64} : (!t) -> !t
  %4 = "top.Tanh"(%3) : (!t) -> !t
  %5 = "top.AddConst"(%4) {const_val = 1.0 : f64} : (!t) -> !t
  %6 = "top.MulConst"(%x) {const_val = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%6, %5) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// sqrt(2 / pi) * x * (1 + 0.044715 * x * x)
// CHECK-LABEL: @gelu_tanh_factored
// CHECK-NEXT: "top.GELU"(%arg0) {approx_mode = "tanh"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @gelu_tanh_factored(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.044715 : f64} : (!t) -> !t
  %1 = "top.Mul"(%0, %x) : (!t, !t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.MulConst"(%x) {const_val = 0.7978845608 : f64} : (!t) -> !t
  %4 = "top.Mul"(%3, %2) : (!t, !t) -> !t
  %5 = "top.Tanh"(%4) : (!t) -> !t
  %6 = "top.AddConst"(%5) {const_val = 1.0 : f64} : (!t) -> !t
  %7 = "top.Mul"(%x, %6) : (!t, !t) -> !t
  %y = "top.MulConst"(%7) {const_val = 0.5 : f64} : (!t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @gelu_tanh_of_a_square
// CHECK-NOT: GELU
func.func @gelu_tanh_of_a_square(%x: !t) -> !t {
  %0 = "top.Pow"(%x) {exponent = 2.0 : f64} : (!t) -> !t
  %1 = "top.MulConst"(%0) {const_val = 0.044715 : f64} : (!t) -> !t
  %2 = "top.Add"(%x, %1) : (!t, !t) -> !t
  %3 = "top.MulConst"(%2) {const_val = 0.7978845608 : f64} : (!t) -> !t
  %4 = "top.Tanh"(%3) : (!t) -> !t
  %5 = "top.AddConst"(%4) {const_val = 1.0 : f64} : (!t) -> !t
  %6 = "top.MulConst"(%x) {const_val = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%6, %5) : (!t, !t) -> !t
  return %y : !t
}

// Divided by x: no polynomial.
// CHECK-LABEL: @gelu_of_a_quotient
// CHECK-NOT: GELU
func.func @gelu_of_a_quotient(%x: !t) -> !t {
  %0 = "top.Div"(%x, %x) : (!t, !t) -> !t
  %1 = "top.Erf"(%0) : (!t) -> !t
  %2 = "top.AddConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.Mul"(%x, %2) : (!t, !t) -> !t
  %y = "top.MulConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t
  return %y : !t
}

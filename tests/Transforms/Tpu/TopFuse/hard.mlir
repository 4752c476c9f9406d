// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<2x8xf32>

// CHECK-LABEL: @sigmoid(
// CHECK-NEXT: "top.HardSigmoid"(%arg0) {alpha = 0.1{{6+[0-9]*}} : f64, beta = 5.0{{0*}}e-01 : f64} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @sigmoid(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %y = "top.MulConst"(%1) {const_val = 0.16666666666666666 : f64} : (!t) -> !t loc("y")
  return %y : !t
}

// max(0, min(1, 0.2 x + 0.5)), as the function body of ONNX.
// CHECK-LABEL: @sigmoid_of_a_body
// CHECK-NEXT: "top.HardSigmoid"(%arg0) {alpha = 2.0{{.*}}e-01 : f64, beta = 5.0{{.*}}e-01 : f64}
// CHECK-NEXT: return
func.func @sigmoid_of_a_body(%x: !t) -> !t {
  %0 = "top.MulConst"(%x) {const_val = 0.2 : f64} : (!t) -> !t
  %1 = "top.AddConst"(%0) {const_val = 0.5 : f64} : (!t) -> !t
  %2 = "top.MinConst"(%1) {const_val = 1.0 : f64} : (!t) -> !t
  %3 = "top.MaxConst"(%2) {const_val = 0.0 : f64} : (!t) -> !t
  return %3 : !t
}

// The relu is in the sum already.
// CHECK-LABEL: @sigmoid_of_a_fused_relu
// CHECK-NEXT: "top.HardSigmoid"(%arg0)
// CHECK-NEXT: return
func.func @sigmoid_of_a_fused_relu(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64, do_relu = true, relu_limit = 6.0 : f64} : (!t) -> !t
  %1 = "top.DivConst"(%0) {const_val = 6.0 : f64} : (!t) -> !t
  return %1 : !t
}

// Up to 5 / 6 only.
// CHECK-LABEL: @sigmoid_other_limit
// CHECK-NOT: HardSigmoid
func.func @sigmoid_other_limit(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 5.0 : f64} : (!t) -> !t
  %2 = "top.MulConst"(%1) {const_val = 0.16666666666666666 : f64} : (!t) -> !t
  return %2 : !t
}

// From -1 / 6 on.
// CHECK-LABEL: @sigmoid_other_start
// CHECK-NOT: HardSigmoid
func.func @sigmoid_other_start(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = -1.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %2 = "top.MulConst"(%1) {const_val = 0.16666666666666666 : f64} : (!t) -> !t
  return %2 : !t
}

// Without an end, at the top or at the bottom.
// CHECK-LABEL: @sigmoid_without_an_end
// CHECK-NOT: HardSigmoid
func.func @sigmoid_without_an_end(%x: !t) -> (!t, !t, !t) {
  %0 = "top.MulConst"(%x) {const_val = 0.2 : f64} : (!t) -> !t
  %1 = "top.AddConst"(%0) {const_val = 0.5 : f64} : (!t) -> !t
  %2 = "top.MaxConst"(%1) {const_val = 0.0 : f64} : (!t) -> !t
  %3 = "top.MulConst"(%x) {const_val = 0.2 : f64} : (!t) -> !t
  %4 = "top.AddConst"(%3) {const_val = 0.5 : f64} : (!t) -> !t
  %5 = "top.Relu"(%4) : (!t) -> !t
  %6 = "top.MulConst"(%x) {const_val = 0.2 : f64} : (!t) -> !t
  %7 = "top.AddConst"(%6) {const_val = 0.5 : f64} : (!t) -> !t
  %8 = "top.MinConst"(%7) {const_val = 1.0 : f64} : (!t) -> !t
  return %2, %5, %8 : !t, !t, !t
}

// Falls where it should rise.
// CHECK-LABEL: @sigmoid_negative
// CHECK-NOT: HardSigmoid
func.func @sigmoid_negative(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %2 = "top.MulConst"(%1) {const_val = -0.16666666666666666 : f64} : (!t) -> !t
  %3 = "top.AddConst"(%2) {const_val = 1.0 : f64} : (!t) -> !t
  return %3 : !t
}

// Nothing is added: a relu6 and a factor, which others can take.
// CHECK-LABEL: @relu6_and_a_factor
// CHECK-NOT: HardSigmoid
func.func @relu6_and_a_factor(%x: !t) -> !t {
  %0 = "top.Relu"(%x) {relu_limit = 6.0 : f64} : (!t) -> !t
  %1 = "top.MulConst"(%0) {const_val = 0.16666666666666666 : f64} : (!t) -> !t
  return %1 : !t
}

// CHECK-LABEL: @sigmoid_with_a_reader
// CHECK-NOT: HardSigmoid
func.func @sigmoid_with_a_reader(%x: !t) -> (!t, !t) {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %2 = "top.MulConst"(%1) {const_val = 0.16666666666666666 : f64} : (!t) -> !t
  return %2, %1 : !t, !t
}

// CHECK-LABEL: @swish(
// CHECK-NEXT: "top.HardSwish"(%arg0) : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @swish(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Relu"(%0) {relu_limit = 6.0 : f64} : (!t) -> !t
  %2 = "top.Mul"(%x, %1) : (!t, !t) -> !t
  %y = "top.MulConst"(%2) {const_val = 0.16666666666666666 : f64} : (!t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @swish_divided_first
// CHECK-NEXT: "top.HardSwish"(%arg0)
// CHECK-NEXT: return
func.func @swish_divided_first(%x: !t) -> !t {
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %2 = "top.DivConst"(%1) {const_val = 6.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%2, %x) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @swish_of_a_gate
// CHECK-NEXT: "top.HardSwish"(%arg0)
// CHECK-NEXT: return
func.func @swish_of_a_gate(%x: !t) -> !t {
  %0 = "top.HardSigmoid"(%x) {alpha = 0.1666666716337204 : f64, beta = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%x, %0) : (!t, !t) -> !t
  return %y : !t
}

// What is a number more than another is still x.
// CHECK-LABEL: @swish_of_a_sum
// CHECK-NEXT: %[[X:.*]] = "top.AddConst"
// CHECK-NEXT: "top.HardSwish"(%[[X]])
// CHECK-NEXT: return
func.func @swish_of_a_sum(%z: !t) -> !t {
  %x = "top.AddConst"(%z) {const_val = 1.0 : f64} : (!t) -> !t
  %0 = "top.AddConst"(%x) {const_val = 3.0 : f64} : (!t) -> !t
  %1 = "top.Clip"(%0) {min = 0.0 : f64, max = 6.0 : f64} : (!t) -> !t
  %2 = "top.DivConst"(%1) {const_val = 6.0 : f64} : (!t) -> !t
  %y = "top.Mul"(%2, %x) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @swish_of_another_gate
// CHECK-NOT: HardSwish
func.func @swish_of_another_gate(%x: !t) -> !t {
  %0 = "top.HardSigmoid"(%x) {alpha = 0.2 : f64, beta = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%x, %0) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @swish_of_another
// CHECK-NOT: HardSwish
func.func @swish_of_another(%x: !t, %z: !t) -> !t {
  %0 = "top.HardSigmoid"(%x) {alpha = 0.16666666666666666 : f64, beta = 0.5 : f64} : (!t) -> !t
  %y = "top.Mul"(%z, %0) : (!t, !t) -> !t
  return %y : !t
}

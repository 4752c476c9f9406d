// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F32" --split-input-file --verify-diagnostics | FileCheck %s

// What the Tpu op has not, it says in its own words.

// CHECK-LABEL: func.func @words
func.func @words(%x: tensor<2x4xf32>) {
  // CHECK: "tpu.Active"({{.*}}) {coeffs = [5.000000e-01], mode = #tpu<active_mode SWISH>}
  %0 = "top.Swish"(%x) {beta = 0.5 : f64, round_mode = "HalfUp"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Active"({{.*}}) {mode = #tpu<active_mode TGELU>}
  %1 = "top.GELU"(%x) {approx_mode = "TANH"} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Active"({{.*}}) {bias = 0.000000e+00 : f64, mode = #tpu<active_mode SIGMOID>, scale = 1.000000e+00 : f64}
  %2 = "top.Sigmoid"(%x) {bias = 0.0 : f64, scale = 1.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.MulConst"({{.*}}) {const_val = 2.500000e-01 : f64, do_relu = true, multiplier = 1 : si32, relu_limit = -1.000000e+00 : f64, rshift = 0 : si32}
  %3 = "top.DivConst"(%x) {const_val = 4.0 : f64, is_reverse = false} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "top.Relu"(%3) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Reciprocal"({{.*}}) {const_val = 4.000000e+00 : f64}
  %5 = "top.DivConst"(%x) {const_val = 4.0 : f64, is_reverse = true} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Active"({{.*}}) {mode = #tpu<active_mode SQUARE>}
  %6 = "top.Pow"(%x) {exponent = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Active"({{.*}}) {mode = #tpu<active_mode SQRT>}
  %7 = "top.Pow"(%x) {exponent = 0.5 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Permute"(%arg0, %{{.*}}) {order = [1, 0]} : (tensor<2x4xf32>, none) -> tensor<4x2xf32>
  %8 = "top.Transpose"(%x) {dim0 = 0 : si32, dim1 = -1 : si32} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  // CHECK: "tpu.Reshape"
  %9 = "top.Reshape"(%x) : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "tpu.Tile"(%{{.*}}, %{{.*}}, %{{.*}}) {tile = [1, 3, 1]} : (tensor<2x1x4xf32>, none, none) -> tensor<2x3x4xf32>
  %10 = "top.Expand"(%9) {shape = [2, 3, 4]} : (tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @range
func.func @range(%a: tensor<1xf32>, %b: tensor<1xf32>, %c: tensor<1xf32>) -> tensor<8xf32> {
  // CHECK: "tpu.Range"(%arg0, %arg1, %arg2) :
  %0 = "top.Arange"(%a, %b, %c) : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @parts
func.func @parts(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2x3x4xf32>) {
  // CHECK: "tpu.Slice"(%arg0, {{.*}}) {axes = [], ends = [2, 1], offset = [0, 0], steps = [1, 1]} : {{.*}} -> tensor<2x1xf32>
  // CHECK: "tpu.Slice"(%arg0, {{.*}}) {axes = [], ends = [2, 4], offset = [0, 1], steps = [1, 1]} : {{.*}} -> tensor<2x3xf32>
  %0:2 = "top.Split"(%x) {axis = -1 : si32, num = 2 : i64, split_size = [1, 3]} : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
  // CHECK: %[[P:.*]] = "tpu.Slice"(%arg0, {{.*}}) {axes = [], ends = [2, 1], offset = [0, 0], steps = [1, 1]} : {{.*}} -> tensor<2x1xf32>
  // CHECK: "tpu.Squeeze"(%[[P]]) {axes = [1]} : (tensor<2x1xf32>) -> tensor<2xf32>
  %1:4 = "top.Unpack"(%x) {axis = 1 : si32} : (tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // CHECK-COUNT-3: "tpu.Unsqueeze"(%arg0) {axes = [1]} : (tensor<2x4xf32>) -> tensor<2x1x4xf32>
  // CHECK: "tpu.Concat"({{.*}}) {axis = 1 : si32, only_merge = false} : (tensor<2x1x4xf32>, tensor<2x1x4xf32>, tensor<2x1x4xf32>) -> tensor<2x3x4xf32>
  %2 = "top.Pack"(%x, %x, %x) {axis = 1 : si32, values_count = 3 : i64} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x3x4xf32>
  return %0#0, %0#1, %1#3, %2 : tensor<2x1xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<2x3x4xf32>
}

// -----

// What no Tpu op does is said.

// CHECK-LABEL: func.func @remarks
func.func @remarks(%x: tensor<2x4xf32>) {
  // expected-remark @+2 {{'top.Mod' has no rule: it becomes 'tpu.Mod' with the same attributes}}
  // CHECK: "tpu.Mod"
  %0 = "top.Mod"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{'top.Pow2' has no rule: it becomes 'tpu.Pow2'}}
  %1 = "top.Pow2"(%x) {const_val = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+2 {{'top.Pow' has no rule for such operands and attributes: it becomes 'tpu.Pow' with the same attributes}}
  // CHECK: "tpu.Pow"({{.*}}) {exponent = 3.000000e+00 : f64}
  %2 = "top.Pow"(%x) {exponent = 3.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+2 {{'top.Sigmoid' has no rule for such operands and attributes}}
  // CHECK: "tpu.Sigmoid"({{.*}}) {scale = 2.000000e+00 : f64}
  %3 = "top.Sigmoid"(%x) {scale = 2.0 : f64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+2 {{'top.Expand' has no rule for such operands and attributes}}
  // CHECK: "tpu.Expand"({{.*}}) {shape = [3, 2, 4]}
  %4 = "top.Expand"(%x) {shape = [3, 2, 4]} : (tensor<2x4xf32>) -> tensor<3x2x4xf32>
  // expected-remark @+2 {{'top.Shape' has no rule for such operands and attributes}}
  // CHECK: "tpu.Shape"({{.*}}) {end = 1 : i64} : (tensor<2x4xf32>) -> tensor<1xi32>
  %5 = "top.Shape"(%x) {end = 1 : i64} : (tensor<2x4xf32>) -> tensor<1xf32>
  // expected-remark @+2 {{'top.Split' has no rule: it becomes 'tpu.Split'}}
  // CHECK: "tpu.Split"
  %6:2 = "top.Split"(%x) {axis = 5 : si32} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  // expected-remark @+1 {{'top.PRelu' has no rule: it becomes 'tpu.PRelu'}}
  %7 = "top.PRelu"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-remark @+1 {{'top.Variance' has no rule: it becomes 'tpu.Variance'}}
  %8 = "top.Variance"(%x) {reduce_list = [1], correction = 1.0 : f64} : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

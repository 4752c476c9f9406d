// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<2x3x8xf32>
!m = tensor<2x3x1xf32>
!n = tensor<2x1x1xf32>
!w = tensor<8xf32>

// With a factor and an addend; the layer is called as the last one.
// CHECK-LABEL: @layer(
// CHECK-DAG: %[[NONE:.*]] = "top.None"
// CHECK-DAG: %[[G:.*]] = "top.Weight"() {{.*}} loc("gamma")
// CHECK-DAG: %[[B:.*]] = "top.Weight"() {{.*}} loc("beta")
// CHECK-NEXT: %[[Y:.*]] = "top.LayerNorm"(%arg0, %[[G]], %[[B]]) {axis = 2 : si32, eps = 1.000000e-05 : f64, normalized_shape = []} : {{.*}} loc("y")
// CHECK-NEXT: return %[[Y]]
func.func @layer(%x: !t) -> !t {
  %g = "top.Weight"() : () -> !w loc("gamma")
  %b = "top.Weight"() : () -> !w loc("beta")
  %0 = "top.Reduce"(%x) {axes = [-1], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Pow"(%1) {exponent = 2.0 : f64} : (!t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %5 = "top.Sqrt"(%4) : (!m) -> !m
  %6 = "top.Div"(%1, %5) : (!t, !m) -> !t
  %7 = "top.Mul"(%6, %g) : (!t, !w) -> !t
  %y = "top.Add"(%b, %7) : (!w, !t) -> !t loc("y")
  return %y : !t
}

// Rows of two dimensions; the variance as the mean of squares less the square of
// the mean; a product with one over the root.
// CHECK-LABEL: @layer_of_two_dimensions
// CHECK: "top.LayerNorm"(%arg0, %{{.*}}, %{{.*}}) {axis = 1 : si32
// CHECK-NEXT: return
func.func @layer_of_two_dimensions(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [1, 2], keepdims = true, mode = "ReduceMean"} : (!t) -> !n
  %1 = "top.Mul"(%x, %x) : (!t, !t) -> !t
  %2 = "top.Reduce"(%1) {axes = [2, 1], keepdims = true, mode = "ReduceMean"} : (!t) -> !n
  %3 = "top.Mul"(%0, %0) : (!n, !n) -> !n
  %4 = "top.Sub"(%2, %3) : (!n, !n) -> !n
  %5 = "top.AddConst"(%4) {const_val = 1.0e-5 : f64} : (!n) -> !n
  %6 = "top.Sqrt"(%5) : (!n) -> !n
  %7 = "top.Reciprocal"(%6) {const_val = 1.0 : f64} : (!n) -> !n
  %8 = "top.Sub"(%x, %0) : (!t, !n) -> !t
  %y = "top.Mul"(%7, %8) : (!n, !t) -> !t
  return %y : !t
}

// Beside the root epsilon means something else.
// CHECK-LABEL: @layer_epsilon_outside
// CHECK-NOT: LayerNorm
func.func @layer_epsilon_outside(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %4 = "top.Sqrt"(%3) : (!m) -> !m
  %5 = "top.AddConst"(%4) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %y = "top.Div"(%1, %5) : (!t, !m) -> !t
  return %y : !t
}

// CHECK-LABEL: @layer_negative_epsilon
// CHECK-NOT: LayerNorm
func.func @layer_negative_epsilon(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %4 = "top.SubConst"(%3) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %5 = "top.Sqrt"(%4) : (!m) -> !m
  %y = "top.Div"(%1, %5) : (!t, !m) -> !t
  return %y : !t
}

// Of other dimensions than the last ones: no row of the layer.
// CHECK-LABEL: @layer_of_the_middle
// CHECK-NOT: LayerNorm
func.func @layer_of_the_middle(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [1], keepdims = true, mode = "ReduceMean"} : (!t) -> tensor<2x1x8xf32>
  %1 = "top.Sub"(%x, %0) : (!t, tensor<2x1x8xf32>) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [1], keepdims = true, mode = "ReduceMean"} : (!t) -> tensor<2x1x8xf32>
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %5 = "top.Sqrt"(%4) : (tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  %y = "top.Div"(%1, %5) : (!t, tensor<2x1x8xf32>) -> !t
  return %y : !t
}

// CHECK-LABEL: @layer_of_two_rows
// CHECK-NOT: LayerNorm
func.func @layer_of_two_rows(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [1, 2], keepdims = true, mode = "ReduceMean"} : (!t) -> !n
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (!n) -> !n
  %5 = "top.Sqrt"(%4) : (!n) -> !n
  %y = "top.Div"(%1, %5) : (!t, !n) -> !t
  return %y : !t
}

// CHECK-LABEL: @layer_of_sums
// CHECK-NOT: LayerNorm
func.func @layer_of_sums(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceSum"} : (!t) -> !m
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %5 = "top.Sqrt"(%4) : (!m) -> !m
  %y = "top.Div"(%1, %5) : (!t, !m) -> !t
  return %y : !t
}

// mean - x
// CHECK-LABEL: @layer_the_other_way
// CHECK-NOT: LayerNorm
func.func @layer_the_other_way(%x: !t) -> !t {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) {is_reverse = true} : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %5 = "top.Sqrt"(%4) : (!m) -> !m
  %y = "top.Div"(%1, %5) : (!t, !m) -> !t
  return %y : !t
}

// CHECK-LABEL: @layer_with_a_reader
// CHECK-NOT: LayerNorm
func.func @layer_with_a_reader(%x: !t) -> (!t, !m) {
  %0 = "top.Reduce"(%x) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %1 = "top.Sub"(%x, %0) : (!t, !m) -> !t
  %2 = "top.Mul"(%1, %1) : (!t, !t) -> !t
  %3 = "top.Reduce"(%2) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %4 = "top.AddConst"(%3) {const_val = 1.0e-5 : f64} : (!m) -> !m
  %5 = "top.Sqrt"(%4) : (!m) -> !m
  %y = "top.Div"(%1, %5) : (!t, !m) -> !t
  return %y, %5 : !t, !m
}

// CHECK-LABEL: @rms(
// CHECK: %[[G:.*]] = "top.Weight"() {{.*}} loc("factor")
// CHECK-NEXT: "top.RMSNorm"(%arg0, %[[G]]) {eps = 9.9{{[0-9]*}}E-7 : f64, weight_keep_f32 = false} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @rms(%x: !t) -> !t {
  %g = "top.Weight"() : () -> tensor<1x1x8xf32> loc("factor")
  %0 = "top.Mul"(%x, %x) : (!t, !t) -> !t
  %1 = "top.Reduce"(%0) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %2 = "top.AddConst"(%1) {const_val = 1.0e-6 : f64} : (!m) -> !m
  %3 = "top.Rsqrt"(%2) : (!m) -> !m
  %4 = "top.Mul"(%x, %3) : (!t, !m) -> !t
  %y = "top.Mul"(%g, %4) : (tensor<1x1x8xf32>, !t) -> !t loc("y")
  return %y : !t
}

// The layer knows rows of one dimension only.
// CHECK-LABEL: @rms_of_two_dimensions
// CHECK-NOT: RMSNorm
func.func @rms_of_two_dimensions(%x: !t) -> !t {
  %0 = "top.Mul"(%x, %x) : (!t, !t) -> !t
  %1 = "top.Reduce"(%0) {axes = [1, 2], keepdims = true, mode = "ReduceMean"} : (!t) -> !n
  %2 = "top.AddConst"(%1) {const_val = 1.0e-6 : f64} : (!n) -> !n
  %3 = "top.Rsqrt"(%2) : (!n) -> !n
  %4 = "top.Mul"(%x, %3) : (!t, !n) -> !t
  return %4 : !t
}

// x * sqrt(..)
// CHECK-LABEL: @rms_times_the_root
// CHECK-NOT: RMSNorm
func.func @rms_times_the_root(%x: !t) -> !t {
  %0 = "top.Mul"(%x, %x) : (!t, !t) -> !t
  %1 = "top.Reduce"(%0) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %2 = "top.AddConst"(%1) {const_val = 1.0e-6 : f64} : (!m) -> !m
  %3 = "top.Sqrt"(%2) : (!m) -> !m
  %4 = "top.Mul"(%x, %3) : (!t, !m) -> !t
  return %4 : !t
}

// CHECK-LABEL: @rms_of_another
// CHECK-NOT: RMSNorm
func.func @rms_of_another(%x: !t, %z: !t) -> !t {
  %0 = "top.Mul"(%z, %z) : (!t, !t) -> !t
  %1 = "top.Reduce"(%0) {axes = [2], keepdims = true, mode = "ReduceMean"} : (!t) -> !m
  %2 = "top.AddConst"(%1) {const_val = 1.0e-6 : f64} : (!m) -> !m
  %3 = "top.Rsqrt"(%2) : (!m) -> !m
  %4 = "top.Mul"(%x, %3) : (!t, !m) -> !t
  return %4 : !t
}

// What is no row, or is computed, stays outside; so does a factor behind an
// addend.
// CHECK-LABEL: @factors_that_stay
// CHECK: "top.Mul"
// CHECK: "top.Mul"
// CHECK: "top.Mul"
// CHECK: "top.Mul"
// CHECK: return
func.func @factors_that_stay(%x: !t, %z: !w) -> (!t, !t, !t, !t) {
  %none = "top.None"() : () -> none
  %b = "top.Weight"() : () -> !w loc("b")
  %g = "top.Weight"() : () -> tensor<2x1x8xf32> loc("g")
  %column = "top.Weight"() : () -> tensor<3x1xf32> loc("column")
  %0 = "top.LayerNorm"(%x, %none, %none) {axis = 2 : si32, eps = 1.0e-5 : f64} : (!t, none, none) -> !t
  %1 = "top.Mul"(%0, %z) : (!t, !w) -> !t
  %2 = "top.LayerNorm"(%x, %none, %none) {axis = 2 : si32, eps = 1.0e-4 : f64} : (!t, none, none) -> !t
  %3 = "top.Mul"(%2, %g) : (!t, tensor<2x1x8xf32>) -> !t
  %4 = "top.LayerNorm"(%x, %none, %none) {axis = 2 : si32, eps = 1.0e-3 : f64} : (!t, none, none) -> !t
  %5 = "top.Mul"(%4, %column) : (!t, tensor<3x1xf32>) -> !t
  %6 = "top.LayerNorm"(%x, %none, %b) {axis = 2 : si32, eps = 1.0e-2 : f64} : (!t, none, !w) -> !t
  %7 = "top.Mul"(%6, %b) : (!t, !w) -> !t
  return %1, %3, %5, %7 : !t, !t, !t, !t
}

// Rows that a reshape makes are those of the last two dimensions.
// CHECK-LABEL: @rows_of_a_reshape
// CHECK: "top.LayerNorm"(%arg0, %{{.*}}, %{{.*}}) {axis = 1 : si32
// CHECK-NEXT: return
func.func @rows_of_a_reshape(%x: !t) -> !t {
  %none = "top.None"() : () -> none
  %w = "top.Weight"() : () -> tensor<24xf32> loc("w")
  %0 = "top.Reshape"(%x) {shape = [2, 24]} : (!t) -> tensor<2x24xf32>
  %1 = "top.LayerNorm"(%0, %w, %none) {axis = 1 : si32, eps = 1.0e-5 : f64} : (tensor<2x24xf32>, tensor<24xf32>, none) -> tensor<2x24xf32>
  %2 = "top.Reshape"(%1) {shape = [2, 3, 8]} : (tensor<2x24xf32>) -> !t
  return %2 : !t
}

// Rows of 12 elements end inside of a dimension; the result has another shape.
// CHECK-LABEL: @other_rows
// CHECK-COUNT-4: "top.Reshape"
// CHECK: return
func.func @other_rows(%x: !t) -> (!t, tensor<3x2x8xf32>) {
  %none = "top.None"() : () -> none
  %0 = "top.Reshape"(%x) {shape = [4, 12]} : (!t) -> tensor<4x12xf32>
  %1 = "top.LayerNorm"(%0, %none, %none) {axis = 1 : si32, eps = 1.0e-5 : f64} : (tensor<4x12xf32>, none, none) -> tensor<4x12xf32>
  %2 = "top.Reshape"(%1) {shape = [2, 3, 8]} : (tensor<4x12xf32>) -> !t
  %3 = "top.Reshape"(%x) {shape = [6, 8]} : (!t) -> tensor<6x8xf32>
  %4 = "top.LayerNorm"(%3, %none, %none) {axis = 1 : si32, eps = 1.0e-5 : f64} : (tensor<6x8xf32>, none, none) -> tensor<6x8xf32>
  %5 = "top.Reshape"(%4) {shape = [3, 2, 8]} : (tensor<6x8xf32>) -> tensor<3x2x8xf32>
  return %2, %5 : !t, tensor<3x2x8xf32>
}

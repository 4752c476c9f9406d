// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<1x4x2x8xf32>
!h = tensor<1x4x2x4xf32>
!c = tensor<1x4x2x4x1xf32>
!p = tensor<1x4x2x4x2xf32>
!w = tensor<1x4x1x8xf32>

// CHECK-LABEL: @halves(
// CHECK: %[[COS:.*]] = "top.Weight"() {{.*}} loc("cos")
// CHECK: %[[SIN:.*]] = "top.Weight"() {{.*}} loc("sin")
// CHECK: "top.Rope"(%arg0, %[[SIN]], %[[COS]]) {is_permute_optimize = false, rope_mode = "contiguous_halves"} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @halves(%x: !t) -> !t {
  %n = "top.None"() : () -> none
  %cos = "top.Weight"() : () -> !w loc("cos")
  %sin = "top.Weight"() : () -> !w loc("sin")
  %0 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 4], axes = []} : (!t, none, none, none) -> !h
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [-4], steps = [1], ends = [8], axes = [-1]} : (!t, none, none, none) -> !h
  %3 = "top.MulConst"(%2) {const_val = -1.0 : f64} : (!h) -> !h
  %4 = "top.Concat"(%3, %1) {axis = -1 : si32} : (!h, !h) -> !t
  %5 = "top.Mul"(%sin, %4) : (!w, !t) -> !t
  %y = "top.Add"(%5, %0) : (!t, !t) -> !t loc("y")
  return %y : !t
}

// CHECK-LABEL: @pairs(
// CHECK: %[[COS:.*]] = "top.Weight"() {{.*}} loc("cos2")
// CHECK: %[[SIN:.*]] = "top.Weight"() {{.*}} loc("sin2")
// CHECK: "top.Rope"(%arg0, %[[SIN]], %[[COS]]) {is_permute_optimize = false, rope_mode = "interleaved_pairs"}
// CHECK-NEXT: return
func.func @pairs(%x: !t) -> !t {
  %n = "top.None"() : () -> none
  %cos = "top.Weight"() : () -> !w loc("cos2")
  %sin = "top.Weight"() : () -> !w loc("sin2")
  %0 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 2], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> !h
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 1], steps = [1, 1, 1, 2], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> !h
  %3 = "top.Neg"(%2) : (!h) -> !h
  %4 = "top.Unsqueeze"(%3) {axes = [-1]} : (!h) -> !c
  %5 = "top.Unsqueeze"(%1) {axes = [-1]} : (!h) -> !c
  %6 = "top.Concat"(%4, %5) {axis = 4 : si32} : (!c, !c) -> !p
  %7 = "top.Reshape"(%6) {shape = [1, 4, 2, 8]} : (!p) -> !t
  %8 = "top.Mul"(%7, %sin) : (!t, !w) -> !t
  %y = "top.Add"(%0, %8) : (!t, !t) -> !t
  return %y : !t
}

// Turned the other way: sin would have to be negative.
// CHECK-LABEL: @other_half_negated
// CHECK-NOT: Rope
func.func @other_half_negated(%x: !t, %cos: !w, %sin: !w) -> !t {
  %n = "top.None"() : () -> none
  %0 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 4], axes = []} : (!t, none, none, none) -> !h
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 4], steps = [1, 1, 1, 1], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> !h
  %3 = "top.MulConst"(%1) {const_val = -1.0 : f64} : (!h) -> !h
  %4 = "top.Concat"(%2, %3) {axis = 3 : si32} : (!h, !h) -> !t
  %5 = "top.Mul"(%sin, %4) : (!w, !t) -> !t
  %y = "top.Add"(%5, %0) : (!t, !t) -> !t
  return %y : !t
}

// Quarters; halves of another dimension; a part that begins elsewhere.
// CHECK-LABEL: @other_parts
// CHECK-NOT: Rope
func.func @other_parts(%x: !t, %cos: !w, %sin: !w) -> (!t, !t) {
  %n = "top.None"() : () -> none
  %0 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 2], axes = []} : (!t, none, none, none) -> tensor<1x4x2x2xf32>
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 2], steps = [1, 1, 1, 1], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> tensor<1x4x2x6xf32>
  %3 = "top.MulConst"(%2) {const_val = -1.0 : f64} : (tensor<1x4x2x6xf32>) -> tensor<1x4x2x6xf32>
  %4 = "top.Concat"(%3, %1) {axis = 3 : si32} : (tensor<1x4x2x6xf32>, tensor<1x4x2x2xf32>) -> !t
  %5 = "top.Mul"(%sin, %4) : (!w, !t) -> !t
  %6 = "top.Add"(%5, %0) : (!t, !t) -> !t
  %7 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 2, 2, 8], axes = []} : (!t, none, none, none) -> tensor<1x2x2x8xf32>
  %8 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 2, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> tensor<1x2x2x8xf32>
  %9 = "top.MulConst"(%8) {const_val = -1.0 : f64} : (tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  %10 = "top.Concat"(%9, %7) {axis = 1 : si32} : (tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) -> !t
  %11 = "top.Mul"(%sin, %10) : (!w, !t) -> !t
  %12 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %13 = "top.Add"(%11, %12) : (!t, !t) -> !t
  return %6, %13 : !t, !t
}

// CHECK-LABEL: @of_two_values
// CHECK-NOT: Rope
func.func @of_two_values(%x: !t, %z: !t, %cos: !w, %sin: !w) -> !t {
  %n = "top.None"() : () -> none
  %0 = "top.Mul"(%z, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 4], axes = []} : (!t, none, none, none) -> !h
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 4], steps = [1, 1, 1, 1], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> !h
  %3 = "top.MulConst"(%2) {const_val = -1.0 : f64} : (!h) -> !h
  %4 = "top.Concat"(%3, %1) {axis = 3 : si32} : (!h, !h) -> !t
  %5 = "top.Mul"(%sin, %4) : (!w, !t) -> !t
  %y = "top.Add"(%5, %0) : (!t, !t) -> !t
  return %y : !t
}

// CHECK-LABEL: @with_a_reader
// CHECK-NOT: Rope
func.func @with_a_reader(%x: !t, %cos: !w, %sin: !w) -> (!t, !t) {
  %n = "top.None"() : () -> none
  %0 = "top.Mul"(%x, %cos) : (!t, !w) -> !t
  %1 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 0], steps = [1, 1, 1, 1], ends = [1, 4, 2, 4], axes = []} : (!t, none, none, none) -> !h
  %2 = "top.Slice"(%x, %n, %n, %n) {offset = [0, 0, 0, 4], steps = [1, 1, 1, 1], ends = [1, 4, 2, 8], axes = []} : (!t, none, none, none) -> !h
  %3 = "top.MulConst"(%2) {const_val = -1.0 : f64} : (!h) -> !h
  %4 = "top.Concat"(%3, %1) {axis = 3 : si32} : (!h, !h) -> !t
  %5 = "top.Mul"(%sin, %4) : (!w, !t) -> !t
  %y = "top.Add"(%5, %0) : (!t, !t) -> !t
  return %y, %4 : !t, !t
}

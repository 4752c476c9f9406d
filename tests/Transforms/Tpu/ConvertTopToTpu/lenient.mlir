// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" --allow-unregistered-dialect --split-input-file --verify-diagnostics | FileCheck %s

// A Top op without a rule becomes the Tpu op of its name.

// CHECK-LABEL: func.func @no_rule
func.func @no_rule(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[X:.*]] = "tpu.Cast"(%arg0)
  // expected-remark @+2 {{'top.AbsAdd' has no rule: it becomes 'tpu.AbsAdd' with the same attributes, computed in F16}}
  // CHECK: "tpu.AbsAdd"(%[[X]]) {b_val = 1.000000e+00 : f64} : (tensor<4x8xf16>) -> tensor<4x8xf16>
  %0 = "top.AbsAdd"(%x) {b_val = 1.0 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+2 {{'top.FromTheFuture' has no rule: it becomes 'tpu.FromTheFuture'}}
  // CHECK: "tpu.FromTheFuture"(%{{.*}}, %{{.*}}) {round_mode = #tpu<round_mode Up>} : (tensor<4x8xf16>, tensor<4x8xf16>) -> (tensor<4x8xf16>, tensor<4xi32>)
  %1:2 = "top.FromTheFuture"(%0, %0) {round_mode = "Up"} : (tensor<4x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4xi32>)
  return %1#0 : tensor<4x8xf32>
}

// -----

// What is not Top's stays, and reads what it read.

// CHECK-LABEL: func.func @foreign
func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[A:.*]] = "tpu.Active"({{.*}}) -> tensor<4xf16>
  %0 = "top.Abs"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[B:.*]] = "tpu.Cast"(%[[A]]) {{.*}} -> tensor<4xf32>
  // CHECK: "my.op"(%[[B]]) : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{'my.op' is not of the Top dialect: it stays, with operands of the types it has now}}
  %1 = "my.op"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Types that are no numbers pass through.

// CHECK-LABEL: func.func @types
func.func @types(%x: tensor<4xindex>, %y: i32) -> tensor<4xindex> {
  // CHECK: "tpu.Active"(%{{.*}}) {{.*}} : (tensor<4xindex>) -> tensor<4xindex>
  %0 = "top.Abs"(%x) : (tensor<4xindex>) -> tensor<4xindex>
  // CHECK: "top.Weight"() : () -> tensor<2xcomplex<f32>>
  %w = "top.Weight"() : () -> tensor<2xcomplex<f32>>
  // CHECK: "tpu.Add"(%{{.*}}, %{{.*}}) : (tensor<4xindex>, tensor<2xcomplex<f32>>) -> tensor<4xindex>
  %1 = "top.Add"(%0, %w) : (tensor<4xindex>, tensor<2xcomplex<f32>>) -> tensor<4xindex>
  return %1 : tensor<4xindex>
}

// -----

// Strings that are enums of the Tpu dialect become them, where they name a
// case.

// CHECK-LABEL: func.func @enums
func.func @enums(%x: tensor<1x4x8x8xf32>) {
  // CHECK: "tpu.Concat"({{.*}}) {axis = 1 : si32, only_merge = false, round_mode = #tpu<round_mode HalfUp>}
  %0 = "top.Concat"(%x, %x) {axis = 1 : si32, round_mode = "HalfUp"} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  // CHECK: "tpu.Pad"({{.*}}) {mode = "circular",
  %1 = "top.Pad"(%x) {mode = "circular", paddings = [0, 0, 0, 0, 0, 0, 0, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: "tpu.Pad"({{.*}}) {mode = #tpu<Pad_Mode reflect>,
  %2 = "top.Pad"(%x) {mode = "reflect", paddings = [0, 0, 0, 0, 0, 0, 0, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  // CHECK: "tpu.Interp"({{.*}}) {coord_mode = #tpu<coord_mode half_pixel>, mode = #tpu<mode linear>}
  %3 = "top.Interp"(%x) {coord_mode = "half_pixel", mode = "linear"} : (tensor<1x4x8x8xf32>) -> tensor<1x4x16x16xf32>
  // CHECK: "tpu.Reduce"({{.*}}) {axes = [1], mode = "ReduceMax"}
  %4 = "top.Reduce"(%x) {axes = [1], mode = "ReduceMax"} : (tensor<1x4x8x8xf32>) -> tensor<1x1x8x8xf32>
  // CHECK: "tpu.Rope"({{.*}}) {force_f32 = true, mul1_round_mode = #tpu<round_mode Down>, rope_mode = #tpu<rope_mode interleaved_pairs>} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  %5 = "top.Rope"(%x, %x, %x) {force_f32 = true, mul1_round_mode = "Down", rope_mode = "interleaved_pairs"} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

// Windows of another rank and ops with fewer operands than their rules need.

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<1x4x2x2x2x2xf32>) {
  // CHECK: "tpu.MaxPool"({{.*}}) {{.*}} -> tensor<1x4x1x1x1x1xf16>
  %0 = "top.MaxPool"(%x) {kernel_shape = [2, 2, 2, 2]} : (tensor<1x4x2x2x2x2xf32>) -> tensor<1x4x1x1x1x1xf32>
  // expected-remark @+2 {{'top.Conv' has no rule}}
  // CHECK: "tpu.Conv"({{.*}}) : (tensor<1x4x2x2x2x2xf16>) -> tensor<4xf16>
  %1 = "top.Conv"(%x) : (tensor<1x4x2x2x2x2xf32>) -> tensor<4xf32>
  // expected-remark @+2 {{'top.Reshape' has no rule}}
  // CHECK: "tpu.Reshape"() : () -> tensor<4xf16>
  %2 = "top.Reshape"() : () -> tensor<4xf32>
  // expected-remark @+2 {{'top.Relu' has no rule}}
  // CHECK: "tpu.Relu"({{.*}}) : (tensor<1x4x2x2x2x2xf16>) -> ()
  "top.Relu"(%x) : (tensor<1x4x2x2x2x2xf32>) -> ()
  // CHECK: "tpu.Cast"({{.*}}) {{.*}} : (tensor<1x4x2x2x2x2xf32>) -> tensor<1x4x2x2x2x2xf16>
  %3 = "top.Cast"(%x) {to = "F8E4M3"} : (tensor<1x4x2x2x2x2xf32>) -> tensor<1x4x2x2x2x2xf32>
  return
}

// RUN: tpuc-opt %s | FileCheck %s
// RUN: tpuc-opt %s | tpuc-opt | FileCheck %s

// Layers are read and written as they are, whatever their attributes, operands
// and results say: other versions may mean something by it.

// CHECK-LABEL: func.func @attributes
func.func @attributes(%arg0: tensor<1x4xf32>) {
  // CHECK: "tpu.Slice"(%{{.*}}) {offset = 3 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %0 = "tpu.Slice"(%arg0) {offset = 3 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: "tpu.Cast"(%{{.*}}) {round_mode = "HalfUp"}
  %1 = "tpu.Cast"(%arg0) {round_mode = "HalfUp"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: "tpu.Relu"(%{{.*}}) {ginfo = #tpu.layer<0>}
  %2 = "tpu.Relu"(%arg0) {ginfo = #tpu.layer<0>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: "tpu.Pad"(%{{.*}}) {mode = 0 : i64}
  %3 = "tpu.Pad"(%arg0) {mode = 0 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  // CHECK: "tpu.MulShift"(%{{.*}}) {multiplier = 3 : si32, rshift = 2 : i32}
  %4 = "tpu.MulShift"(%arg0) {multiplier = 3 : si32, rshift = 2 : i32} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%arg0: tensor<2x3xf32>, %arg1: i32) {
  // CHECK: "tpu.Concat"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  %0 = "tpu.Concat"(%arg0) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  // CHECK: "tpu.Reshape"(%{{.*}}) : (tensor<2x3xf32>) -> tensor<7xf32>
  %1 = "tpu.Reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<7xf32>
  // CHECK: "tpu.Relu"(%{{.*}}, %{{.*}}) : (tensor<2x3xf32>, i32) -> ()
  "tpu.Relu"(%arg0, %arg1) : (tensor<2x3xf32>, i32) -> ()
  // CHECK: "tpu.Conv2D"() : () -> tensor<4xf32>
  %2 = "tpu.Conv2D"() : () -> tensor<4xf32>
  // CHECK: %values, %indices = "tpu.TopK"(%{{.*}})
  %3:2 = "tpu.TopK"(%arg0) : (tensor<2x3xf32>) -> (tensor<2x1xf32>, none)
  // CHECK: "tpu.TopK"() : () -> ()
  "tpu.TopK"() : () -> ()
  // CHECK: %{{.*}}:3 = "tpu.Arg"(%{{.*}})
  %4:3 = "tpu.Arg"(%arg0) : (tensor<2x3xf32>) -> (none, none, none)
  // CHECK: "tpu.Relu"(%{{.*}}) {a = #top.q<1>, b = #tpu<thing 3>} : (tensor<2x3xf32>) -> tensor<2x!tpu.q<4>>
  %5 = "tpu.Relu"(%arg0) {a = #top.q<1>, b = #tpu<thing 3>} : (tensor<2x3xf32>) -> tensor<2x!tpu.q<4>>
  // CHECK: "top.Sort"() : () -> ()
  "top.Sort"() : () -> ()
  return
}

// An attribute that cannot be read keeps its text.

// CHECK-LABEL: func.func @texts
func.func @texts() attributes {
  // CHECK-SAME: a = #tpu<round_mode Sideways>, b = #tpu.lg<colour = 3>, c = #tpu.lg<id = 3, id = 3>, d = #tpu.lg<out_addr = 3>
  // CHECK-SAME: e = #tpu.lg<eu_align = maybe>
  // CHECK-SAME: f = #tpu.lg<out_addr = -1, out_size = 0
  // CHECK-SAME: g = #tpu.do_compress<do_compress = false, bias0 = 127>, h = #tpu<lut_mode Slope>
  a = #tpu<round_mode Sideways>, b = #tpu.lg<colour = 3>, c = #tpu.lg<id = 3, id = 3>, d = #tpu.lg<out_addr = 3>,
  e = #tpu.lg<eu_align = maybe>,
  f = #tpu.lg<out_addr = -1, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [], n_slice = [], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [0, 4], h_slice = [4], w_idx = [], w_slice = [], id = 0, stage = 0, group_type = 0>,
  g = #tpu.do_compress<do_compress = false, bias0 = 127>, h = #tpu<lut_mode Slope>
} {
  return
}

// Addresses are integers of any kind.

// CHECK-LABEL: func.func @addresses
func.func @addresses() {
  // CHECK: tensor<4xf32, 64 : i32>
  %0 = "top.Weight"() : () -> tensor<4xf32, 64 : i32>
  // CHECK: tensor<4xf32, 64 : ui64>
  %1 = "top.Weight"() {store_mode = "3N"} : () -> tensor<4xf32, 64 : ui64>
  return
}

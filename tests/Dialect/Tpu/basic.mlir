// RUN: tpuc-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @layers
// CHECK-SAME: attributes {id = 0 : i64, mode = #tpu<run_mode TPU_STATIC>, next_index = array<i32: -1>}
func.func @layers(%arg0: tensor<1x4x8x8xf16, 4096 : i64>) -> tensor<1x4x8x8xf16, 8192 : i64> attributes {id = 0 : i64, mode = #tpu<run_mode TPU_STATIC>, next_index = array<i32: -1>} {
  %none = "top.None"() : () -> none
  // CHECK: "tpu.Buffer"() {buffer_type = #tpu<buffer_type L2>} : () -> tensor<64xf16, 12288 : i64>
  %buffer = "tpu.Buffer"() {buffer_type = #tpu<buffer_type L2>} : () -> tensor<64xf16, 12288 : i64>
  // CHECK: "tpu.Permute"(%{{.*}}, %{{.*}}) {order = [0, 1, 3, 2]}
  %0 = "tpu.Permute"(%arg0, %buffer) {order = [0, 1, 3, 2]} : (tensor<1x4x8x8xf16, 4096 : i64>, tensor<64xf16, 12288 : i64>) -> tensor<1x4x8x8xf16, 8192 : i64>
  // CHECK: "tpu.Permute"(%{{.*}}) : (tensor<1x4x8x8xf16, 8192 : i64>) -> tensor<1x4x8x8xf16>
  %1 = "tpu.Permute"(%0) : (tensor<1x4x8x8xf16, 8192 : i64>) -> tensor<1x4x8x8xf16>
  // CHECK: "tpu.Lut"(%{{.*}}, %{{.*}}) : (tensor<1x4x8x8x!quant.uniform<i8:f32, 2.000000e+00>>
  %2 = "tpu.Cast"(%1) {with_scale = true} : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8x!quant.uniform<i8:f32, 2.000000e+00>>
  %table = "top.Weight"() : () -> tensor<1x1x1x256xsi8> loc("table")
  %3 = "tpu.Lut"(%2, %table) : (tensor<1x4x8x8x!quant.uniform<i8:f32, 2.000000e+00>>, tensor<1x1x1x256xsi8>) -> tensor<1x4x8x8x!quant.uniform<i8:f32, 2.000000e+00>>
  return %0 : tensor<1x4x8x8xf16, 8192 : i64>
}

// CHECK-LABEL: func.func @group
func.func @group(%arg0: tensor<1x4x8x8xf16, 4096 : i64>) -> tensor<1x4x8x8xf16, 8192 : i64> {
  // CHECK: "tpu.Group"(%{{.*}}) ({
  %0 = "tpu.Group"(%arg0) ({
    // CHECK-NEXT: "tpu.Load"(%{{.*}}) {do_bcast = false, lmem_type = 1 : i64}
    %1 = "tpu.Load"(%arg0) {do_bcast = false, lmem_type = 1 : i64} : (tensor<1x4x8x8xf16, 4096 : i64>) -> tensor<1x4x8x8xf16>
    %2 = "tpu.Active"(%1) {mode = #tpu<active_mode SILU>} : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16>
    %3 = "tpu.Store"(%2) : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16, 8192 : i64>
    // CHECK: "tpu.Yield"(%{{.*}}) : (tensor<1x4x8x8xf16, 8192 : i64>) -> ()
    "tpu.Yield"(%3) : (tensor<1x4x8x8xf16, 8192 : i64>) -> ()
  // CHECK: }) {flow = [-1, 0, 1, 2], nsecs = 1 : i64} :
  }) {flow = [-1, 0, 1, 2], nsecs = 1 : i64} : (tensor<1x4x8x8xf16, 4096 : i64>) -> tensor<1x4x8x8xf16, 8192 : i64>
  return %0 : tensor<1x4x8x8xf16, 8192 : i64>
}

// A group may yield into a result without address, and the other way round.
// CHECK-LABEL: func.func @group_addresses
func.func @group_addresses(%arg0: tensor<4xf16>) {
  // CHECK: "tpu.Group"
  %0 = "tpu.Group"(%arg0) ({
    %1 = "tpu.Load"(%arg0) : (tensor<4xf16>) -> tensor<4xf16>
    %2 = "tpu.Store"(%1) : (tensor<4xf16>) -> tensor<4xf16>
    "tpu.Yield"(%2) : (tensor<4xf16>) -> ()
  }) : (tensor<4xf16>) -> tensor<4xf16, 4096 : i64>
  return
}

// CHECK-LABEL: func.func @cores
func.func @cores(%arg0: tensor<1x4x8xf16>) -> tensor<1x4x8xf16> {
  // CHECK: "tpu.CoreParallel"
  %0 = "tpu.CoreParallel"(%arg0) ({
    // CHECK: "tpu.CoreSplit"(%{{.*}}) {axis = 1 : i64}
    %1:2 = "tpu.CoreSplit"(%arg0) {axis = 1 : i64} : (tensor<1x4x8xf16>) -> (tensor<1x2x8xf16>, tensor<1x2x8xf16>)
    %2 = "tpu.Relu"(%1#0) : (tensor<1x2x8xf16>) -> tensor<1x2x8xf16>
    %3 = "tpu.Relu"(%1#1) : (tensor<1x2x8xf16>) -> tensor<1x2x8xf16>
    // CHECK: "tpu.CoreJoin"
    %4 = "tpu.CoreJoin"(%2, %3) {axis = 1 : i64} : (tensor<1x2x8xf16>, tensor<1x2x8xf16>) -> tensor<1x4x8xf16>
    "tpu.Yield"(%4) : (tensor<1x4x8xf16>) -> ()
  }) {offset = 0 : i64, size = 2 : i64} : (tensor<1x4x8xf16>) -> tensor<1x4x8xf16>
  // CHECK: "tpu.GroupParallel"
  %5:2 = "tpu.GroupParallel"(%0) ({
    "tpu.Yield"(%0) : (tensor<1x4x8xf16>) -> ()
  }, {
    "tpu.Yield"(%arg0) : (tensor<1x4x8xf16>) -> ()
  }) : (tensor<1x4x8xf16>) -> (tensor<1x4x8xf16>, tensor<1x4x8xf16>)
  return %5#0 : tensor<1x4x8xf16>
}

// CHECK-LABEL: func.func @unknown
func.func @unknown(%arg0: tensor<4xf32>) {
  // CHECK: "tpu.SomethingNew"(%{{.*}}) ({
  // CHECK-NEXT: "tpu.EvenNewer"() : () -> ()
  // CHECK: {mode = #tpu.fresh<level = 3, list = [1, 2]>, other = #tpu<stale mode>}
  %0 = "tpu.SomethingNew"(%arg0) ({
    "tpu.EvenNewer"() : () -> ()
  }) {mode = #tpu.fresh<level = 3, list = [1, 2]>, other = #tpu<stale mode>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

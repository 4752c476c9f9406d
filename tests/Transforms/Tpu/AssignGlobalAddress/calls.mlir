// RUN: tpuc-opt %s --tpu-global-memory | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory | tpuc-opt --tpu-verify-addresses -o /dev/null

// The nested form: the outer module holds the global state, the inner one the
// addresses. A value that crosses a call is one buffer at one address.
// CHECK: module @outer attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.state = "TPU_ADDRESSED"}
// CHECK: module @inner attributes {module.coeff_addr = 4294967296 : i64, module.coeff_size = 8192 : i64, module.dynamic_coeff_offset = 4096 : i64
// CHECK-SAME: module.neuron_addr = 4294975488 : i64
// CHECK: func.func @main(%{{.*}}: tensor<64xf16>) -> (tensor<64xf16, [[Y:[0-9]+]] : i64>, tensor<64xf16, [[X:[0-9]+]] : i64>)
// CHECK: "top.Input"(%{{.*}}) : (tensor<64xf16>) -> tensor<64xf16, [[X]] : i64>
// CHECK: call @subfunc_0(%{{.*}}) : (tensor<64xf16, [[X]] : i64>) -> (tensor<64xf16, [[A:[0-9]+]] : i64>, tensor<64xf16, [[X]] : i64>)
// CHECK: call @subfunc_1(%{{.*}}) : (tensor<64xf16, [[A]] : i64>, tensor<64xf16, [[X]] : i64>) -> tensor<64xf16, [[Y]] : i64>
// CHECK: func.func @subfunc_0(%{{.*}}: tensor<64xf16, [[X]] : i64>) -> (tensor<64xf16, [[A]] : i64>, tensor<64xf16, [[X]] : i64>)
module @outer attributes {module.chip = "bm1684x"} {
  module @inner {
    func.func @main(%arg0: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) {
      %x = "top.Input"(%arg0) : (tensor<64xf16>) -> tensor<64xf16> loc("x")
      %0:2 = func.call @subfunc_0(%x) : (tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>)
      %1 = func.call @subfunc_1(%0#0, %0#1) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16>
      return %1, %0#1 : tensor<64xf16>, tensor<64xf16>
    }
    // Passes its argument through.
    func.func @subfunc_0(%x: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>) attributes {id = 0 : i64, mode = #tpu<run_mode TPU_DYNAMIC>, next_index = array<i32: 1>} {
      %w = "top.Weight"() : () -> tensor<64xf16> loc("w_dynamic")
      %a = "tpu.Add"(%x, %w) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16> loc("a")
      return %a, %x : tensor<64xf16>, tensor<64xf16>
    }
    func.func @subfunc_1(%a: tensor<64xf16>, %x: tensor<64xf16>) -> tensor<64xf16> attributes {id = 1 : i64, mode = #tpu<run_mode TPU_STATIC>, next_index = array<i32: -1>} {
      %w = "top.Weight"() : () -> tensor<64xf16> loc("w_static")
      %0 = "tpu.Add"(%a, %w) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16> loc("y0")
      %1 = "tpu.Add"(%0, %x) : (tensor<64xf16>, tensor<64xf16>) -> tensor<64xf16> loc("y")
      return %1 : tensor<64xf16>
    }
  }
}

// The example of the pass's documentation.
// RUN: not tpuc-opt %s --tpu-verify-local --mlir-print-debuginfo -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: {{.*}}I2: 'c' (id 2) needs [0, 9) of 'x' (id 0) on axis h for section 0, which holds [0, 8) [TPUMEM-E042]
// CHECK-NEXT: note: {{.*}}'x' (id 0) comes from here
// CHECK-NOT: error
module @doc attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x16x8xf16>) -> (tensor<1x8x16x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7], h_slice = [8, 9], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x16x8xf16>) -> tensor<1x8x16x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("wl")
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8], h_slice = [8, 8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x16x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x16x8xf16> loc("c")
      %s = "tpu.Store"(%c, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8], h_slice = [8, 8], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x16x8xf16>, none) -> tensor<1x8x16x8xf16> loc("c")
      "tpu.Yield"(%s) : (tensor<1x8x16x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x16x8xf16>) -> (tensor<1x8x16x8xf16>) loc("y")
    return %y : tensor<1x8x16x8xf16>
  }
}

// The example of the pass's documentation.
// RUN: tpuc-opt %s --tpu-assign-local-address | FileCheck %s
// RUN: tpuc-opt %s --tpu-assign-local-address | tpuc-opt --tpu-assign-local-address | FileCheck %s

module attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16> {
    %0 = "top.None"() : () -> none
    %1 = "tpu.Group"(%arg0) ({
      // CHECK: "tpu.Load"{{.*}}out_addr = 0, out_size = 1024
      %2 = "tpu.Load"(%arg0) {ginfo = #tpu.lg<out_addr = 0, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      // CHECK: "tpu.Pool2D"{{.*}}out_addr = 16384, out_size = 256
      %3 = "tpu.Pool2D"(%2) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 0, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 8], h_slice = [8, 8], w_idx = [0], w_slice = [16], id = 1, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
      // CHECK: "tpu.Store"{{.*}}out_addr = 16384, out_size = 256
      %4 = "tpu.Store"(%3, %0) {ginfo = #tpu.lg<out_addr = 0, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 8], h_slice = [8, 8], w_idx = [0], w_slice = [16], id = 2, stage = 1, group_type = 0>} : (tensor<1x64x16x16xf16>, none) -> tensor<1x64x16x16xf16>
      "tpu.Yield"(%4) : (tensor<1x64x16x16xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
    return %1 : tensor<1x64x16x16xf16>
  }
}

// RUN: tpuc-opt %s | FileCheck %s
// RUN: tpuc-opt %s | tpuc-opt | FileCheck %s

// The newest form, the older form without three fields, and one with the
// fields in another order, which is printed in the usual one.

// CHECK-LABEL: func.func @layer_group
func.func @layer_group(%arg0: tensor<1x64x32x32xf16>) {
  // CHECK: ginfo = #tpu.lg<out_addr = 16384, out_size = 1088, buffer_addr = 0, buffer_size = 7, eu_align = true, can_merge = false, in_hslice_offset = [1, -2], n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, slice_idx = 2, group_type = 4>
  %0 = "tpu.Relu"(%arg0) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1088, buffer_addr = 0, buffer_size = 7, eu_align = true, can_merge = false, in_hslice_offset = [1, -2], n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, slice_idx = 2, group_type = 4>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
  // CHECK: ginfo = #tpu.lg<out_addr = 0, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = false, id = 0, stage = 0, group_type = 0>
  %1 = "tpu.Relu"(%arg0) {ginfo = #tpu.lg<out_addr = 0, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [], n_slice = [], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [], h_slice = [], w_idx = [], w_slice = [], id = 0, stage = 0, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
  // CHECK: ginfo = #tpu.lg<out_addr = 1, out_size = 2, buffer_addr = 3, buffer_size = 4, eu_align = false, in_hslice_offset = [], n_idx = [0]
  %2 = "tpu.Relu"(%arg0) {ginfo = #tpu.lg<group_type = 0, stage = 0, id = 0, w_slice = [], w_idx = [], h_slice = [], h_idx = [], d_slice = [], d_idx = [], c_slice = [], c_idx = [], n_slice = [1], n_idx = [0], in_hslice_offset = [], eu_align = false, buffer_size = 4, buffer_addr = 3, out_size = 2, out_addr = 1>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
  return
}

// CHECK-LABEL: func.func @interleave
func.func @interleave() {
  // CHECK: tensor<4x8xf16, #tpu.ddr_interleave<interleave_dim = 0, region_id = 2, offset = [0, 64], address = 4096>>
  %0 = "top.Weight"() : () -> tensor<4x8xf16, #tpu.ddr_interleave<interleave_dim = 0, region_id = 2, offset = [0, 64], address = 4096>>
  // CHECK: tensor<4x8xf16, #tpu.ddr_interleave<interleave_dim = 1, region_id = 0, offset = []>>
  %1 = "top.Weight"() : () -> tensor<4x8xf16, #tpu.ddr_interleave<interleave_dim = 1, region_id = 0, offset = []>>
  return
}

// CHECK-LABEL: func.func @enums
func.func @enums() attributes {
  // CHECK-SAME: a = #tpu<run_mode TPU_DYNAMIC>, b = #tpu<buffer_type GMEM>, c = #tpu<round_mode HalfToEven>,
  // CHECK-SAME: d = #tpu<rq_mode QDM>, e = #tpu<dq_mode TFLite>, f = #tpu<active_mode SOFT_PLUS>, g = #tpu<pool_mode Avg>,
  // CHECK-SAME: h = #tpu<Pad_Mode constant>, i = #tpu<mode linear>, j = #tpu<coord_mode half_pixel>, k = #tpu<rope_mode contiguous_halves>
  a = #tpu<run_mode TPU_DYNAMIC>, b = #tpu<buffer_type GMEM>, c = #tpu<round_mode HalfToEven>,
  d = #tpu<rq_mode QDM>, e = #tpu<dq_mode TFLite>, f = #tpu<active_mode SOFT_PLUS>, g = #tpu<pool_mode Avg>,
  h = #tpu<Pad_Mode constant>, i = #tpu<mode linear>, j = #tpu<coord_mode half_pixel>, k = #tpu<rope_mode contiguous_halves>
} {
  return
}

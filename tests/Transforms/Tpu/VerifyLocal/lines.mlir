// What goes wrong with rows that stay from section to section.
// RUN: tpuc-opt %s --split-input-file --tpu-verify-local --verify-diagnostics -o /dev/null

// I2: a row that is neither new nor kept.
module @row_missing attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 17], h_slice = [9, 7, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I2: 'tpu.LineBuffer#0' (id 2) needs [14, 17) on axis h for section 2 of the section before, which had [7, 16) [TPUMEM-E042]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// -----

// I2: the operand ends in front of the result.
module @row_too_few attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 16], h_slice = [9, 7, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I2: 'tpu.LineBuffer#0' (id 2) needs [16, 20) of its operand on axis h for section 2, which holds [16, 19) [TPUMEM-E042]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// -----

// I2: the first section finds nothing kept.
module @first_section attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [1, 9, 16], h_slice = [8, 7, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I2: 'tpu.LineBuffer#0' (id 2) needs [0, 1) on axis h for section 0 of the section before, which does not exist [TPUMEM-E042]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// -----

// I4: two rows are kept.
module @no_room attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 16], h_slice = [9, 7, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I4: the scratch of 'tpu.LineBuffer#0' (id 2) at [0, 16) has no room for 2 rows: need 32 bytes in a lane from a multiple of 16 on [TPUMEM-E044]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 16, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// -----

// I5: what is kept is there between sections, too.
module @written_over attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 16], h_slice = [9, 7, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I5: the scratch of 'tpu.LineBuffer#0' (id 2) at [304, 336) and the scratch of 'tpu.LineBuffer#0' (id 4) at [304, 336) share the bytes [304, 336), but section 0 of the one and section 0 of the other are both alive in row 0 of loop 0 [TPUMEM-E045]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      // expected-note @+1 {{the scratch of 'tpu.LineBuffer#0' (id 4) comes from here}}
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// -----

// I2: the next section may run on another core.
module @two_cores attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 16], h_slice = [9, 7, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      // expected-error @+1 {{I2: 'tpu.LineBuffer#0' (id 2) keeps rows for the next section, but 2 cores run sections [TPUMEM-E042]}}
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16>
      // expected-error @+1 {{I2: 'tpu.LineBuffer#0' (id 4) keeps rows for the next section, but 2 cores run sections [TPUMEM-E042]}}
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// Every invariant of layer groups, broken at least once.
// RUN: tpuc-opt %s --split-input-file --tpu-verify-local --verify-diagnostics

// Nothing says where the op is.
module @form attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{'tpu.Relu' in a layer group has no 'ginfo' or no result, so it cannot run from local memory [TPUMEM-E040]}}
      %a = "tpu.Relu"(%x) {foo = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// 
module @no_sections attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{'hsecs' is 0: no number of sections that could be run [TPUMEM-E040]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 0 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I1: row 3 is never stored.
module @gap attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I1: the store of 'tpu.Relu#0' (id 2) does not cut [0, 8) of axis h into sections: nothing stores [3, 4) before section 1 [TPUMEM-E041]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [3, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I1: nor is the last one.
module @gap_at_end attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I1: the store of 'tpu.Relu#0' (id 2) does not cut [0, 8) of axis h into sections: nothing stores [7, 8) at the end [TPUMEM-E041]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I1: both sections are all there is.
module @all_twice attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I1: the store of 'tpu.Relu#0' (id 2) does not cut [0, 8) of axis h into sections: section 1 is [0, 8), but the one in front of it ends at 8 [TPUMEM-E041]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I1: three sections of an axis that is cut into two.
module @lists attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-error @+1 {{I1: 'tpu.Load#0' (id 0) has 3 starts and 3 lengths on axis h: need one of each, or 2 as the group has sections [TPUMEM-E041]}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I1: beyond the tensor.
module @outside attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-error @+1 {{I1: 'tpu.Load#0' (id 0) has a section [5, 5 + 4) on axis h, which is no part of [0, 8) [TPUMEM-E041]}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 5], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I2: a row is missing.
module @need attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{'tpu.Load#0' (id 0) comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I2: 'tpu.Relu#0' (id 1) needs [4, 8) of 'tpu.Load#0' (id 0) on axis h for section 1, which holds [4, 7) [TPUMEM-E042]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I2: no halo.
module @halo attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I2: 'tpu.Pool2D#0' (id 1) needs [0, 5) of 'tpu.Load#0' (id 0) on axis h for section 0, which holds [0, 4) [TPUMEM-E042]}}
      %a = "tpu.Pool2D"(%x) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I2: this build does not know what the op reads.
module @unknown attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I2: 'tpu.Attention#0' (id 1) needs [0, 8) of 'tpu.Load#0' (id 0) on axis h for section 0, which holds [0, 4); what a 'tpu.Attention' reads is not known, so all is taken [TPUMEM-E042]}}
      %a = "tpu.Attention"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I3: section 0 reads rows -1 and 1. Row 0 is not read, but without it the padding is not at the border.
module @padding attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x2xf16>
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{'tpu.Load#0' (id 0) comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [1, 3], h_slice = [7, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 512, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [2], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x2xf16>) -> tensor<1x8x1x2xf16>
    // expected-error @+1 {{I3: 'tpu.Conv2D#0' (id 2) reads padding below 0 of 'tpu.Load#0' (id 0) on axis h for section 0, which holds [1, 8) [TPUMEM-E043]}}
      %a = "tpu.Conv2D"(%x, %wl) {kernel_shape = [2, 1], strides = [1, 1], pads = [1, 0, 1, 0], dilations = [2, 1], group = 8 : i64, ginfo = #tpu.lg<out_addr = 256, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 1], h_slice = [1, 7], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x2xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 256, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 1], h_slice = [1, 7], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I4: half of what the section takes.
module @size attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I4: 'tpu.Relu#0' (id 1) is too small for its largest section: need 64, has 32 bytes in a lane [TPUMEM-E044]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I4: not aligned.
module @alignment attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I4: 'tpu.Relu#0' (id 1) at 130 is not aligned to 16 bytes [TPUMEM-E044]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 130, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 130, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I4: eight channels, all of them in every lane.
module @copied attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      // expected-error @+1 {{I4: 'tpu.Load#0' (id 0) is copied to every lane, but has 8 channels [TPUMEM-E044]}}
      %x = "tpu.Load"(%in) {do_bcast = true, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I4: the end of local memory.
module @beyond attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I4: the scratch of 'tpu.Relu#0' (id 1) at [65500, 65600) does not lie in local memory: need 65600, has 65536, over by 64 bytes [TPUMEM-E044]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 65500, buffer_size = 100, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I4: 18 elements a plane, one after the other, but the kernel expects whole execution units.
module @layout attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x16x6x6xf16>) -> (tensor<1x16x6x6xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [3, 3], w_idx = [0], w_slice = [6], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x16x6x6xf16>) -> tensor<1x16x6x6xf16>
    // expected-error @+1 {{I4: 'tpu.Relu#0' (id 1) reads 'tpu.Load#0' (id 0) in the aligned layout, but it is in the compact one [TPUMEM-E044]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 256, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [3, 3], w_idx = [0], w_slice = [6], id = 1, stage = 1, group_type = 0>} : (tensor<1x16x6x6xf16>) -> tensor<1x16x6x6xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 256, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [3, 3], w_idx = [0], w_slice = [6], id = 2, stage = 1, group_type = 0>} : (tensor<1x16x6x6xf16>, none) -> tensor<1x16x6x6xf16>
      "tpu.Yield"(%s) : (tensor<1x16x6x6xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x16x6x6xf16>) -> (tensor<1x16x6x6xf16>)
    return %y : tensor<1x16x6x6xf16>
  }
}

// -----

// I5: scratch in the result.
module @overlap attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+2 {{'tpu.Relu#0' (id 1) comes from here}}
    // expected-error @+1 {{I5: the scratch of 'tpu.Relu#0' (id 1) at [160, 176) and 'tpu.Relu#0' (id 1) at [128, 192) share the bytes [160, 176), but section 0 of the one and section 0 of the other are both alive in row 0 of loop 1 [TPUMEM-E045]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 160, buffer_size = 16, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I5: the store looks for it elsewhere.
module @store_address attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+1 {{made here}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I5: the store of 'tpu.Relu#0' (id 2) reads from 512, but 'tpu.Relu#0' (id 1) is at 128 [TPUMEM-E045]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I5: the next section is there before the last one is stored.
module @generations attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I5: 'tpu.Relu#0' (id 1) is alive for 4 rows, but the next section is written over it after 2: need 2 at most [TPUMEM-E045]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+1 {{the store of 'tpu.Relu#0' (id 2) is its last reader}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I6: both in row 0.
module @order attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I6: 'tpu.Relu#0' (id 1) runs in stage 1, row 0, 'tpu.Load#0' (id 0), which it reads, in stage 1, row 0: the two engines run side by side within a row [TPUMEM-E046]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, 0, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I6: stored before it is there.
module @late attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+1 {{comes from here}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I6: the store of 'tpu.Relu#0' (id 2) runs in stage 1, row 0, 'tpu.Relu#0' (id 1), which it reads, in stage 1, row 1: that is later [TPUMEM-E046]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 0, -2, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I6: never loaded.
module @not_loaded attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-error @+1 {{I6: 'tpu.Relu#0' (id 0) reads 'arg0', which is in global memory and was not loaded [TPUMEM-E046]}}
      %a = "tpu.Relu"(%in) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, -2, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I7: while section 0 is read, section 1 is loaded over it.
module @engines attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-error @+1 {{I7: 'tpu.Load#0' (id 0) is alive for 3 rows, but the next section is written over it after 2: need 2 at most [TPUMEM-E047]}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+1 {{'tpu.Relu#0' (id 1) is its last reader}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 1, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I7: a load over what is read in the same row.
module @engines_of_two attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>, %in2: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in, %in2) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I7: 'tpu.Load#0' (id 1) at [128, 192) and 'tpu.Relu#0' (id 2) at [128, 192) share the bytes [128, 192), but section 0 of the one and section 0 of the other are both alive in row 1 of loop 1 [TPUMEM-E047]}}
      %z = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-note @+1 {{'tpu.Relu#0' (id 2) comes from here}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %b = "tpu.Relu"(%a) {ginfo = #tpu.lg<out_addr = 256, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %c = "tpu.Add"(%b, %z) {ginfo = #tpu.lg<out_addr = 384, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%c, %none) {ginfo = #tpu.lg<out_addr = 384, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 5, -2, 3, 1, -3, 4, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I8: the weight is needed for section 1, too.
module @held attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x1xf16>
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I8: 'tpu.Load#0' (id 1) at [128, 144) and 'tpu.Mul#0' (id 2) at [128, 192) share the bytes [128, 144), but section 0 of the one and section 0 of the other are both alive in row 0 of loop 1 [TPUMEM-E048]}}
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 16, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [1], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x1x1xf16>) -> tensor<1x8x1x1xf16>
    // expected-note @+1 {{'tpu.Mul#0' (id 2) comes from here}}
      %a = "tpu.Mul"(%x, %wl) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x1xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I9: stored, but nothing gets it.
module @stores attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I9: the store of 'tpu.Relu#0' (id 2) is yielded 0 times: need 1 [TPUMEM-E049]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I9: the group yields 'tpu.Relu#0', which no store of the group makes [TPUMEM-E049]}}
      "tpu.Yield"(%a) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: never run.
module @flow attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I10: the store of 'tpu.Relu#0' (id 2) is not in the group's 'flow': it never runs [TPUMEM-E050]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: run twice.
module @flow_twice attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-error @+1 {{I10: 'tpu.Load#0' (id 0) is twice in the group's 'flow': in row 0 and in row 1 [TPUMEM-E050]}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, 0, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: row 1 is missing.
module @rows attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{I10: 'flow' opens row 2 where row 1 has to follow [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -3, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: an id of nothing.
module @flow_unknown attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{I10: 'flow' lists id 7, which no op of the group has [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0, 7], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: one id for two.
module @ids attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{also this id}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I10: 'tpu.Relu#0' (id 0) has the id of another op [TPUMEM-E050]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: stages fall.
module @stages attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
    // expected-note @+1 {{comes from here}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I10: 'tpu.Relu#0' (id 1) runs in stage 0, row 0, 'tpu.Load#0' (id 0), which it reads, in stage 1, row 0: stages have to grow from operand to reader [TPUMEM-E050]}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 0, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 1, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: a stage that there is not.
module @stage attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    // expected-error @+1 {{I10: the store of 'tpu.Relu#0' (id 2) is in stage 3, but stages are 0, 1 and 2 [TPUMEM-E050]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 3, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I10: nothing is there to run it.
module @lent attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{I10: the group shares transfers with a neighbour, but there is no group next to it [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// I5: the load of the next group falls on what this one still has to store.
module @hoisted_overlap attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x9x8xf16>, %in2: tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) {
    %none = "top.None"() : () -> none
    %m = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
    // expected-note @+1 {{comes from here}}
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
    // expected-error @+1 {{I5: the store of 'tpu.Relu#0' (id 2) runs in the group next to its own, where 'tpu.Load#0' (id 0), which shares bytes with what it reads, is alive [TPUMEM-E045]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [-3, 0], other_down_overlap_op = []} : (tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    %y = "tpu.Group"(%m, %in2) ({
    // expected-note @+2 {{comes from here}}
    // expected-error @+1 {{I5: 'tpu.Load#0' (id 0) runs in the group next to its own, where 'tpu.Relu#0' (id 1), which shares bytes with it, is still alive [TPUMEM-E045]}}
      %p = "tpu.Load"(%m) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %q = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 384, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %r = "tpu.Add"(%p, %q) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %t = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%t) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 1, -3, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = [-2, 2]} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    return %y : tensor<1x8x9x8xf16>
  }
}

// -----

// I6: the last rows are not stored when they are loaded.
module @hoisted_early attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x9x8xf16>, %in2: tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) {
    %none = "top.None"() : () -> none
    %m = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
    // expected-note @+2 {{comes from here}}
    // expected-error @+1 {{I6: the store of 'tpu.Relu#0' (id 2) runs in the group next to its own, after section 0 of it is loaded [TPUMEM-E046]}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [-3, 0], other_down_overlap_op = []} : (tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    %y = "tpu.Group"(%m, %in2) ({
    // expected-note @+2 {{comes from here}}
    // expected-error @+1 {{I6: 'tpu.Load#0' (id 0) runs in the group next to its own, before section 2 of what it loads is stored [TPUMEM-E046]}}
      %p = "tpu.Load"(%m) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [9, 6, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %q = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 768, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %r = "tpu.Add"(%p, %q) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %t = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%t) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 1, -3, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = [-2, 2]} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    return %y : tensor<1x8x9x8xf16>
  }
}

// -----

// I10: one lends what the other does not take.
module @not_taken attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x9x8xf16>, %in2: tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) {
    %none = "top.None"() : () -> none
    %m = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    %y = "tpu.Group"(%m, %in2) ({
    // expected-error @+1 {{I10: 'tpu.Load#0' (id 0) is left to a neighbour, which does not list it [TPUMEM-E050]}}
      %p = "tpu.Load"(%m) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %q = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 384, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %r = "tpu.Add"(%p, %q) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %t = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%t) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 1, -3, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = [-2, 2]} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    return %y : tensor<1x8x9x8xf16>
  }
}

// -----

// I10: nor the other way round.
module @not_lent attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x9x8xf16>, %in2: tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{I10: the group runs id 0 of a neighbour, which does not leave it [TPUMEM-E050]}}
    %m = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [-3, 0], other_down_overlap_op = []} : (tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    // expected-note @+1 {{the neighbour}}
    %y = "tpu.Group"(%m, %in2) ({
      %p = "tpu.Load"(%m) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %q = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 384, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %r = "tpu.Add"(%p, %q) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16>
      %t = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16>
      "tpu.Yield"(%t) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = [-2, 2]} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>)
    return %y : tensor<1x8x9x8xf16>
  }
}

// -----

// I2: eight channels of the result, which lie in eight lanes; what is added has them as images.
module @lanes attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<1x8x16x16xf16>, %1: tensor<8x16x16xf16>) -> tensor<1x8x16x16xf16> {
    %none = "top.None"() : () -> none
    %2 = "tpu.Group"(%0, %1) ({
      %3 = "tpu.Load"(%0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 16384, out_size = 512, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [16], w_idx = [0], w_slice = [16], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16>
    // expected-note @+1 {{'tpu.Load#0' (id 1) comes from here}}
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 32768, out_size = 512, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [8], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [16], w_idx = [0], w_slice = [1], id = 1, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<8x16x16xf16>) -> tensor<8x16x16xf16>
    // expected-error @+2 {{I2: 'tpu.Add#0' (id 2) has on axis c what 'tpu.Load#0' (id 1) has on axis n: in other lanes [TPUMEM-E042]}}
    // expected-error @+1 {{I2: 'tpu.Add#0' (id 2) has on axis h what 'tpu.Load#0' (id 1) has on axis c: in other lanes [TPUMEM-E042]}}
      %6 = "tpu.Add"(%3, %4) {ginfo = #tpu.lg<out_addr = 0, out_size = 512, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [16], w_idx = [0], w_slice = [16], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x16x16xf16>, tensor<8x16x16xf16>) -> tensor<1x8x16x16xf16>
      %7 = "tpu.Store"(%6, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 512, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [16], w_idx = [0], w_slice = [16], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x16x16xf16>, none) -> tensor<1x8x16x16xf16>
      "tpu.Yield"(%7) : (tensor<1x8x16x16xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, -2, 1, -3, 2, -4, 3], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x16x16xf16>, tensor<8x16x16xf16>) -> tensor<1x8x16x16xf16>
    return %2 : tensor<1x8x16x16xf16>
  }
}

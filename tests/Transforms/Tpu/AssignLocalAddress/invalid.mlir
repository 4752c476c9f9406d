// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-assign-local-address
// RUN: not tpuc-opt %s --tpu-assign-local-address="node-limit=-1" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: echo 'module { func.func @main() { return } }' | tpuc-opt --tpu-assign-local-address="minimize-peak=true node-limit=5" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOGROUPS
// NOGROUPS: remark: 'minimize-peak' has no effect: there are no layer groups
// NOGROUPS: remark: 'node-limit' has no effect: there are no layer groups
// OPTION: option 'node-limit' is -1, expected at least 0 [TPUMEM-E018]

// Held weights and two results: more than any addresses could hold.
module @large attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16>
    // expected-note @+1 {{most is alive in row 0 of 3, more than any addresses could hold}}
    %y = "tpu.Group"(%in) ({
      // expected-note @+1 {{30000 bytes: 'tpu.Load#0' (id 0)}}
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-note @+1 {{40000 bytes: 'tpu.Load#0' (id 1, held for all sections)}}
      %wl = "tpu.Load"(%w) {ginfo = #tpu.lg<out_addr = 0, out_size = 40000, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16>
      // expected-error @+2 {{the layer group of 'tpu.Group#0' does not fit into local memory: a lane needs 100096 bytes, has 65536, over by 34560 [TPUMEM-E001]}}
      // expected-note @+1 {{30000 bytes: 'tpu.Conv2D#0' (id 2)}}
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x12x8xf16>
      // expected-note @+1 {{96 bytes: 'tpu.Active#0' (id 3)}}
      %a = "tpu.Active"(%c) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 4, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 4, -2, 3, -3, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// A result that is larger than its operand does not lie on it, on no chip.
module @no_in_place attributes {module.chip = "cv181x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-note @+1 {{most is alive in row 1 of 3}}
    %y = "tpu.Group"(%in) ({
      // expected-note @+1 {{10000 bytes: 'tpu.Load#0' (id 0)}}
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 10000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-note @+1 {{10000 bytes: 'tpu.Load#0' (id 1)}}
      %z = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 10000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-note @+2 {{15000 bytes: 'tpu.Add#0' (id 2)}}
      // expected-error @+1 {{a lane needs 35000 bytes, has 32768, over by 2232 [TPUMEM-E001]}}
      %a = "tpu.Add"(%x, %z) {ginfo = #tpu.lg<out_addr = 0, out_size = 15000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 15000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 3, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 1, -2, 2, -3, 3], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// No lists, no stage.
module @no_ginfo attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active' in a layer group has no 'ginfo' or no result, so it cannot run from local memory [TPUMEM-E040]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// A loop that never runs.
module @sections attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{'hsecs' is 0: no number of sections that could be run [TPUMEM-E040]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 0 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// An op that the schedule forgets.
module @never attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 1) is not in the group's 'flow': it never runs [TPUMEM-E050]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// An op that it runs twice.
module @twice attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 1) is twice in the group's 'flow' [TPUMEM-E050]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Rows and ids that are not there.
module @unknown attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{'flow' lists id 9, which no op of the group has [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2, 9], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Rows and ids that are not there.
module @order attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{'flow' opens row 2 where row 1 has to follow [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -3, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Rows and ids that are not there.
module @before attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-error @+1 {{'flow' lists id 0 before any row [TPUMEM-E050]}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [0, -1, 1, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Two ops, one id.
module @same_id attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 0) has the id of another op [TPUMEM-E050]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// A pipeline has three stages.
module @stage attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 1) is in stage 3, but stages are 0, 1 and 2 [TPUMEM-E050]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 3, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Loaded in the row that reads it.
module @race attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 1) runs in stage 1, row 0, but 'tpu.Load#0' (id 0), which it reads, in stage 1, row 0 [TPUMEM-E046]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, 0, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Not loaded at all.
module @global attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      // expected-error @+1 {{'tpu.Active#0' (id 1) reads 'arg0', which is in global memory and was not loaded [TPUMEM-E046]}}
      %a = "tpu.Active"(%in) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// One copy cannot live longer than a round.
module @long attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      // expected-error @+1 {{'tpu.Load#0' (id 0) is alive for 4 rows, but the next section is written over it after 2 [TPUMEM-E045]}}
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %b = "tpu.Add"(%x, %a) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%b, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 3, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 1, 3, -2, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// A size is missing.
module @empty attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // expected-error @+1 {{'tpu.Active#0' (id 1) has 0 bytes for its result and 0 for scratch: no sizes that addresses could be given to [TPUMEM-E044]}}
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

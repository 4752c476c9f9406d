// Transfers that a group runs for both of its neighbours.
// RUN: tpuc-opt %s --split-input-file --tpu-verify-local --verify-diagnostics

// The middle group has one section: in row 0 it stores for the first one, in row 1
// it loads for the last one where the first one's result was. Scratch and inputs
// between them run nothing.
module @right attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %first = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 2, -2, 1], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %middle = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, -2, 1, -3, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [-2, 0], other_down_overlap_op = [-1, 2]} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %scratch = "tpu.Buffer"() {buffer_type = #tpu<buffer_type GMEM>} : () -> tensor<16xi8>
    %also = "top.Input"(%in) : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
    %last = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %first, %middle, %last : tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>
  }
}

// -----

// And here both in row 0.
module @both attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %first = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      // expected-note-re @+1 {{the store of '{{.*}}' (id 2) comes from here}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 2, -2, 1], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %middle = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, -2, 1, -3, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [-1, 0], other_down_overlap_op = [-1, 2]} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %last = "tpu.Group"(%in) ({
      // expected-error-re @+1 {{I5: '{{.*}}' (id 0) runs in the group next to its own, where the store of '{{.*}}' (id 2), of the group before, reads bytes that they share [TPUMEM-E045]}}
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %first, %middle, %last : tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>
  }
}

// -----

// Nobody reads what the first group results in: by the time it is stored
// something else may be there.
module @unread attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %first = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      // expected-error-re @+2 {{I6: the store of '{{.*}}' (id 2) runs in the group next to its own, though nobody reads what it stores: its room in global memory is free when its group is over [TPUMEM-E046]}}
      // expected-note-re @+1 {{the store of '{{.*}}' (id 2) comes from here}}
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 2, -2, 1], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %middle = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, -2, 1, -3, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [-2, 0], other_down_overlap_op = [-1, 2]} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    %last = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %middle, %last : tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>
  }
}

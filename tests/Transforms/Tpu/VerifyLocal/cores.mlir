// What goes wrong when several cores run sections of one group.
// RUN: tpuc-opt %s --split-input-file --tpu-verify-local --verify-diagnostics

// On one core it is right.
module @one attributes {module.chip = "bm1688", module.cores = 1 : i64} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// And on two: each core has its half.
module @two attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// A transfer for a neighbour passes the barrier.
module @shared attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    // expected-error @+2 {{the group shares transfers with a neighbour, but there is no group next to it}}
    // expected-error @+1 {{the group shares transfers with a neighbour, but 2 cores run sections of it, and a barrier between groups is all that orders them}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 2, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>)
    return %y : tensor<1x8x8x8xf16>
  }
}

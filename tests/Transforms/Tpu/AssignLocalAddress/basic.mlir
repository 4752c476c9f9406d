// RUN: tpuc-opt %s --split-input-file --tpu-assign-local-address --verify-diagnostics | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-assign-local-address="minimize-peak node-limit=0" | FileCheck %s --check-prefix=LOW
// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-assign-local-address --tpu-verify-local -o /dev/null

// Two sections: a circle of two rows. The weights are held, everything else is alive in both rows,
// and each buffer has a bank (4096 bytes) of its own. Without banks they lie side by side.
// CHECK-LABEL: module @sections
// LOW-LABEL: module @sections
// LOW: "tpu.Active"{{.*}}out_addr = [[LOW:[0-9]{1,3}]], out_size = 96
module @sections attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16>
    %y = "tpu.Group"(%in) ({
      // CHECK: "tpu.Load"{{.*}}out_addr = [[X:[0-9]+]], out_size = 112
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 5], h_slice = [7, 7], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Load"{{.*}}out_addr = [[W:[0-9]+]], out_size = 144
      %wl = "tpu.Load"(%w) {ginfo = #tpu.lg<out_addr = 0, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16>
      // CHECK: "tpu.Conv2D"{{.*}}out_addr = [[C:[0-9]+]], out_size = 96, buffer_addr = 0, buffer_size = 0
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Active"{{.*}}out_addr = [[A:[0-9]+]], out_size = 96, buffer_addr = [[S:[0-9]+]], buffer_size = 256
      %a = "tpu.Active"(%c) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 256, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // A store has the address of what it stores.
      // CHECK: "tpu.Store"{{.*}}out_addr = [[A]], out_size = 96, buffer_addr = 0, buffer_size = 0
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 4, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 4, -2, 3, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// One section: no loop comes back to the first row, so the last result lies where the input was,
// though both use both rows. Three buffers of 30000 bytes would not fit into 65536.
// CHECK-LABEL: module @one_section
module @one_section attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      // CHECK: "tpu.Load"{{.*}}out_addr = [[X:[0-9]+]], out_size = 30000
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Active"{{.*}}out_addr = [[A:[0-9]+]], out_size = 30000
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Active"{{.*}}out_addr = [[X]], out_size = 30000
      %b = "tpu.Active"(%a) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Store"{{.*}}out_addr = [[X]], out_size = 30000
      %s = "tpu.Store"(%b, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 3, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, 3, -2, 2, 0], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// The sum is written over its first operand: three buffers would not fit.
// CHECK-LABEL: module @in_place
module @in_place attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    %y = "tpu.Group"(%in) ({
      // CHECK: "tpu.Load"{{.*}}out_addr = [[X:[0-9]+]], out_size = 30000
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Load"{{.*}}out_addr = [[Z:[0-9]+]], out_size = 30000
      %z = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Add"{{.*}}out_addr = [[X]], out_size = 30000
      %a = "tpu.Add"(%x, %z) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      // CHECK: "tpu.Store"{{.*}}out_addr = [[X]], out_size = 30000
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 30000, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [12], w_idx = [0], w_slice = [8], id = 3, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 0, 1, -2, 2, -3, 3], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// Transfers that neighbours ran for each other: with new addresses each group runs its own.
// CHECK-LABEL: module @shared
// CHECK: other_up_overlap_op = []{{.*}}self_up_overlap_op = []
module @shared attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> {
    %none = "top.None"() : () -> none
    // expected-remark @+1 {{transfers that neighbouring groups ran for each other run in their own group now}}
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %a = "tpu.Active"(%x) {mode = #tpu<active_mode RELU>, ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 0, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16>
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 1, -2, 0, 2], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [-1, 7], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16>
    return %y : tensor<1x8x12x8xf16>
  }
}

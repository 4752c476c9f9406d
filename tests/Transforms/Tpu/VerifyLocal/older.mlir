// Older compilers leave out what no section cuts: the lists of a dimension, of which each section has all, and the group's type.
// RUN: tpuc-opt %s --tpu-verify-local --tpu-local-report=format=json -o /dev/null > %t.json
// RUN: sed -E 's/, [cdw]_(idx|slice) = \[[0-9]+\]//g; s/, group_type = 0>/>/' %s > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tpuc-opt %t.mlir --tpu-verify-local --tpu-local-report=format=json -o %t.out.mlir > %t.older.json
// RUN: diff %t.json %t.older.json
// What is not there is not written either, but where addresses are given anew.
// RUN: FileCheck %s < %t.out.mlir
// RUN: tpuc-opt %t.mlir --tpu-assign-local-address -o - | FileCheck %s --check-prefix=ANEW
// A dimension that is cut cannot be left out: then each section would have all rows.
// RUN: sed -E 's/, h_(idx|slice) = \[[0-9, ]+\]//g' %s | not tpuc-opt --tpu-verify-local 2>&1 | FileCheck %s --check-prefix=ROWS

// CHECK: "tpu.Load"{{.*}}eu_align = true, n_idx = [0], n_slice = [1], h_idx = [0, 5, 11], h_slice = [7, 8, 5], id = 0, stage = 0>
// ANEW: "tpu.Load"{{.*}}n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 5, 11], h_slice = [7, 8, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>
// ROWS: error: {{.*}}TPUMEM-E04
module @conv_pool attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x16x16x8xf16>) -> (tensor<1x16x8x4xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x16x1x144xf16> loc("w")
    %b = "top.Weight"() : () -> tensor<1x16x1x1xf32> loc("b")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 1024, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 5, 11], h_slice = [7, 8, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x16x16x8xf16>) -> tensor<1x16x16x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 576, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [144], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x16x1x144xf16>) -> tensor<1x16x1x144xf16> loc("wl")
      %bl = "tpu.Load"(%b) {do_bcast = false, ginfo = #tpu.lg<out_addr = 640, out_size = 8, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x16x1x1xf32>) -> tensor<1x16x1x1xf32> loc("bl")
      %c = "tpu.Conv2D"(%x, %wl, %bl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 2048, out_size = 192, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 6, 12], h_slice = [6, 6, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x16x16x8xf16>, tensor<1x16x1x144xf16>, tensor<1x16x1x1xf32>) -> tensor<1x16x16x8xf16> loc("c")
      %p = "tpu.Pool2D"(%c) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 4096, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [4], id = 4, stage = 1, group_type = 0>} : (tensor<1x16x16x8xf16>) -> tensor<1x16x8x4xf16> loc("p")
      %s = "tpu.Store"(%p, %none) {ginfo = #tpu.lg<out_addr = 4096, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [4], id = 5, stage = 2, group_type = 0>} : (tensor<1x16x8x4xf16>, none) -> tensor<1x16x8x4xf16> loc("p")
      "tpu.Yield"(%s) : (tensor<1x16x8x4xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 5, -2, 4, 0, 1, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x16x16x8xf16>) -> (tensor<1x16x8x4xf16>) loc("y")
    return %y : tensor<1x16x8x4xf16>
  }
}

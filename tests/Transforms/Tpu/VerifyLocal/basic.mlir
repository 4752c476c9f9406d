// Groups that hold every invariant; the test of mutations breaks each of them in every way it knows.
// RUN: tpuc-opt %s --split-input-file --tpu-verify-local --verify-diagnostics -o /dev/null

// A halo: a convolution and a pooling in three uneven sections; weights held.
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

// -----

// A residual: the input lives for a whole loop, the sum is written over its operand,
// and the activation has scratch.
module @residual attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x12x8xf16>) -> (tensor<1x8x12x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 5], h_slice = [7, 7], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("wl")
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x12x8xf16> loc("c")
      %a = "tpu.Active"(%c) {mode = #tpu<active_mode SILU>, ginfo = #tpu.lg<out_addr = 768, out_size = 96, buffer_addr = 1024, buffer_size = 256, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> loc("a")
      %r = "tpu.Add"(%a, %x) {ginfo = #tpu.lg<out_addr = 768, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x12x8xf16>, tensor<1x8x12x8xf16>) -> tensor<1x8x12x8xf16> loc("r")
      %s = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 768, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6], h_slice = [6, 6], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x12x8xf16>, none) -> tensor<1x8x12x8xf16> loc("r")
      "tpu.Yield"(%s) : (tensor<1x8x12x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 5, -2, 3, -3, 4, -4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x12x8xf16>) -> (tensor<1x8x12x8xf16>) loc("y")
    return %y : tensor<1x8x12x8xf16>
  }
}

// -----

// One filter is held, the other one is loaded for every section.
module @reloaded attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w1 = "top.Weight"() : () -> tensor<1x8x1x8xf16> loc("w1")
    %w2 = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w2")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 80, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [5, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("x")
      %w1l = "tpu.Load"(%w1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 16, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x8xf16>) -> tensor<1x8x1x8xf16> loc("w1l")
      %w2l = "tpu.Load"(%w2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [72], id = 2, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("w2l")
      %c = "tpu.Conv2D"(%x, %w1l) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 80, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [5, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x8xf16>) -> tensor<1x8x8x8xf16> loc("c")
      %d = "tpu.Conv2D"(%c, %w2l) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 640, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x8x8xf16> loc("d")
      %s = "tpu.Store"(%d, %none) {ginfo = #tpu.lg<out_addr = 640, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16> loc("d")
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 2, 5, -2, 4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) loc("y")
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// Images and channels are cut; the weight along channels only.
module @grid attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<2x16x4x4xf16>, %in2: tensor<2x16x4x4xf16>) -> (tensor<2x16x4x4xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x16x1x1xf16> loc("w")
    %y = "tpu.Group"(%in, %in2) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [4], w_idx = [0], w_slice = [4], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x16x4x4xf16>) -> tensor<2x16x4x4xf16> loc("x")
      %z = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 32, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [4], w_idx = [0], w_slice = [4], id = 1, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x16x4x4xf16>) -> tensor<2x16x4x4xf16> loc("z")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 64, out_size = 16, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x16x1x1xf16>) -> tensor<1x16x1x1xf16> loc("wl")
      %m = "tpu.Mul"(%x, %wl) {ginfo = #tpu.lg<out_addr = 80, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [4], w_idx = [0], w_slice = [4], id = 3, stage = 1, group_type = 0>} : (tensor<2x16x4x4xf16>, tensor<1x16x1x1xf16>) -> tensor<2x16x4x4xf16> loc("m")
      %a = "tpu.Add"(%m, %z) {ginfo = #tpu.lg<out_addr = 112, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [4], w_idx = [0], w_slice = [4], id = 4, stage = 1, group_type = 0>} : (tensor<2x16x4x4xf16>, tensor<2x16x4x4xf16>) -> tensor<2x16x4x4xf16> loc("a")
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 112, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [4], w_idx = [0], w_slice = [4], id = 5, stage = 2, group_type = 0>} : (tensor<2x16x4x4xf16>, none) -> tensor<2x16x4x4xf16> loc("a")
      "tpu.Yield"(%s) : (tensor<2x16x4x4xf16>) -> ()
    }) {nsecs = 2 : i64, csecs = 2 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 1, 5, -2, 4, -3, 0, 2], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<2x16x4x4xf16>, tensor<2x16x4x4xf16>) -> (tensor<2x16x4x4xf16>) loc("y")
    return %y : tensor<2x16x4x4xf16>
  }
}

// -----

// A table for every lane, a concatenation of channels, two outputs.
module @concat attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xi8>, %in2: tensor<1x16x8x8xi8>) -> (tensor<1x8x8x8xi8>, tensor<1x24x8x8xi8>) {
    %none = "top.None"() : () -> none
    %t = "top.Weight"() : () -> tensor<1x1x1x256xi8> loc("t")
    %y:2 = "tpu.Group"(%in, %in2) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xi8>) -> tensor<1x8x8x8xi8> loc("x")
      %tl = "tpu.Load"(%t) {do_bcast = true, ginfo = #tpu.lg<out_addr = 256, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [1], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [256], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x1x1x256xi8>) -> tensor<1x1x1x256xi8> loc("tl")
      %z = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 512, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x16x8x8xi8>) -> tensor<1x16x8x8xi8> loc("z")
      %l = "tpu.Lut"(%x, %tl) {ginfo = #tpu.lg<out_addr = 1024, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xi8>, tensor<1x1x1x256xi8>) -> tensor<1x8x8x8xi8> loc("l")
      %k = "tpu.Concat"(%l, %z) {axis = 1 : si32, ginfo = #tpu.lg<out_addr = 2048, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [24], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xi8>, tensor<1x16x8x8xi8>) -> tensor<1x24x8x8xi8> loc("k")
      %s1 = "tpu.Store"(%l, %none) {ginfo = #tpu.lg<out_addr = 1024, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>} : (tensor<1x8x8x8xi8>, none) -> tensor<1x8x8x8xi8> loc("l")
      %s2 = "tpu.Store"(%k, %none) {ginfo = #tpu.lg<out_addr = 2048, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [24], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 6, stage = 2, group_type = 0>} : (tensor<1x24x8x8xi8>, none) -> tensor<1x24x8x8xi8> loc("k")
      "tpu.Yield"(%s1, %s2) : (tensor<1x8x8x8xi8>, tensor<1x24x8x8xi8>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 2, 6, -2, 4, 5, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xi8>, tensor<1x16x8x8xi8>) -> (tensor<1x8x8x8xi8>, tensor<1x24x8x8xi8>) loc("y")
    return %y#0, %y#1 : tensor<1x8x8x8xi8>, tensor<1x24x8x8xi8>
  }
}

// -----

// Two users of a tensor need different rows; a part of its section is stored.
module @branches attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w")
    %y:2 = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 80, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [5, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("wl")
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 512, out_size = 80, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [5, 5], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("a")
      %c = "tpu.Conv2D"(%a, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 1024, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x8x8xf16> loc("c")
      %r = "tpu.Sub"(%c, %a) {ginfo = #tpu.lg<out_addr = 1536, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("r")
      %s1 = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16> loc("a")
      %s2 = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 1536, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 6, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16> loc("r")
      "tpu.Yield"(%s1, %s2) : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 6, -2, 3, 5, -3, 4, -4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) loc("y")
    return %y#0, %y#1 : tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>
  }
}

// -----

// A transposed convolution; two sections of it read the same row.
module @deconv attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x4x4xf16>, %in2: tensor<1x8x8x8xf16>) -> (tensor<1x16x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x32xf16> loc("w")
    %y = "tpu.Group"(%in, %in2) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 16, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 1, 3], h_slice = [2, 2, 1], w_idx = [0], w_slice = [4], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 64, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [32], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x32xf16>) -> tensor<1x8x1x32xf16> loc("wl")
      %z = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("z")
      %d = "tpu.Deconv"(%x, %wl) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x4x4xf16>, tensor<1x8x1x32xf16>) -> tensor<1x8x8x8xf16> loc("d")
      %k = "tpu.Concat"(%d, %z) {axis = 1 : si32, ginfo = #tpu.lg<out_addr = 1024, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> tensor<1x16x8x8xf16> loc("k")
      %s = "tpu.Store"(%k, %none) {ginfo = #tpu.lg<out_addr = 1024, out_size = 96, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [16], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 2], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x16x8x8xf16>, none) -> tensor<1x16x8x8xf16> loc("k")
      "tpu.Yield"(%s) : (tensor<1x16x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 2, 5, -2, 4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x4x4xf16>, tensor<1x8x8x8xf16>) -> (tensor<1x16x8x8xf16>) loc("y")
    return %y : tensor<1x16x8x8xf16>
  }
}

// -----

// The first load of the second group runs in the first one, whose last store runs in the second.
module @neighbours attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x9x8xf16>, %in2: tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) {
    %none = "top.None"() : () -> none
    %m = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16> loc("x")
      %a = "tpu.Relu"(%x) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16> loc("a")
      %s = "tpu.Store"(%a, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 2, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16> loc("a")
      "tpu.Yield"(%s) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 1, -3, 0], self_up_overlap_op = [], self_down_overlap_op = [2], other_up_overlap_op = [-3, 0], other_down_overlap_op = []} : (tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) loc("m")
    %y = "tpu.Group"(%m, %in2) ({
      %p = "tpu.Load"(%m) {do_bcast = false, ginfo = #tpu.lg<out_addr = 256, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16> loc("p")
      %q = "tpu.Load"(%in2) {do_bcast = false, ginfo = #tpu.lg<out_addr = 384, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 1, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16> loc("q")
      %r = "tpu.Add"(%p, %q) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> tensor<1x8x9x8xf16> loc("r")
      %t = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 512, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3, 6], h_slice = [3, 3, 3], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x9x8xf16>, none) -> tensor<1x8x9x8xf16> loc("r")
      "tpu.Yield"(%t) : (tensor<1x8x9x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 3 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, -2, 3, 1, -3, 0], self_up_overlap_op = [0], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = [-2, 2]} : (tensor<1x8x9x8xf16>, tensor<1x8x9x8xf16>) -> (tensor<1x8x9x8xf16>) loc("y")
    return %y : tensor<1x8x9x8xf16>
  }
}

// -----

// One section: bytes are used again by other stages of the same row.
module @linear attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf32>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("wl")
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x8x8xf16> loc("c")
      %a = "tpu.Active"(%c) {mode = #tpu<active_mode SILU>, ginfo = #tpu.lg<out_addr = 0, out_size = 128, buffer_addr = 128, buffer_size = 64, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("a")
      %r = "tpu.Cast"(%a) {with_scale = true, ginfo = #tpu.lg<out_addr = 128, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf32> loc("r")
      %s = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 128, out_size = 256, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf32>, none) -> tensor<1x8x8x8xf32> loc("r")
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf32>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 5, -2, 3, -3, 4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf32>) loc("y")
    return %y : tensor<1x8x8x8xf32>
  }
}

// -----

// Two ops in one row, one of which reads what the other one makes.
module @merged attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x8x1x72xf16> loc("w")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 80, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 3], h_slice = [5, 5], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 128, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x8x1x72xf16>) -> tensor<1x8x1x72xf16> loc("wl")
      %c = "tpu.Conv2D"(%x, %wl) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 512, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x1x72xf16>) -> tensor<1x8x8x8xf16> loc("c")
      %a = "tpu.Relu"(%c) {ginfo = #tpu.lg<out_addr = 1024, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("a")
      %r = "tpu.Mul"(%a, %c) {ginfo = #tpu.lg<out_addr = 1536, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<1x8x8x8xf16>, tensor<1x8x8x8xf16>) -> tensor<1x8x8x8xf16> loc("r")
      %s = "tpu.Store"(%r, %none) {ginfo = #tpu.lg<out_addr = 1536, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 5, stage = 2, group_type = 0>} : (tensor<1x8x8x8xf16>, none) -> tensor<1x8x8x8xf16> loc("r")
      "tpu.Yield"(%s) : (tensor<1x8x8x8xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 2, 3, 5, -2, 4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x8x8x8xf16>) -> (tensor<1x8x8x8xf16>) loc("y")
    return %y : tensor<1x8x8x8xf16>
  }
}

// -----

// Rows of a matrix are cut, which lie on axis c.
module @matrices attributes {module.chip = "cv184x"} {
  func.func @main(%in: tensor<1x16x24xf16>) -> (tensor<1x16x8xf32>) {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<1x24x8xf16> loc("w")
    %y = "tpu.Group"(%in) ({
      %x = "tpu.Load"(%in) {do_bcast = false, ginfo = #tpu.lg<out_addr = 0, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [24], w_idx = [0], w_slice = [1], id = 0, stage = 0, group_type = 4>, lmem_type = 1 : i64} : (tensor<1x16x24xf16>) -> tensor<1x16x24xf16> loc("x")
      %wl = "tpu.Load"(%w) {do_bcast = false, ginfo = #tpu.lg<out_addr = 64, out_size = 48, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [24], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [1], id = 1, stage = 0, group_type = 4>, lmem_type = 1 : i64} : (tensor<1x24x8xf16>) -> tensor<1x24x8xf16> loc("wl")
      %m = "tpu.MatMul"(%x, %wl) {ginfo = #tpu.lg<out_addr = 256, out_size = 16, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [1], id = 2, stage = 1, group_type = 4>} : (tensor<1x16x24xf16>, tensor<1x24x8xf16>) -> tensor<1x16x8xf16> loc("m")
      %e = "tpu.Softmax"(%m) {axis = 2 : si32, ginfo = #tpu.lg<out_addr = 320, out_size = 16, buffer_addr = 512, buffer_size = 64, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [1], id = 3, stage = 1, group_type = 4>} : (tensor<1x16x8xf16>) -> tensor<1x16x8xf16> loc("e")
      %f = "tpu.Cast"(%e) {with_scale = true, ginfo = #tpu.lg<out_addr = 384, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [1], id = 4, stage = 1, group_type = 4>} : (tensor<1x16x8xf16>) -> tensor<1x16x8xf32> loc("f")
      %s = "tpu.Store"(%f, %none) {ginfo = #tpu.lg<out_addr = 384, out_size = 32, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0, 8], c_slice = [8, 8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [8], w_idx = [0], w_slice = [1], id = 5, stage = 2, group_type = 4>} : (tensor<1x16x8xf32>, none) -> tensor<1x16x8xf32> loc("f")
      "tpu.Yield"(%s) : (tensor<1x16x8xf32>) -> ()
    }) {nsecs = 1 : i64, csecs = 2 : i64, dsecs = 1 : i64, hsecs = 1 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 4 : i64, flow = [-1, 2, 5, -2, 3, -3, 4, 0, 1], self_up_overlap_op = [], self_down_overlap_op = [], other_up_overlap_op = [], other_down_overlap_op = []} : (tensor<1x16x24xf16>) -> (tensor<1x16x8xf32>) loc("y")
    return %y : tensor<1x16x8xf32>
  }
}

// -----

// Rows stay from section to section, in two images: for the kernels, and for the sum, which lags behind.
module @lines attributes {module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %2 = "tpu.Group"(%arg0) ({
      %3 = "tpu.Load"(%arg0) {do_bcast = false, ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 9, 16], h_slice = [9, 7, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %4 = "tpu.Load"(%1) {do_bcast = false, ginfo = #tpu.lg<out_addr = 336, out_size = 144, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [72], id = 1, stage = 1, group_type = 0>, lmem_type = 0 : i64} : (tensor<8x8x3x3xf16>) -> tensor<1x8x1x72xf16> loc("w")
      %5 = "tpu.LineBuffer"(%3) {ginfo = #tpu.lg<out_addr = 160, out_size = 144, buffer_addr = 0, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 6], w_idx = [0], w_slice = [8], id = 2, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16>
      %6 = "tpu.Conv2D"(%5, %4, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 128, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 8, 15], h_slice = [8, 7, 5], w_idx = [0], w_slice = [8], id = 3, stage = 1, group_type = 0>, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<2x8x20x8xf16>, tensor<1x8x1x72xf16>, none) -> tensor<2x8x20x8xf16> loc("c")
      %7 = "tpu.LineBuffer"(%6) {ginfo = #tpu.lg<out_addr = 480, out_size = 144, buffer_addr = 304, buffer_size = 32, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 6, 13], h_slice = [8, 9, 7], w_idx = [0], w_slice = [8], id = 4, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("c")
      %8 = "tpu.Pool2D"(%7) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 5, stage = 1, group_type = 0>, kernel_shape = [3, 3], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, strides = [1, 1]} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("d")
      %9 = "tpu.Add"(%8, %5) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 6, stage = 1, group_type = 0>} : (tensor<2x8x20x8xf16>, tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
      %10 = "tpu.Store"(%9, %0) {ginfo = #tpu.lg<out_addr = 32, out_size = 112, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0, 1], n_slice = [1, 1], c_idx = [0], c_slice = [8], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [7, 7, 6], w_idx = [0], w_slice = [8], id = 7, stage = 2, group_type = 0>} : (tensor<2x8x20x8xf16>, none) -> tensor<2x8x20x8xf16> loc("r")
      "tpu.Yield"(%10) : (tensor<2x8x20x8xf16>) -> () loc("r")
    }) {csecs = 1 : i64, dsecs = 1 : i64, flow = [-1, 2, 1, 7, -2, 3, -3, 4, -4, 5, -5, 6, 0], group_type = 0 : i64, hsecs = 3 : i64, nsecs = 2 : i64, other_down_overlap_op = [], other_up_overlap_op = [], self_down_overlap_op = [], self_up_overlap_op = [], swpipl_stage_num = 3 : i64, wsecs = 1 : i64} : (tensor<2x8x20x8xf16>) -> tensor<2x8x20x8xf16> loc("r")
    return %2 : tensor<2x8x20x8xf16>
  }
}

// RUN: tpuc-opt %s --split-input-file --tpu-local-report --verify-diagnostics -o /dev/null
// RUN: not tpuc-opt %S/basic.mlir --tpu-local-report=format=poem -o /dev/null 2>&1 | FileCheck %s --check-prefix=POEM
// RUN: not tpuc-opt %S/basic.mlir --tpu-local-report=group=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not tpuc-opt %S/basic.mlir --tpu-local-report="format=json group=0" 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not tpuc-opt %S/basic.mlir --tpu-local-report=file=%t.none/x -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tpuc-opt %S/basic.mlir --tpu-local-report=chip=none -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP

// POEM: error: unknown report format 'poem'; formats: text, table, json, svg, html [TPUMEM-E005]
// GROUP: error: option 'group' is 1, but the module has 1 groups [TPUMEM-E005]
// ALL: error: option 'group' is for text, svg and html; 'json' has all groups [TPUMEM-E005]
// FILE: error: cannot write {{.*}} [TPUMEM-E017]
// CHIP: error: unknown chip 'none'

// Three parts where the group has two.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %y = "tpu.Group"(%g) ({
      // expected-error @+1 {{'tpu.Load#0' has 3 parts on axis h, but the group has 2 [TPUMEM-E041]}}
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 7, 14], h_slice = [9, 9, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

// -----

// A part of nothing.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %y = "tpu.Group"(%g) ({
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      // expected-error @+1 {{'tpu.Pool2D#0' has a part of 0 elements on axis h [TPUMEM-E041]}}
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 0], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

// -----

// Beyond all numbers.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %y = "tpu.Group"(%g) ({
      // expected-error @+1 {{'tpu.Load#0' has 1152 bytes at address 9223372036854775807, beyond any lane [TPUMEM-E044]}}
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 9223372036854775807, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

// -----

// No schedule.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %y = "tpu.Group"(%g) ({
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      // expected-error @+1 {{'tpu.Load#0' (id 2) is not in the group's 'flow': it never runs [TPUMEM-E050]}}
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

// -----

// More sections than anybody could look at.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      // expected-error @+1 {{the group has 8388608 sections, more than can be counted [TPUMEM-E040]}}
    %y = "tpu.Group"(%g) ({
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 4194304 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

// -----

// A part as long as nothing is.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16>
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32>
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %y = "tpu.Group"(%g) ({
      // expected-error @+1 {{'tpu.Load#0' has a part of 9223372036854775807 elements on axis c [TPUMEM-E041]}}
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [9223372036854775807], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16>
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32>
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16>
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    return %y : tensor<1x64x32x32xf16>
  }
}

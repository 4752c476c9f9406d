// Two sections of a convolution, a pooling that needs a row of the other
// section, and a product that takes the pooling's place; the filter is held,
// the bias is loaded for each section and shares a bank with the filter.
// RUN: tpuc-opt %s --tpu-local-report -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: tpuc-opt %s --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %s "--tpu-local-report=format=json file=%t.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: tpuc-opt %s --tpu-local-report=format=svg -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG
// RUN: tpuc-opt %s "--tpu-local-report=format=html group=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=HTML
// RUN: tpuc-opt %s "--tpu-local-report=chip=bm1688 format=table" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// CHECK: module net, chip bm1684x: 64 lanes of 256.0 KiB in 16 banks, execution units of 64 B
// CHECK: group  layers  rows  n c d h w    peak  bound  conflicts   loaded   stored  recompute  reload  cycles  waits  name
// CHECK:     0       3     3  1 1 1 2 1  50,176  4,420          1  221,696  131,072       1.06    1.12  10,388  4,896  m
// CHECK: in groups       1       3  221,696  131,072  352,768  10,388  4,896
// CHECK: global                  1  131,072  131,072  262,144   4,296      0
// CHECK: total           1       4  352,768  262,144  614,912  14,684  4,896
// CHECK: traffic 614,912 B: 1.83 times the least, 336,128 B (weights and inputs once 205,056 B, outputs once 131,072 B); layer by layer 1,122,560 B
// CHECK: group 0 'm' in main
// CHECK:   peak 50,176 B of 262,144 B, lower bound 4,420 B at step 0 of 3; 1 conflicts, 2 rows
// CHECK:   40,763,392 of 38,404,096 operations (1.06), 147,456 B of 131,072 B of activations loaded (1.12)
// CHECK:       0    2  load      0  tpu.Load    x
// CHECK:       0    2  load      1  tpu.Load    w     held
// CHECK:       1    0  compute   3  tpu.Conv2D  c
// CHECK:       2    0  store     6  tpu.Store   m
// CHECK:   [16384, 17536)  1,152      1  [2, 3) [0, 1)  activation       x
// CHECK:        [0, 1152)  1,152      0         [0, 3)  weight           w
// CHECK:     [1216, 1220)      4      0  [2, 3) [0, 1)  reloaded weight  b
// CHECK:   [32768, 33856)  1,088      2         [0, 2)  result           c
// CHECK:   [49152, 50176)  1,024      3         [1, 3)  result           p
// CHECK:   [49152, 50176)  1,024      3  [2, 3) [0, 1)  result           m     in place of p
// TABLE: total
// TABLE-NOT: activation
// JSON: "bound": {
// JSON-NEXT: "barrierBytes": 0,
// JSON-NEXT: "loadBytes": 205056,
// JSON-NEXT: "storeBytes": 131072,
// JSON-NEXT: "trafficBytes": 336128
// JSON: "globalLayers"
// JSON: "name": "g",
// JSON: "lowerBoundBytes": 4420
// JSON: "layerByLayerBytes": 1122560
// JSON: "trafficBytes": 614912
// SVG: <svg
// SVG: group 0: 3 layers in 3 rows, 1 x 1 x 1 x 2 x 1 sections (n, c, d, h, w): m
// SVG: data-b="0.0"><title>x
// SVG: </svg>
// HTML: <!DOCTYPE html>
// HTML: <h2 id="g0">
// HTML: <tr data-b="0.1"
// HTML: </html>
// OTHER: module net, chip bm1688: 32 lanes of 128.0 KiB in 16 banks, execution units of 16 B
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> {
    %none = "top.None"() : () -> none
    %wg = "top.Weight"() : () -> tensor<1x64x1x576xf16> loc("w")
    %bg = "top.Weight"() : () -> tensor<1x64x1x1xf32> loc("b")
    %g = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> loc("g")
    %y = "tpu.Group"(%g) ({
      %x = "tpu.Load"(%g) {ginfo = #tpu.lg<out_addr = 16384, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 14], h_slice = [18, 18], w_idx = [0], w_slice = [32], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> loc("x")
      %w = "tpu.Load"(%wg) {ginfo = #tpu.lg<out_addr = 0, out_size = 1152, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x576xf16>) -> tensor<1x64x1x576xf16> loc("w")
      %b = "tpu.Load"(%bg) {ginfo = #tpu.lg<out_addr = 1216, out_size = 4, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 0], h_slice = [1, 1], w_idx = [0], w_slice = [1], id = 2, stage = 0, group_type = 0>, lmem_type = 0 : i64} : (tensor<1x64x1x1xf32>) -> tensor<1x64x1x1xf32> loc("b")
      %c = "tpu.Conv2D"(%x, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, ginfo = #tpu.lg<out_addr = 32768, out_size = 1088, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 15], h_slice = [17, 17], w_idx = [0], w_slice = [32], id = 3, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x1x576xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16> loc("c")
      %p = "tpu.Pool2D"(%c) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 4, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> loc("p")
      %m = "tpu.Mul"(%p, %p) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 5, stage = 1, group_type = 0>} : (tensor<1x64x32x32xf16>, tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> loc("m")
      %s = "tpu.Store"(%m, %none) {ginfo = #tpu.lg<out_addr = 49152, out_size = 1024, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [64], d_idx = [0], d_slice = [1], h_idx = [0, 16], h_slice = [16, 16], w_idx = [0], w_slice = [32], id = 6, stage = 2, group_type = 0>} : (tensor<1x64x32x32xf16>, none) -> tensor<1x64x32x32xf16> loc("m")
      "tpu.Yield"(%s) : (tensor<1x64x32x32xf16>) -> ()
    }) {nsecs = 1 : i64, csecs = 1 : i64, dsecs = 1 : i64, hsecs = 2 : i64, wsecs = 1 : i64, swpipl_stage_num = 3 : i64, group_type = 0 : i64, flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]} : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16> loc("m")
    return %y : tensor<1x64x32x32xf16>
  }
}

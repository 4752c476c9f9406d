// Steps over the border, with padding: a section that reads padding reaches the
// border where that begins.
// RUN: tpuc-opt %s --tpu-layer-group --tpu-verify-local | FileCheck %s
// RUN: tpuc-opt %s --tpu-layer-group=objective=traffic --tpu-verify-local | FileCheck %s

// CHECK: "tpu.Active"(%{{.*}}) {ginfo = #tpu.lg<{{.*}}h_idx = [0], h_slice = [3], w_idx = [0], w_slice = [3]
// CHECK: "tpu.Conv2D"
// CHECK: "tpu.Active"(%{{.*}}) {ginfo = #tpu.lg<{{.*}}h_idx = [0], h_slice = [3], w_idx = [0], w_slice = [3]
// CHECK: "tpu.Pool2D"
module @m attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x32x3x3xf16>) -> tensor<1x32x3x3xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x32x3x3xf16>) -> tensor<1x32x3x3xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<32x32x1x1xf16> loc("w")
    %n = "top.None"() : () -> none
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<1x32x3x3xf16>) -> tensor<1x32x3x3xf16> loc("a")
    %p = "tpu.Conv2D"(%a, %w, %n) {kernel_shape = [1, 1], strides = [2, 2], pads = [1, 1, 1, 1], group = 1 : i64, with_bias = false} : (tensor<1x32x3x3xf16>, tensor<32x32x1x1xf16>, none) -> tensor<1x32x3x3xf16> loc("p")
    %b = "tpu.Active"(%p) {mode = #tpu<active_mode EXP>} : (tensor<1x32x3x3xf16>) -> tensor<1x32x3x3xf16> loc("b")
    %q = "tpu.Pool2D"(%b) {kernel_shape = [1, 1], strides = [2, 2], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>} : (tensor<1x32x3x3xf16>) -> tensor<1x32x3x3xf16> loc("q")
    return %q : tensor<1x32x3x3xf16>
  }
}

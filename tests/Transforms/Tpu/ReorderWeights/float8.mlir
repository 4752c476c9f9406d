// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1690" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1690" --tpu-reorder-weights="chip=bm1690" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: sed 's/bm1690/bm1688/' %s | tpuc-opt --tpu-reorder-weights="chip=bm1688" | FileCheck %s --check-prefix=PLAIN

// Two lanes: a scale and a bias of 4 bytes, up to 64; nine taps of a block of 64
// channels. No taps are folded.
// CHECK: "top.Weight"() : () -> tensor<1x2x1x640xf8E4M3FN> loc("a_merge")
// CHECK: "tpu.Conv2D"(%{{.*}}, %{{.*}}, %{{.*}}) {coeff_merged = true,
// CHECK-SAME: out_f8_scales = [5.000000e-01, 2.500000e-01]
// CHECK-SAME: use_3ic_optimize = 0 : i64
// Without scales.
// CHECK: "top.Weight"() : () -> tensor<2x1x3x3xf8E5M2> loc("w1")
// Scales that are not the channels', a bias of another type.
// CHECK: "top.Weight"() : () -> tensor<2x2x1x1xf8E4M3FN> loc("w2")
// CHECK: out_f8_scales = [5.000000e-01]
// CHECK: "top.Weight"() : () -> tensor<2x2x1x1xf8E4M3FN> loc("w3")
// One channel, whose merged coefficient begins with a 1 as its filter does; and
// depthwise.
// CHECK: "top.Weight"() : () -> tensor<1x1x1x128xf8E4M3FN> loc("e_merge")
// CHECK: "top.Weight"() : () -> tensor<1x2x1x73xf8E4M3FN> loc("f_merge")

// PLAIN-NOT: coeff_merged = true
module @net attributes {module.chip = "bm1690", module.state = "TPU_LOWERED"} {
  func.func @main(%x: tensor<1x3x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, %y: tensor<1x2x8x8xf8E5M2>) {
    %0 = "top.None"() : () -> none
    %w0 = "top.Weight"() : () -> tensor<2x3x3x3xf8E4M3FN> loc("w0")
    %b0 = "top.Weight"() : () -> tensor<2xf32> loc("b0")
    %a = "tpu.Conv2D"(%x, %w0, %b0) {coeff_merged = false, group = 1 : i64, kernel_shape = [3, 3], out_f8_scales = [0.5, 0.25], pads = [1, 1, 1, 1], strides = [1, 1], use_3ic_optimize = 0 : i64, with_bias = true} : (tensor<1x3x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, tensor<2x3x3x3xf8E4M3FN>, tensor<2xf32>) -> tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>> loc("a")
    %w1 = "top.Weight"() : () -> tensor<2x1x3x3xf8E5M2> loc("w1")
    %b = "tpu.Conv2D"(%y, %w1, %0) {group = 2 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8xf8E5M2>, tensor<2x1x3x3xf8E5M2>, none) -> tensor<1x2x8x8xf8E5M2> loc("b")
    %w2 = "top.Weight"() : () -> tensor<2x2x1x1xf8E4M3FN> loc("w2")
    %c = "tpu.Conv2D"(%a, %w2, %0) {group = 1 : i64, kernel_shape = [1, 1], out_f8_scales = [0.5], pads = [0, 0, 0, 0], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, tensor<2x2x1x1xf8E4M3FN>, none) -> tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>> loc("c")
    %w3 = "top.Weight"() : () -> tensor<2x2x1x1xf8E4M3FN> loc("w3")
    %b3 = "top.Weight"() : () -> tensor<2xf16> loc("b3")
    %d = "tpu.Conv2D"(%a, %w3, %b3) {group = 1 : i64, kernel_shape = [1, 1], out_f8_scales = [0.5, 0.5], pads = [0, 0, 0, 0], strides = [1, 1], with_bias = true} : (tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, tensor<2x2x1x1xf8E4M3FN>, tensor<2xf16>) -> tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>> loc("d")
    %w4 = "top.Weight"() : () -> tensor<1x2x1x1xf8E4M3FN> loc("w4")
    %e = "tpu.Conv2D"(%d, %w4, %0) {group = 1 : i64, kernel_shape = [1, 1], out_f8_scales = [0.5], pads = [0, 0, 0, 0], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, tensor<1x2x1x1xf8E4M3FN>, none) -> tensor<1x1x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>> loc("e")
    %w5 = "top.Weight"() : () -> tensor<2x1x3x3xf8E4M3FN> loc("w5")
    %f = "tpu.Conv2D"(%a, %w5, %0) {group = 2 : i64, kernel_shape = [3, 3], out_f8_scales = [0.5, 0.5], pads = [1, 1, 1, 1], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>>, tensor<2x1x3x3xf8E4M3FN>, none) -> tensor<1x2x8x8x!quant.calibrated<f8E4M3FN<-448.0:448.0>>> loc("f")
    return
  }
}

// RUN: tpuc-opt %s --tpu-reorder-weights="chip=cv181x" | FileCheck %s --check-prefix=QDM
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684x" | FileCheck %s --check-prefix=MERGED
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1688" | FileCheck %s --check-prefix=WORDS
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=cv181x" --tpu-reorder-weights="chip=cv181x" | FileCheck %s --check-prefix=QDM
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684" | FileCheck %s --check-prefix=NONE
// RUN: not tpuc-opt %s --tpu-reorder-weights="chip=cv181x weights-out=%t.npz" 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not tpuc-opt %s --tpu-reorder-weights="chip=cv181x weights=%t.none" 2>&1 | FileCheck %s --check-prefix=FILE

// Three input channels are four in memory, of a depthwise filter one is one.
// QDM: %[[B:.*]] = "top.Weight"() : () -> tensor<1x2x1x9xi8>
// QDM-NEXT: %[[W:.*]] = "top.Weight"() : () -> tensor<1x2x9x4xsi8>
// QDM-NEXT: "tpu.Conv2D"(%{{.*}}, %[[W]], %[[B]])
// QDM-NOT: multiplier
// QDM-SAME: use_3ic_optimize = 4 : i64
// Without a bias there are five bytes a channel.
// QDM: "top.Weight"() : () -> tensor<1x2x1x5xi8>
// QDM-NEXT: "top.Weight"() : () -> tensor<1x2x3x3xsi8>
// Floats stay.
// QDM: "top.Weight"() : () -> tensor<2x2x1x1xbf16>

// All taps of three channels are one block: 64 + 64.
// MERGED: %[[M:.*]] = "top.Weight"() : () -> tensor<1x2x1x128xsi8>
// MERGED: "tpu.Conv2D"(%{{.*}}, %[[M]], %{{.*}}) {coeff_merged = true
// MERGED-SAME: use_3ic_optimize = 3 : i64
// The filter of a channel begins behind 12 bytes.
// MERGED: "top.Weight"() : () -> tensor<1x2x1x21xsi8>

// Two words, and blocks of 32 channels: 16 + 32.
// WORDS: "top.Weight"() : () -> tensor<1x2x1x48xsi8>

// NONE: tensor<2x3x3x3xsi8>
// NUMBERS: error: 'weights-out' needs 'weights': there are no numbers to write [TPUMEM-E018]
// FILE: error: cannot read '{{.*}}.none': {{.*}}[TPUMEM-E017]
module @net attributes {module.chip = "cv181x", module.state = "TPU_LOWERED"} {
  func.func @main(%x: tensor<1x3x8x8x!quant.uniform<i8:f32, 0.01>>) -> tensor<1x2x8x8xbf16> {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<2x3x3x3xsi8> loc("a_filter_i8")
    %2 = "top.Weight"() : () -> tensor<1x2x1x1xi32> loc("a_bias_int32")
    %3 = "tpu.Conv2D"(%x, %1, %2) {coeff_merged = false, group = 1 : i64, kernel_shape = [3, 3], multiplier = [1073741824, 1073741824], pads = [1, 1, 1, 1], rshift = [9, 8], strides = [1, 1], with_bias = true} : (tensor<1x3x8x8x!quant.uniform<i8:f32, 0.01>>, tensor<2x3x3x3xsi8>, tensor<1x2x1x1xi32>) -> tensor<1x2x8x8x!quant.uniform<i8:f32, 0.02>> loc("a")
    %4 = "top.Weight"() : () -> tensor<2x1x3x3xsi8> loc("b_filter_i8")
    %5 = "tpu.Conv2D"(%3, %4, %0) {coeff_merged = false, group = 2 : i64, kernel_shape = [3, 3], multiplier = [1073741824, 1073741824], pads = [1, 1, 1, 1], rshift = [9, 8], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8x!quant.uniform<i8:f32, 0.02>>, tensor<2x1x3x3xsi8>, none) -> tensor<1x2x8x8x!quant.uniform<i8:f32, 0.02>> loc("b")
    %6 = "tpu.Cast"(%5) {with_scale = true} : (tensor<1x2x8x8x!quant.uniform<i8:f32, 0.02>>) -> tensor<1x2x8x8xbf16> loc("b_bf16")
    %7 = "top.Weight"() : () -> tensor<2x2x1x1xbf16> loc("c_w")
    %8 = "tpu.Conv2D"(%6, %7, %0) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1], with_bias = false} : (tensor<1x2x8x8xbf16>, tensor<2x2x1x1xbf16>, none) -> tensor<1x2x8x8xbf16> loc("c")
    return %8 : tensor<1x2x8x8xbf16>
  }
}

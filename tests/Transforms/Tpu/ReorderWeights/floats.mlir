// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1688" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=BLOCKS
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1688" --tpu-reorder-weights="chip=bm1688" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=BLOCKS
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684x" | FileCheck %s --check-prefix=LONGER
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=cv184x" | FileCheck %s --check-prefix=SHORTER
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=cv181x" | FileCheck %s --check-prefix=PLAIN
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684" | FileCheck %s --check-prefix=PLAIN

// Five rows of three channels are a block of 16.
// BLOCKS: "top.Weight"() {origin = "w0"} : () -> tensor<1x24x1x80xf16> loc("a_filter_reorderd")
// BLOCKS: "tpu.Conv2D"
// BLOCKS-SAME: use_3ic_optimize = 1 : i64
// A depthwise filter has no blocks.
// BLOCKS: "top.Weight"() : () -> tensor<1x24x3x3xf16> loc("w1_f16")
// What a lowering has renamed is known by its first name; two that read it agree.
// BLOCKS: "top.Weight"() {origin = "w2"} : () -> tensor<1x24x1x32xf16> loc("c_filter_reorderd")
// Spread out taps are no neighbours.
// BLOCKS: "top.Weight"() {origin = "w3"} : () -> tensor<1x2x1x288xf16> loc("d_filter_reorderd")
// Two that read it otherwise, and something else that does.
// BLOCKS: "top.Weight"() : () -> tensor<2x2x3x3xf16> loc("w4")
// BLOCKS: "top.Weight"() : () -> tensor<1x24x1x1xf16> loc("w5")
// One output channel.
// BLOCKS: "top.Weight"() {origin = "w6"} : () -> tensor<1x1x1x288xf16> loc("h_filter_reorderd")

// LONGER: tensor<1x24x1x160xf16>
// LONGER: tensor<1x24x3x3xf16>
// LONGER: tensor<1x24x1x32xf16>
// LONGER: tensor<1x2x1x288xf16>

// SHORTER: tensor<1x24x1x200xf16>
// SHORTER-NOT: use_3ic_optimize
// SHORTER: return

// PLAIN: tensor<24x3x5x5xf16>
// PLAIN: tensor<24x1x3x3xf16>
// PLAIN: tensor<24x24x1x1xf16>
module @net attributes {module.chip = "bm1688", module.state = "TPU_LOWERED"} {
  func.func @main(%x: tensor<1x3x8x8xf16>) -> (tensor<1x24x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x24x8x8xf16>, tensor<1x1x8x8xf16>) {
    %0 = "top.None"() : () -> none
    %w0 = "top.Weight"() : () -> tensor<24x3x5x5xf16> loc("w0")
    %a = "tpu.Conv2D"(%x, %w0, %0) {group = 1 : i64, kernel_shape = [5, 5], pads = [2, 2, 2, 2], strides = [1, 1]} : (tensor<1x3x8x8xf16>, tensor<24x3x5x5xf16>, none) -> tensor<1x24x8x8xf16> loc("a")
    %w1 = "top.Weight"() : () -> tensor<24x1x3x3xf16> loc("w1_f16")
    %b = "tpu.Conv2D"(%a, %w1, %0) {group = 24 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x24x8x8xf16>, tensor<24x1x3x3xf16>, none) -> tensor<1x24x8x8xf16> loc("b")
    %w2 = "top.Weight"() {origin = "w2"} : () -> tensor<24x24x1x1xf16> loc("w2_f16")
    %c = "tpu.Conv2D"(%b, %w2, %0) {group = 1 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x24x8x8xf16>, tensor<24x24x1x1xf16>, none) -> tensor<1x24x8x8xf16> loc("c")
    %c2 = "tpu.Conv2D"(%c, %w2, %0) {group = 1 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x24x8x8xf16>, tensor<24x24x1x1xf16>, none) -> tensor<1x24x8x8xf16> loc("c2")
    %w3 = "top.Weight"() : () -> tensor<2x24x3x3xf16> loc("w3")
    %d = "tpu.Conv2D"(%c2, %w3, %0) {dilations = [2, 2], group = 1 : i64, kernel_shape = [3, 3], pads = [2, 2, 2, 2], strides = [1, 1]} : (tensor<1x24x8x8xf16>, tensor<2x24x3x3xf16>, none) -> tensor<1x2x8x8xf16> loc("d")
    %w4 = "top.Weight"() : () -> tensor<2x2x3x3xf16> loc("w4")
    %e = "tpu.Conv2D"(%d, %w4, %0) {group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x2x8x8xf16>, tensor<2x2x3x3xf16>, none) -> tensor<1x2x8x8xf16> loc("e")
    %f = "tpu.Conv2D"(%e, %w4, %0) {dilations = [2, 2], group = 1 : i64, kernel_shape = [3, 3], pads = [2, 2, 2, 2], strides = [1, 1]} : (tensor<1x2x8x8xf16>, tensor<2x2x3x3xf16>, none) -> tensor<1x2x8x8xf16> loc("f")
    %w5 = "top.Weight"() : () -> tensor<1x24x1x1xf16> loc("w5")
    %g = "tpu.Add"(%c2, %w5) : (tensor<1x24x8x8xf16>, tensor<1x24x1x1xf16>) -> tensor<1x24x8x8xf16> loc("g")
    %w6 = "top.Weight"() : () -> tensor<1x24x3x3xf16> loc("w6")
    %h = "tpu.Conv2D"(%g, %w6, %0) {group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x24x8x8xf16>, tensor<1x24x3x3xf16>, none) -> tensor<1x1x8x8xf16> loc("h")
    return %g, %e, %f, %a, %h : tensor<1x24x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x2x8x8xf16>, tensor<1x24x8x8xf16>, tensor<1x1x8x8xf16>
  }
}

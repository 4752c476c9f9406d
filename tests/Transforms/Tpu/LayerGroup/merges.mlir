// A concat outside of groups, whose pieces are computed where it has them, moves
// nothing: no traffic is saved by a group that makes it for its reader and loads
// rows twice. One that copies would be worth such a group.
// RUN: tpuc-opt %s --tpu-local-memory="objective=traffic merges=true chip-file=%S/narrow.json" --tpu-global-memory="share=true chip-file=%S/narrow.json" | FileCheck %s
// RUN: tpuc-opt %s --tpu-local-memory="objective=traffic chip-file=%S/narrow.json" | FileCheck %s --check-prefix=COPIES
// RUN: sed 's/axis = 1/do_relu = true, axis = 1/' %s > %t.mlir
// RUN: tpuc-opt %t.mlir --tpu-local-memory="objective=traffic merges=true chip-file=%S/narrow.json" | FileCheck %s --check-prefix=COPIES

// CHECK-NOT: tpu.Group
// CHECK: "tpu.Concat"{{.*}}only_merge = true

// COPIES: "tpu.Group"
// COPIES: "tpu.Concat"

!in = tensor<1x32x13x33xf32>
!a = tensor<1x16x13x33xf32>
!b = tensor<1x8x13x33xf32>
!ab = tensor<1x24x13x33xf32>
!y = tensor<1x12x13x33xf32>
module @net attributes {module.chip = "narrow"} {
  func.func @main(%arg0: !in) -> !y {
    %n = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (!in) -> !in loc("in")
    %wa = "top.Weight"() : () -> tensor<16x32x3x3xf32> loc("wa")
    %a = "tpu.Conv2D"(%in, %wa, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (!in, tensor<16x32x3x3xf32>, none) -> !a loc("a")
    %wb = "top.Weight"() : () -> tensor<8x16x3x3xf32> loc("wb")
    %b = "tpu.Conv2D"(%a, %wb, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (!a, tensor<8x16x3x3xf32>, none) -> !b loc("b")
    %ab = "tpu.Concat"(%a, %b) {axis = 1 : si32} : (!a, !b) -> !ab loc("ab")
    %wy = "top.Weight"() : () -> tensor<12x24x3x3xf32> loc("wy")
    %y = "tpu.Conv2D"(%ab, %wy, %n) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], group = 1 : i64} : (!ab, tensor<12x24x3x3xf32>, none) -> !y loc("y")
    return %y : !y
  }
}

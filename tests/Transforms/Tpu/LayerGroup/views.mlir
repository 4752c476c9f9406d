// A view between two layers that do without it ends no group: nothing runs
// there. One of what comes before goes in front where the group, or nobody,
// reads it, else behind.
// RUN: split-file %s %t
// RUN: tpuc-opt %t/shape.mlir --tpu-layer-group="objective=traffic remarks=false" --tpu-verify-local | FileCheck %s --check-prefix=SHAPE
// RUN: tpuc-opt %t/later.mlir --tpu-layer-group="objective=traffic remarks=false" --tpu-verify-local | FileCheck %s --check-prefix=LATER
// RUN: tpuc-opt %t/inside.mlir --tpu-layer-group="objective=traffic remarks=false" --tpu-verify-local | FileCheck %s --check-prefix=INSIDE
// The program's order.
// RUN: tpuc-opt %t/shape.mlir --tpu-layer-group="objective=traffic remarks=false reorder=false" | FileCheck %s --check-prefix=KEPT
// The bytes that move: those of one group, and of two layers.
// RUN: tpuc-opt %t/shape.mlir --tpu-local-memory=objective=traffic --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: tpuc-opt %t/shape.mlir --tpu-local-memory="objective=traffic reorder=false" --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=MORE
// The numbers are those of the layers, one by one.
// RUN: tpuc-opt %t/later.mlir --tpu-local-memory=objective=traffic --tpu-global-memory --mlir-print-debuginfo -o %t/final.mlir && model_runner --model %t/final.mlir

// SHAPE: [[X:%.*]] = "top.Input"
// SHAPE: "tpu.Reshape"([[X]])
// SHAPE-NEXT: "tpu.Group"([[X]])
// SHAPE-COUNT-2: "tpu.Conv2D"
// SHAPE: "tpu.Yield"
// KEPT-NOT: tpu.Group
// BYTES: traffic 271,360 B
// MORE: traffic 542,720 B

// LATER: [[G:%.*]]:2 = "tpu.Group"
// LATER-COUNT-2: "tpu.Conv2D"
// LATER: "tpu.Yield"
// LATER: [[R:%.*]] = "tpu.Reshape"([[G]]#
// LATER-NEXT: [[S:%.*]] = "tpu.Unsqueeze"([[R]])
// LATER-NEXT: "tpu.CumSum"([[S]]

// INSIDE-NOT: tpu.Group
// INSIDE: "tpu.Conv2D"
// INSIDE-NEXT: "tpu.Reshape"
// INSIDE-NEXT: "tpu.Conv2D"

//--- shape.mlir
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x16x64x64xf16>) -> (tensor<1x16x64x64xf16>, tensor<1x65536xf16>) {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("w")
    %a = "tpu.Conv2D"(%x, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("a")
    %r = "tpu.Reshape"(%x) : (tensor<1x16x64x64xf16>) -> tensor<1x65536xf16> loc("r")
    %b = "tpu.Conv2D"(%a, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("b")
    return %b, %r : tensor<1x16x64x64xf16>, tensor<1x65536xf16>
  }
}

//--- later.mlir
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x16x64x64xf16>) -> (tensor<1x16x64x64xf16>, tensor<1x65536x1xf16>) {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("w")
    %a = "tpu.Conv2D"(%x, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("a")
    %r = "tpu.Reshape"(%a) : (tensor<1x16x64x64xf16>) -> tensor<1x65536xf16> loc("r")
    %s = "tpu.Unsqueeze"(%r) {axes = [2]} : (tensor<1x65536xf16>) -> tensor<1x65536x1xf16> loc("s")
    %v = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("v")
    %b = "tpu.Conv2D"(%a, %v, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("b")
    %i = "tpu.CumSum"(%s, %n, %n) {axis = 0 : i64} : (tensor<1x65536x1xf16>, none, none) -> tensor<1x65536x1xf16> loc("i")
    return %b, %i : tensor<1x16x64x64xf16>, tensor<1x65536x1xf16>
  }
}

//--- inside.mlir
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x16x64x64xf16>) -> tensor<4x16x32x32xf16> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("w")
    %a = "tpu.Conv2D"(%x, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("a")
    %r = "tpu.Reshape"(%a) : (tensor<1x16x64x64xf16>) -> tensor<4x16x32x32xf16> loc("r")
    %b = "tpu.Conv2D"(%r, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<4x16x32x32xf16>, tensor<16x16x3x3xf16>, none) -> tensor<4x16x32x32xf16> loc("b")
    return %b : tensor<4x16x32x32xf16>
  }
}

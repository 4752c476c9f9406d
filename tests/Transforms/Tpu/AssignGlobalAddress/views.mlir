// RUN: tpuc-opt %s --tpu-global-memory="io-mode=in_reuse" --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s

// Slices of the outermost dimension are views, also with an offset that counts
// from the end; the operands of a merged concat lie inside its result; a
// reshape is what it reshapes.
// CHECK-DAG: s0{{ +}}a{{$}}
// CHECK-DAG: s1{{ +}}a + 4096
// CHECK-DAG: c{{ +}}b + 4096
// CHECK-DAG: cat{{ +}}b{{$}}
// CHECK-DAG: r{{ +}}b{{$}}
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x1024xi8>) -> (tensor<8192xi8>, tensor<1x4x1024xi8>) {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x8x1024xi8>) -> tensor<1x8x1024xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x1024xi8>) -> tensor<1x8x1024xi8> loc("a")
    %s0 = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [1, 4, 1024], offset = [0, 0, 0], steps = [1, 1, 1]} : (tensor<1x8x1024xi8>, none, none, none, none) -> tensor<1x4x1024xi8> loc("s0")
    %s1 = "tpu.Slice"(%a, %none, %none, %none, %none) {axes = [], ends = [1, 8, 1024], offset = [0, -4, 0], steps = [1, 1, 1]} : (tensor<1x8x1024xi8>, none, none, none, none) -> tensor<1x4x1024xi8> loc("s1")
    %b = "tpu.Active"(%s0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x1024xi8>) -> tensor<1x4x1024xi8> loc("b")
    %c = "tpu.Active"(%s1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x1024xi8>) -> tensor<1x4x1024xi8> loc("c")
    %cat = "tpu.Concat"(%b, %c) {axis = 1 : si32, only_merge = true} : (tensor<1x4x1024xi8>, tensor<1x4x1024xi8>) -> tensor<1x8x1024xi8> loc("cat")
    %d = "tpu.Active"(%c) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x1024xi8>) -> tensor<1x4x1024xi8> loc("d")
    %r = "tpu.Reshape"(%cat) : (tensor<1x8x1024xi8>) -> tensor<8192xi8> loc("r")
    return %r, %d : tensor<8192xi8>, tensor<1x4x1024xi8>
  }
}

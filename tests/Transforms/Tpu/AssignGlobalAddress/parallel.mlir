// RUN: tpuc-opt %s --tpu-global-memory="io-mode=in_reuse" --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s

// The cores run at the same time: everything inside lives through the whole
// op. Pieces of a split are views; pieces of a join lie in the result.
// CHECK-DAG: [1, 8)  a{{$}}
// CHECK-DAG: [1, 8)  b      y + 4096
// CHECK-DAG: [1, 8)  a2     y
// CHECK-DAG: [1, 8)  p      w + 4096
// CHECK-DAG: [1, 9)  y{{$}}
module @net attributes {module.chip = "bm1688"} {
  func.func @main(%arg0: tensor<2x4096xi8>) -> tensor<2x4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<2x4096xi8>) -> tensor<2x4096xi8> loc("x")
    %w = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<2x4096xi8>) -> tensor<2x4096xi8> loc("w")
    %y = "tpu.CoreParallel"(%w) ({
      %p:2 = "tpu.CoreSplit"(%w) {axis = 0 : i64, size = 2 : i64} : (tensor<2x4096xi8>) -> (tensor<1x4096xi8>, tensor<1x4096xi8>) loc("p")
      %a = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("a")
      %b = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("b")
      %a2 = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("a2")
      %j = "tpu.CoreJoin"(%a2, %b) {axis = 0 : i64, size = 2 : i64} : (tensor<1x4096xi8>, tensor<1x4096xi8>) -> tensor<2x4096xi8> loc("j")
      "tpu.Yield"(%j) : (tensor<2x4096xi8>) -> ()
    }) : (tensor<2x4096xi8>) -> tensor<2x4096xi8> loc("y")
    %z = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<2x4096xi8>) -> tensor<2x4096xi8> loc("z")
    return %z : tensor<2x4096xi8>
  }
}

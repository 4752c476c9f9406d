// RUN: tpuc-opt %s --tpu-global-memory="io-mode=in_reuse" --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s

// What the body reads from outside (k) lives to the end of the loop; the
// carried state is a buffer of its own, alive through the whole loop; the
// body's own tensors are not.
// CHECK-DAG: 4,096  [0, 6)  k
// CHECK-DAG: 4,096  [2, 6)  arg2
// CHECK-DAG: 4,096  [3, 5)  t
// CHECK-DAG: 4,096  [4, 6)  u
// CHECK-DAG: 4,096  [2, 7)  y
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %m = "top.Weight"() : () -> tensor<1xi32> loc("m")
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %k = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("k")
    %i = "tpu.Active"(%k) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("i")
    %y = "tpu.Loop"(%m, %none, %i) ({
    ^bb0(%iter: tensor<1xi32>, %cond: none, %s: tensor<4096xi8>):
      %t = "tpu.Add"(%s, %k) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("t")
      %u = "tpu.Active"(%t) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("u")
      "tpu.Yield"(%cond, %u) : (none, tensor<4096xi8>) -> ()
    }) : (tensor<1xi32>, none, tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    %z = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("z")
    return %z : tensor<4096xi8>
  }
}

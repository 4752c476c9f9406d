// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x strategy=auto" | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x strategy=refcount-eol" | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x strategy=sequential" -o /dev/null

// 2 + 2 + 2 + 1 GiB alive at once: addresses and sizes beyond 32 bits.
// CHECK: module.neuron_size = 7516192768 : i64
module @large {
  func.func @main(%arg0: tensor<2147483648xi8>) -> tensor<1073741824xi8> {
    %x = "top.Input"(%arg0) : (tensor<2147483648xi8>) -> tensor<2147483648xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<2147483648xi8>) -> tensor<2147483648xi8> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<2147483648xi8>) -> tensor<2147483648xi8> loc("b")
    %none = "top.None"() : () -> none
    %y = "tpu.Gather"(%a, %b, %none) {axis = 0 : si32} : (tensor<2147483648xi8>, tensor<2147483648xi8>, none) -> tensor<1073741824xi8> loc("y")
    return %y : tensor<1073741824xi8>
  }
}

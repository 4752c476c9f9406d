// RUN: tpuc-opt %s --tpu-global-memory --tpu-memory-report=format=table -o /dev/null 2>&1 | FileCheck %s

// x is written and read twice, y is written and returned; nothing reads v.
//      CHECK: region {{.*}} served
//      CHECK: neuron {{.*}} 24.0 KiB

module @m attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %v = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("v")
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

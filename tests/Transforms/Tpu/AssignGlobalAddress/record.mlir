// RUN: tpuc-opt %s --tpu-assign-weight-address --tpu-assign-global-address=problem-file=%t.json --tpu-verify-plan=problem-file=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.json

// The first value of a piece of memory is a part of it: the record calls the whole as the value that is all of it, and the part is inside.
// CHECK: %[[X:.*]] = "top.Input"{{.*}} -> tensor<4x8xi8, [[AT:[0-9]+]] : i64>
// FILE: "name":"k"
// FILE: "name":"x"
// FILE: {"member":"x","root":"k","offsetBytes":32}
module attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED", module.mode = "F16"} {
  func.func @main(%arg0: tensor<4x8xi8>) -> tensor<8x8xi8> {
    %x = "top.Input"(%arg0) : (tensor<4x8xi8>) -> tensor<4x8xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<4x8xi8>) -> tensor<4x8xi8> loc("a")
    %k = "tpu.Concat"(%a, %x) {axis = 0 : i64, only_merge = true} : (tensor<4x8xi8>, tensor<4x8xi8>) -> tensor<8x8xi8> loc("k")
    %z = "tpu.Active"(%k) {mode = #tpu<active_mode EXP>} : (tensor<8x8xi8>) -> tensor<8x8xi8> loc("z")
    return %z : tensor<8x8xi8>
  }
}

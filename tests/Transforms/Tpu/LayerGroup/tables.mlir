// Planes stay together and channels are cut: with them what has a row or a number for each channel, of which no lane gets a copy.
// RUN: tpuc-opt %s --tpu-layer-group="chip-file=%S/small.json" --tpu-verify-local="chip-file=%S/small.json" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// CHECK: "tpu.Group"
// CHECK-DAG: do_bcast = false, {{.*}} c_idx = [0, 128, {{.*}} -> tensor<1x512x16x16xi8> loc("x")
// CHECK-DAG: do_bcast = false, {{.*}} c_idx = [0, 128, {{.*}} -> tensor<1x512x16x16xi8> loc("t")
// CHECK-DAG: do_bcast = false, {{.*}} c_idx = [0, 128, {{.*}} -> tensor<1x512x1x2xi32>
// CHECK-DAG: do_bcast = false, {{.*}} c_idx = [0, 128, {{.*}} -> tensor<1x512x1x1xi8>
// CHECK-DAG: do_bcast = true, {{.*}} c_idx = [0], {{.*}} -> tensor<1x1x1x256xi8>
// CHECK: csecs = 4 : i64
// CHECK-SAME: hsecs = 1 : i64
module @tables attributes {module.chip = "m"} {
  func.func @main(%arg0: tensor<1x512x16x16xi8>) -> tensor<1x512x1x1xi8> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x512x16x16xi8>) -> tensor<1x512x16x16xi8> loc("x")
    %t = "top.Weight"() : () -> tensor<1x512x16x16xi8> loc("t")
    %r = "top.Weight"() : () -> tensor<1x512x1x2xi32> loc("r")
    %s = "top.Weight"() : () -> tensor<1x512x1x1xi8> loc("s")
    %l = "top.Weight"() : () -> tensor<1x1x1x256xi8> loc("l")
    %0 = "tpu.ScaleLut"(%x, %t) : (tensor<1x512x16x16xi8>, tensor<1x512x16x16xi8>) -> tensor<1x512x16x16xi8> loc("a")
    %1 = "tpu.RequantIntAxis"(%0, %r) : (tensor<1x512x16x16xi8>, tensor<1x512x1x2xi32>) -> tensor<1x512x16x16xi8> loc("b")
    %2 = "tpu.PRelu"(%1, %s) : (tensor<1x512x16x16xi8>, tensor<1x512x1x1xi8>) -> tensor<1x512x16x16xi8> loc("c")
    %3 = "tpu.Lut"(%2, %l) : (tensor<1x512x16x16xi8>, tensor<1x1x1x256xi8>) -> tensor<1x512x16x16xi8> loc("d")
    %4 = "tpu.Reduce"(%3, %none, %none) {axes = [2, 3], keepdims = true, mode = "ReduceMax"} : (tensor<1x512x16x16xi8>, none, none) -> tensor<1x512x1x1xi8> loc("e")
    return %4 : tensor<1x512x1x1xi8>
  }
}

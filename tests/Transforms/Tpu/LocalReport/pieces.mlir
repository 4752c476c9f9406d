// The least is that of the network, whether an op runs in pieces on several cores or not.
// RUN: tpuc-opt %s --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --core-parallel --tpu-local-report=format=table 2>&1 | FileCheck %s --check-prefixes=CHECK,PIECES

// CHECK: 1.09 times the least, 184,549,376 B (weights and inputs once 67,108,864 B, outputs once 67,108,864 B, again 50,331,648 B)
// PIECES: tpu.CoreParallel
module @pieces attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%0: tensor<1x64x512x512xf32>) -> tensor<1x64x512x512xf32> {
    %none = "top.None"() : () -> none
    %1 = "top.Input"(%0) : (tensor<1x64x512x512xf32>) -> tensor<1x64x512x512xf32> loc("x")
    %2 = "tpu.Reduce"(%1, %none, %none) {axes = [1, 2, 3], keepdims = true, mode = "ReduceMean"} : (tensor<1x64x512x512xf32>, none, none) -> tensor<1x1x1x1xf32> loc("mean")
    %3 = "tpu.Mul"(%1, %2) : (tensor<1x64x512x512xf32>, tensor<1x1x1x1xf32>) -> tensor<1x64x512x512xf32> loc("y")
    return %3 : tensor<1x64x512x512xf32>
  }
}

// Weights begin where the chip says: at no place that they could not have. One without weights does not mind.
// RUN: split-file %s %t
// RUN: sed 's/"weightAlignment": 4096/"weightAlignment": 100/' %root/tpu_mlir/chips/bm1684x.json > %t/odd.json
// RUN: not tpuc-opt %t/weights.mlir --tpu-assign-weight-address=chip-file=%t/odd.json 2>&1 | FileCheck %s
// RUN: tpuc-opt %t/none.mlir --tpu-assign-weight-address=chip-file=%t/odd.json | FileCheck %s --check-prefix=NONE
// CHECK: error: alignment 100 of weights is not possible: on chip 'bm1684x' they begin at 4294967296, which is no multiple of it [TPUMEM-E005]
// NONE: module.coeff_size = 0

//--- weights.mlir
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %w = "top.Weight"() : () -> tensor<4xf32> loc("w")
    %1 = "tpu.Add"(%0, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("a")
    return %1 : tensor<4xf32>
  }
}

//--- none.mlir
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = "tpu.Active"(%0) {mode = #tpu<active_mode ABSVAL>} : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    return %1 : tensor<4xf32>
  }
}

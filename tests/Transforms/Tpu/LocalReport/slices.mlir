// A slice that lies in its operand moves nothing, another one does; where it lies, addresses say.

// RUN: tpuc-opt %s --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLACED
// RUN: tpuc-opt %s --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: tpuc-opt %s --tpu-global-memory --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON

// Of 4,096 bytes two ops of two tensors each, and what the second slice reads and writes.
// PLACED: global{{ +}}4{{ +}}
// PLACED: free{{ +}}1
// OPEN: global{{ +}}5{{ +}}
// OPEN-NOT: free
// JSON: "numFreeLayers": 1
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x64x4x4xf32>) -> (tensor<1x32x4x4xf32>, tensor<1x64x2x4xf32>) {
    %none = "top.None"() : () -> none
    %in = "top.Input"(%x) : (tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32> loc("x")
    %a = "tpu.Active"(%in) {mode = #tpu<active_mode EXP>} : (tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32> loc("a")
    %b = "tpu.Slice"(%a, %none, %none, %none, %none) {offset = [0, 16, 0, 0], steps = [1, 1, 1, 1], ends = [1, 48, 4, 4], axes = []} : (tensor<1x64x4x4xf32>, none, none, none, none) -> tensor<1x32x4x4xf32> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode EXP>} : (tensor<1x32x4x4xf32>) -> tensor<1x32x4x4xf32> loc("c")
    %d = "tpu.Slice"(%a, %none, %none, %none, %none) {offset = [0, 0, 1, 0], steps = [1, 1, 1, 1], ends = [1, 64, 3, 4], axes = []} : (tensor<1x64x4x4xf32>, none, none, none, none) -> tensor<1x64x2x4xf32> loc("d")
    %e = "tpu.Active"(%d) {mode = #tpu<active_mode EXP>} : (tensor<1x64x2x4xf32>) -> tensor<1x64x2x4xf32> loc("e")
    return %c, %e : tensor<1x32x4x4xf32>, tensor<1x64x2x4xf32>
  }
}

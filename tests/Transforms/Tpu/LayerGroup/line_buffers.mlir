// Rows that two sections need stay in local memory where the option allows it.
// RUN: tpuc-opt %s --tpu-layer-group="line-buffers=true objective=traffic" --tpu-verify-local | FileCheck %s
// RUN: tpuc-opt %s --tpu-layer-group="objective=traffic" --tpu-verify-local | FileCheck %s --check-prefix=WITHOUT
// RUN: tpuc-opt %s --tpu-layer-group="line-buffers=true objective=traffic" --tpu-layer-group="regroup=true objective=traffic remarks=false" | FileCheck %s --check-prefix=WITHOUT
// RUN: tpuc-opt %s --tpu-layer-group="line-buffers=true objective=traffic" --tpu-assign-local-address --tpu-verify-local | FileCheck %s --check-prefix=AGAIN
// RUN: tpuc-opt %s --processor-assign="chip=bm1688 num_core=2" --tpu-layer-group="line-buffers=true objective=traffic" 2> %t.cores | FileCheck %s --check-prefix=WITHOUT
// RUN: FileCheck %s --check-prefix=CORES < %t.cores
// RUN: not tpuc-opt %s --tpu-layer-group=line-buffers=perhaps 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not tpuc-opt %s --tpu-local-memory=line-buffers=perhaps 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: tpuc-opt %s --tpu-local-memory="line-buffers=true objective=traffic" --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// Inputs and outputs have 8 MiB each: nothing moves twice.
// CHECK: tpu.Group
// CHECK: %[[IN:.*]] = "tpu.Load"(%arg0)
// CHECK-SAME: h_idx = [0, [[SECOND:[0-9]+]],
// CHECK: %[[ROWS:.*]] = "tpu.LineBuffer"(%[[IN]])
// CHECK-NOT: h_idx = [0, [[SECOND]],
// CHECK: %[[A:.*]] = "tpu.Conv2D"(%[[ROWS]]
// CHECK: %[[KEPT:.*]] = "tpu.LineBuffer"(%[[A]])
// CHECK: %[[B:.*]] = "tpu.Conv2D"(%[[KEPT]]
// CHECK: "tpu.Add"(%{{.*}}, %[[ROWS]])
// WITHOUT: tpu.Group
// WITHOUT-NOT: tpu.LineBuffer
// WORD: 'perhaps' is invalid value for boolean argument
// CORES: warning: 'line-buffers' has no effect: rows stay on one core, and the network runs on 2
// AGAIN-COUNT-2: tpu.LineBuffer
// REPORT: traffic 16,924,672 B: 1.00 times the least
module @net attributes {module.chip = "bm1688"} {
  func.func @main(%arg0: tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<64x64x3x3xf16> loc("w")
    %v = "top.Weight"() : () -> tensor<64x64x3x3xf16> loc("v")
    %a = "tpu.Conv2D"(%arg0, %w, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x64x256x256xf16>, tensor<64x64x3x3xf16>, none) -> tensor<1x64x256x256xf16> loc("a")
    %b = "tpu.Conv2D"(%a, %v, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x64x256x256xf16>, tensor<64x64x3x3xf16>, none) -> tensor<1x64x256x256xf16> loc("b")
    %c = "tpu.Add"(%b, %arg0) : (tensor<1x64x256x256xf16>, tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16> loc("c")
    return %c : tensor<1x64x256x256xf16>
  }
}

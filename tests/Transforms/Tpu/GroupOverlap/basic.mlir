// Two groups of two convolutions, in eight parts along h. Where transfers decide
// how long rows take, the first one loads rows 0 to 16 of its result for the
// second one, while it computes the last ones; where computing does, it lets
// that one store those, too. A weight of the second group stays at home: its
// bytes are the first one's to the end.
// RUN: tpuc-opt %s --tpu-local-memory="chip-file=%S/slow.json max-layers=2 remarks=false" | FileCheck %s --check-prefixes=CHECK,SLOW
// RUN: tpuc-opt %s --tpu-local-memory="chip-file=%S/quick.json max-layers=2 remarks=false" | FileCheck %s --check-prefixes=CHECK,QUICK
// Once is enough.
// RUN: tpuc-opt %s --tpu-local-memory="chip-file=%S/quick.json max-layers=2 remarks=false" --tpu-group-overlap=chip-file=%S/quick.json --tpu-verify-local=chip-file=%S/quick.json | FileCheck %s --check-prefixes=CHECK,QUICK
// Without it the groups are the same, and take 420 cycles more.
// RUN: tpuc-opt %s --tpu-local-memory="chip-file=%S/quick.json max-layers=2 remarks=false overlap=false" --tpu-local-report="chip-file=%S/quick.json format=table" -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: FileCheck %s --check-prefix=EMPTY --input-file=%t.mlir
// RUN: tpuc-opt %t.mlir --tpu-group-overlap=chip-file=%S/quick.json --tpu-local-report="chip-file=%S/quick.json format=table" -o %t2.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: tpuc-opt %t2.mlir --tpu-global-memory=chip-file=%S/quick.json -o %t3.mlir
// RUN: model_runner --model %t3.mlir --chip-file %S/quick.json
// Several cores have a barrier between groups, and nothing else.
// RUN: sed 's/module @four/module @four attributes {module.cores = 2 : i64}/' %s | tpuc-opt --tpu-local-memory="chip-file=%S/slow.json max-layers=2 remarks=false" | FileCheck %s --check-prefix=EMPTY
// What runs dynamically stays as it is.
// RUN: sed 's/@main(\(.*\) {$/@main(\1 attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {/' %t.mlir | tpuc-opt --tpu-group-overlap=chip-file=%S/quick.json | FileCheck %s --check-prefix=EMPTY

// CHECK-LABEL: @four
// CHECK: flow = [-1, 3, 2, 5, -2, 4, 0, 1]
// SLOW-SAME: other_down_overlap_op = [], other_up_overlap_op = [-2, 0]{{.*}} self_down_overlap_op = [], self_up_overlap_op = []
// QUICK-SAME: other_down_overlap_op = [], other_up_overlap_op = [-2, 0]{{.*}} self_down_overlap_op = [5], self_up_overlap_op = []
// CHECK: flow = [-1, 3, 2, 5, -2, 4, 0, 1]
// SLOW-SAME: other_down_overlap_op = [], other_up_overlap_op = []{{.*}} self_down_overlap_op = [], self_up_overlap_op = [0]
// QUICK-SAME: other_down_overlap_op = [-1, 5], other_up_overlap_op = []{{.*}} self_down_overlap_op = [], self_up_overlap_op = [0]
// EMPTY-COUNT-2: other_down_overlap_op = [], other_up_overlap_op = []{{.*}} self_down_overlap_op = [], self_up_overlap_op = []
// ALONE: total {{.*}} 2,293,760 44,440 488
// SHARED: total {{.*}} 2,293,760 44,020 488
module @four {
  func.func @main(%arg0: tensor<1x64x128x64xi8>) -> tensor<1x64x128x64xi8> {
    %none = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (tensor<1x64x128x64xi8>) -> tensor<1x64x128x64xi8> loc("in")
    %w0 = "top.Weight"() : () -> tensor<64x64x1x1xi8> loc("w0")
    %c0 = "tpu.Conv2D"(%in, %w0, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64}
        : (tensor<1x64x128x64xi8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x128x64xi8> loc("c0")
    %w1 = "top.Weight"() : () -> tensor<64x64x3x3xi8> loc("w1")
    %c1 = "tpu.Conv2D"(%c0, %w1, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64}
        : (tensor<1x64x128x64xi8>, tensor<64x64x3x3xi8>, none) -> tensor<1x64x128x64xi8> loc("c1")
    %w2 = "top.Weight"() : () -> tensor<64x64x1x1xi8> loc("w2")
    %c2 = "tpu.Conv2D"(%c1, %w2, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64}
        : (tensor<1x64x128x64xi8>, tensor<64x64x1x1xi8>, none) -> tensor<1x64x128x64xi8> loc("c2")
    %w3 = "top.Weight"() : () -> tensor<64x64x3x3xi8> loc("w3")
    %c3 = "tpu.Conv2D"(%c2, %w3, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64}
        : (tensor<1x64x128x64xi8>, tensor<64x64x3x3xi8>, none) -> tensor<1x64x128x64xi8> loc("c3")
    return %c3 : tensor<1x64x128x64xi8>
  }
}

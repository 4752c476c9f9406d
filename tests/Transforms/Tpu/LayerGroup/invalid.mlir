// RUN: tpuc-opt %s --split-input-file --tpu-layer-group --verify-diagnostics -o /dev/null
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group=remarks=false -o /dev/null 2>&1 | FileCheck %s --allow-empty --check-prefix=QUIET
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=search=best -o /dev/null 2>&1 | FileCheck %s --check-prefix=SEARCH
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=objective=time -o /dev/null 2>&1 | FileCheck %s --check-prefix=OBJECTIVE
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=max-layers=-1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LAYERS
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=max-parts=0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=max-recompute=99 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORK
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=node-limit=-1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=NODES
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=chip=none -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group=chip-file=%t.none -o /dev/null 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tpuc-opt %S/doctest.mlir --tpu-layer-group -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOCHIP

// QUIET-NOT: remark: stays
// SEARCH: error: option 'search' is 'best', expected one of 'optimal', 'greedy' [TPUMEM-E005]
// OBJECTIVE: error: option 'objective' is 'time', expected one of 'balanced', 'cycles', 'traffic' [TPUMEM-E005]
// LAYERS: error: option 'max-layers' is -1, expected at least 0 [TPUMEM-E018]
// PARTS: error: option 'max-parts' is 0, expected at least 1 [TPUMEM-E018]
// WORK: error: option 'max-recompute' is 99, expected at least 100 [TPUMEM-E018]
// NODES: error: option 'node-limit' is -1, expected at least 0 [TPUMEM-E018]
// CHIP: error: unknown chip 'none'{{.*}}[TPUMEM-E003]
// FILE: error: cannot read chip file '{{.*}}.none'{{.*}}[TPUMEM-E003]
// NOCHIP: error: {{.*}}[TPUMEM-E003]

// A row of 500,000 elements cannot be cut.
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%in: tensor<1x64x8x500000xf16>) -> tensor<1x64x8x500000xf16> {
    // expected-remark @+1 {{stays global: needs 6000128 bytes of a lane's local memory, have 262144, over by 5737984, in 1 x 1 x 1 x 8 x 1 sections (n, c, d, h, w)}}
    %s = "tpu.Softmax"(%in) {axis = 3 : si32} : (tensor<1x64x8x500000xf16>) -> tensor<1x64x8x500000xf16>
    %r = "tpu.Relu"(%s) : (tensor<1x64x8x500000xf16>) -> tensor<1x64x8x500000xf16>
    return %r : tensor<1x64x8x500000xf16>
  }
}

// -----

// Nor can the filter of a transposed convolution.
module @net attributes {module.chip = "cv181x"} {
  func.func @main(%a: tensor<1x512x8x8xi8>) -> tensor<1x512x16x16xi8> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<512x512x4x4xi8> loc("filter")
    // expected-remark-re @+1 {{stays global: needs {{[0-9]+}} bytes of a lane's local memory, have 32768, over by {{[0-9]+}}, in {{.*}} sections (n, c, d, h, w); the largest tensor is 'filter'}}
    %d = "tpu.Deconv"(%a, %w, %none) {kernel_shape = [4, 4], strides = [2, 2], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x512x8x8xi8>, tensor<512x512x4x4xi8>, none) -> tensor<1x512x16x16xi8>
    %r = "tpu.Relu"(%d) : (tensor<1x512x16x16xi8>) -> tensor<1x512x16x16xi8>
    return %r : tensor<1x512x16x16xi8>
  }
}

// What cannot run in parts says why, and nothing changes.
// RUN: not tpuc-opt %s "--tpu-section=tensors=soft dim=3" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOFT
// RUN: not tpuc-opt %s "--tpu-section=tensors=conv dim=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: not tpuc-opt %s "--tpu-section=tensors=soft;conv dim=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not tpuc-opt %s "--tpu-section=tensors={x;soft} dim=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not tpuc-opt %s "--tpu-section=tensors={soft;sum} dim=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not tpuc-opt %s "--tpu-section=tensors=soft dim=2 parts=33" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tpuc-opt %s "--tpu-section=tensors=soft dim=4" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not tpuc-opt %s "--tpu-section=tensors=soft parts=1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not tpuc-opt %s "--tpu-section=tensors=none" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: tpuc-opt %s --tpu-section -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOTHING

// SOFT: error: {{.*}}option 'tensors': the layers cannot run in parts: 'tpu.Softmax' (soft) cannot be cut along dimension 3 [TPUMEM-E018]
// WINDOW: error: {{.*}}option 'tensors': the layers cannot run in parts: 'tpu.Conv2D' (conv) reads more than the same part of 'soft' [TPUMEM-E018]
// CHANNELS: error: {{.*}}option 'tensors': the layers cannot run in parts: 'tpu.Conv2D' (conv) cannot be cut along dimension 1 [TPUMEM-E018]
// INPUT: error: {{.*}}option 'tensors': the layers cannot run in parts: 'top.Input' (x) is no op that computes parts of one result [TPUMEM-E018]
// BETWEEN: error: {{.*}}option 'tensors': the layers cannot run in parts: 'tpu.Conv2D' (conv), which is no part of the stretch, reads 'soft' in between [TPUMEM-E018]
// MANY: error: {{.*}}option 'tensors': the layers cannot run in parts: there are 32 elements in that dimension, and 33 parts [TPUMEM-E018]
// DIM: error: {{.*}}option 'tensors': the layers cannot run in parts: 'soft' has no dimension 4 [TPUMEM-E018]
// PARTS: error: {{.*}}'parts'{{.*}} [TPUMEM-E018]
// NAME: error: option 'tensors': 0 tensors are called 'none', and it has to be one [TPUMEM-E018]
// NOTHING: remark: 'tensors' names none: nothing is cut

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x32x32xf16>) -> tensor<1x8x32x32xf16> {
    %0 = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x8x32x32xf16>) -> tensor<1x8x32x32xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %s = "tpu.Softmax"(%x, %0, %0, %0, %0, %0) {axis = 3 : si32, beta = 1.000000e+00 : f64, log = false} : (tensor<1x8x32x32xf16>, none, none, none, none, none) -> tensor<1x8x32x32xf16> loc("soft")
    %c = "tpu.Conv2D"(%s, %w, %0) {dilations = [1, 1], do_relu = false, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1], with_bias = false} : (tensor<1x8x32x32xf16>, tensor<8x8x3x3xf16>, none) -> tensor<1x8x32x32xf16> loc("conv")
    %y = "tpu.Add"(%c, %s) {do_relu = false} : (tensor<1x8x32x32xf16>, tensor<1x8x32x32xf16>) -> tensor<1x8x32x32xf16> loc("sum")
    return %y : tensor<1x8x32x32xf16>
  }
}

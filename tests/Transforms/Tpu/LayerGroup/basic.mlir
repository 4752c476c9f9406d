// Every run is checked by tpu-verify-local, too.
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group=objective=traffic --tpu-verify-local > %t.optimal
// RUN: FileCheck %s < %t.optimal
// RUN: tpuc-opt %s --split-input-file "--tpu-layer-group=search=greedy max-layers=2 objective=traffic" --tpu-verify-local | FileCheck %s --check-prefix=GREEDY
// RUN: tpuc-opt %s --split-input-file "--tpu-layer-group=max-layers=2 objective=traffic" --tpu-verify-local | FileCheck %s --check-prefix=TWO
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group --tpu-verify-local | FileCheck %s --check-prefix=CYCLES
// RUN: tpuc-opt %s --split-input-file "--tpu-layer-group=cut-channels=false objective=traffic" --tpu-verify-local | FileCheck %s --check-prefix=WHOLE
// RUN: tpuc-opt %s --split-input-file "--tpu-layer-group=max-parts=2 objective=traffic" --tpu-verify-local | FileCheck %s --check-prefix=PARTS

// The same input gives the same bytes, a second run finds nothing to do, and
// what is taken apart is put together as before.
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group -o %t.once
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group -o %t.again
// RUN: diff %t.once %t.again
// RUN: tpuc-opt %t.once --split-input-file --tpu-layer-group -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: tpuc-opt %t.once --split-input-file --tpu-layer-group=regroup=true -o %t.regrouped
// RUN: diff %t.once %t.regrouped
// RUN: tpuc-opt %s --split-input-file -o %t.plain
// RUN: tpuc-opt %t.once --split-input-file "--tpu-layer-group=regroup=true max-layers=1" -o %t.apart
// RUN: diff %t.plain %t.apart

// Two sections of rows. The convolution reads one row of its neighbour's; the
// filter is loaded in blocks of 32 bytes of input channels and held.
// CHECK-LABEL: func.func @sections
// CHECK: %[[P:[0-9a-z]+]] = "tpu.Group"(%{{[0-9a-z]+}}) ({
// CHECK: "tpu.Load"
// CHECK-SAME: h_idx = [0, 127], h_slice = [129, 129], w_idx = [0], w_slice = [256], id = 0, stage = 0
// CHECK-SAME: lmem_type = 1
// CHECK: "tpu.Load"
// CHECK-SAME: eu_align = false
// CHECK-SAME: c_slice = [64]
// CHECK-SAME: h_idx = [0], h_slice = [1], w_idx = [0], w_slice = [576], id = 1, stage = 0
// CHECK-SAME: lmem_type = 0
// CHECK-SAME: (tensor<64x64x3x3xf16>) -> tensor<1x64x1x576xf16>
// CHECK: "tpu.Load"
// CHECK-SAME: (tensor<64xf32>) -> tensor<1x64x1x1xf32>
// CHECK: "tpu.Conv2D"
// CHECK-SAME: h_idx = [0, 128], h_slice = [128, 128]
// CHECK: "tpu.Relu"
// CHECK: "tpu.Pool2D"
// CHECK-SAME: h_idx = [0, 64], h_slice = [64, 64]
// CHECK: %[[S:[0-9a-z]+]] = "tpu.Store"(%{{[0-9a-z]+}}, %{{[0-9a-z]+}})
// CHECK-SAME: id = 6, stage = 2
// CHECK: "tpu.Yield"(%[[S]])
// CHECK: flow = [-1, 3, 6, -2, 4, -3, 5, 0, 1, 2]
// CHECK-SAME: hsecs = 2
// CHECK-SAME: -> tensor<1x64x128x128xf16>
// CHECK-NEXT: return %[[P]]
// CYCLES-LABEL: func.func @sections
// CYCLES: hsecs = 5
module @net attributes {module.chip = "bm1684x"} {
  func.func @sections(%in: tensor<1x64x256x256xf16>) -> tensor<1x64x128x128xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<64x64x3x3xf16> loc("w")
    %b = "top.Weight"() : () -> tensor<64xf32> loc("b")
    %c = "tpu.Conv2D"(%in, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x64x256x256xf16>, tensor<64x64x3x3xf16>, tensor<64xf32>) -> tensor<1x64x256x256xf16>
    %r = "tpu.Relu"(%c) : (tensor<1x64x256x256xf16>) -> tensor<1x64x256x256xf16>
    %p = "tpu.Pool2D"(%r) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x256x256xf16>) -> tensor<1x64x128x128xf16>
    return %p : tensor<1x64x128x128xf16>
  }
}

// -----

// Everything fits at once: one section, nothing wraps, all in stage 1.
// CHECK-LABEL: func.func @one
// CHECK: %[[NONE:[0-9a-z]+]] = "top.None"
// CHECK: "tpu.Load"
// CHECK: "tpu.Load"
// CHECK-SAME: (tensor<64x32x3x3xf16>) -> tensor<1x64x1x288xf16>
// CHECK: "tpu.Conv2D"(%{{[0-9a-z]+}}, %{{[0-9a-z]+}}, %[[NONE]])
// CHECK-NOT: stage = {{[02]}}
// CHECK: flow = [-1, 0, 1, -2, 2, -3, 3, -4, 4, -5, 5]
// CHECK-SAME: hsecs = 1
module @net attributes {module.chip = "bm1684x"} {
  func.func @one(%in: tensor<1x32x32x32xf16>) -> tensor<1x64x16x16xf16> {
    %none = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<64x32x3x3xf16> loc("w")
    %c = "tpu.Conv2D"(%in, %w, %none) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x32x32x32xf16>, tensor<64x32x3x3xf16>, none) -> tensor<1x64x32x32xf16>
    %r = "tpu.Relu"(%c) : (tensor<1x64x32x32xf16>) -> tensor<1x64x32x32xf16>
    %p = "tpu.Pool2D"(%r) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
    return %p : tensor<1x64x16x16xf16>
  }
}

// -----

// A residual, two results (one is read by an op that runs from global memory
// only, which ends the group), and a sum that is written over its operand.
// CHECK-LABEL: func.func @branches
// CHECK: %[[G:[0-9a-z]+]]:2 = "tpu.Group"(%[[IN:[0-9a-z]+]]) ({
// CHECK: "tpu.Load"(%[[IN]])
// CHECK: "tpu.Relu"
// CHECK: %[[B:[0-9a-z]+]] = "tpu.Active"
// CHECK-SAME: buffer_addr = {{[0-9]+}}, buffer_size = 4160
// CHECK: %[[S:[0-9a-z]+]] = "tpu.Add"
// CHECK: %[[BS:[0-9a-z]+]] = "tpu.Store"(%[[B]])
// CHECK: %[[SS:[0-9a-z]+]] = "tpu.Store"(%[[S]])
// CHECK: "tpu.Yield"(%[[BS]], %[[SS]])
// CHECK: %[[T:[0-9a-z]+]] = "tpu.Permute"(%[[G]]#0)
// CHECK: %[[V:[0-9a-z]+]] = "tpu.Group"(%[[G]]#1) ({
// CHECK: "tpu.Relu"
// CHECK-SAME: out_addr = [[ADDRESS:[0-9]+]], out_size = 2048
// CHECK: "tpu.Mul"
// CHECK-SAME: out_addr = [[ADDRESS]], out_size = 2048
// CHECK: return %[[V]], %[[T]]
module @net attributes {module.chip = "bm1684x"} {
  func.func @branches(%in: tensor<1x16x32x32xf16>) -> (tensor<1x16x32x32xf16>, tensor<16x1x32x32xf16>) {
    %a = "tpu.Relu"(%in) : (tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode SILU>} : (tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    %s = "tpu.Add"(%b, %in) : (tensor<1x16x32x32xf16>, tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    %t = "tpu.Permute"(%b) {order = [1, 0, 2, 3]} : (tensor<1x16x32x32xf16>) -> tensor<16x1x32x32xf16>
    %u = "tpu.Relu"(%s) : (tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    %v = "tpu.Mul"(%u, %s) : (tensor<1x16x32x32xf16>, tensor<1x16x32x32xf16>) -> tensor<1x16x32x32xf16>
    return %v, %t : tensor<1x16x32x32xf16>, tensor<16x1x32x32xf16>
  }
}

// -----

// The bias comes with the multiplier and the shift of its channel: 4 + 5 bytes.
// CHECK-LABEL: func.func @requantised
// CHECK: "tpu.Load"
// CHECK-SAME: h_idx = [0, 21, 42], h_slice = [23, 23, 22]
// CHECK: "tpu.Load"
// CHECK-SAME: (tensor<48x32x3x3xi8>) -> tensor<1x48x9x32xi8>
// CHECK: "tpu.Load"
// CHECK-SAME: out_size = 54
// CHECK-SAME: eu_align = false
// CHECK-SAME: (tensor<1x48x1x1xi32>) -> tensor<1x48x1x9xi8>
// CHECK: "tpu.Relu"
// CHECK-SAME: h_idx = [0, 22, 43], h_slice = [22, 21, 21]
// CHECK: hsecs = 3
// PARTS-LABEL: func.func @requantised
// PARTS: hsecs = 2
// PARTS-SAME: wsecs = 2
module @net attributes {module.chip = "cv181x"} {
  func.func @requantised(%in: tensor<1x32x64x64xi8>) -> tensor<1x48x64x64xi8> {
    %w = "top.Weight"() : () -> tensor<48x32x3x3xi8> loc("w")
    %b = "top.Weight"() : () -> tensor<1x48x1x1xi32> loc("b")
    %c = "tpu.Conv2D"(%in, %w, %b) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64, multiplier = [1073741824], rshift = [5]} : (tensor<1x32x64x64xi8>, tensor<48x32x3x3xi8>, tensor<1x48x1x1xi32>) -> tensor<1x48x64x64xi8>
    %r = "tpu.Relu"(%c) : (tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8>
    return %r : tensor<1x48x64x64xi8>
  }
}

// -----

// Channels are cut, too, and the rows of the filter with them: the filter is
// loaded part by part while the input is held.
// CHECK-LABEL: func.func @channels
// CHECK: "tpu.Load"
// CHECK-SAME: c_idx = [0], c_slice = [512]
// CHECK: "tpu.Load"
// CHECK-SAME: c_idx = [0, 16, 32,
// CHECK-SAME: c_slice = [16, 16, 16,
// CHECK: csecs = 32
// WHOLE-LABEL: func.func @channels
// WHOLE-NOT: tpu.Group
// WHOLE-LABEL: func.func @cut_points
module @net attributes {module.chip = "cv181x"} {
  func.func @channels(%in: tensor<1x512x2x128xi8>) -> tensor<1x512x2x1024xi8> {
    %w = "top.Weight"() : () -> tensor<512x512x1x1xi8> loc("w")
    %none = "top.None"() : () -> none
    %c = "tpu.Conv2D"(%in, %w, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (tensor<1x512x2x128xi8>, tensor<512x512x1x1xi8>, none) -> tensor<1x512x2x128xi8>
    %u = "tpu.Upsample"(%c) {scale_h = 1 : i64, scale_w = 8 : i64} : (tensor<1x512x2x128xi8>) -> tensor<1x512x2x1024xi8>
    return %u : tensor<1x512x2x1024xi8>
  }
}

// -----

// Of three layers two may share a group: the large tensor stays inside when the
// best cut is looked for, and not when the first two are taken.
// CHECK-LABEL: func.func @cut_points
// CHECK-COUNT-1: tpu.Group
// CHECK-NOT: tpu.Group
// GREEDY-LABEL: func.func @cut_points
// GREEDY: "tpu.Group"
// GREEDY: "tpu.Active"
// GREEDY: "tpu.Upsample"
// GREEDY: "tpu.Yield"
// GREEDY: "tpu.Relu"
// GREEDY-NEXT: return
// TWO-LABEL: func.func @cut_points
// TWO: "tpu.Active"
// TWO: "tpu.Group"
// TWO: "tpu.Upsample"
// TWO: "tpu.Relu"
// TWO: "tpu.Yield"
module @net attributes {module.chip = "bm1684x"} {
  func.func @cut_points(%in: tensor<1x16x8x8xf16>) -> tensor<1x16x64x64xf16> {
    %a = "tpu.Active"(%in) {mode = #tpu<active_mode SILU>} : (tensor<1x16x8x8xf16>) -> tensor<1x16x8x8xf16>
    %b = "tpu.Upsample"(%a) {scale_h = 8 : i64, scale_w = 8 : i64} : (tensor<1x16x8x8xf16>) -> tensor<1x16x64x64xf16>
    %c = "tpu.Relu"(%b) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16>
    return %c : tensor<1x16x64x64xf16>
  }
}

// -----

// Single ops, ops that always run from global memory and
// functions that are not static stay as they are.
// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: tpu.Group
// CHECK-LABEL: func.func @single
// CHECK-NOT: tpu.Group
// CHECK: "tpu.Permute"
// CHECK-NEXT: "tpu.Relu"
// CHECK-NEXT: "tpu.Permute"
// CHECK-NOT: tpu.Group
// CHECK: return
module @net attributes {module.chip = "bm1684x"} {
  func.func @dynamic(%in: tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8> attributes {mode = #tpu<run_mode TPU_DYNAMIC>} {
    %r = "tpu.Relu"(%in) : (tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8>
    %s = "tpu.Relu"(%r) : (tensor<1x48x64x64xi8>) -> tensor<1x48x64x64xi8>
    return %s : tensor<1x48x64x64xi8>
  }
  func.func @single(%in: tensor<1x4x8x8xi8>) -> tensor<1x4x8x8xi8> {
    %a = "tpu.Permute"(%in) {order = [0, 2, 1, 3]} : (tensor<1x4x8x8xi8>) -> tensor<1x8x4x8xi8>
    %b = "tpu.Relu"(%a) : (tensor<1x8x4x8xi8>) -> tensor<1x8x4x8xi8>
    %c = "tpu.Permute"(%b) {order = [0, 2, 1, 3]} : (tensor<1x8x4x8xi8>) -> tensor<1x4x8x8xi8>
    return %c : tensor<1x4x8x8xi8>
  }
}

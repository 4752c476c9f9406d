// The layers run once for each part of the heads; the mask is one for all, the
// transposition of the keys moves the heads to the front. Slices and the
// concatenation are views, and the network computes the same bits.
// RUN: tpuc-opt %s "--tpu-section=tensors={scores;masked;softmax;context} dim=1 parts=3" --mlir-print-debuginfo -o %t.cut.mlir
// RUN: FileCheck %s < %t.cut.mlir
// RUN: tpuc-opt %s --tpu-global-memory --mlir-print-debuginfo -o %t.whole.final.mlir
// RUN: tpuc-opt %t.cut.mlir --tpu-global-memory --mlir-print-debuginfo -o %t.cut.final.mlir
// RUN: model_runner --model %t.whole.final.mlir --output %t.whole.npz
// RUN: model_runner --model %t.cut.final.mlir --output %t.cut.npz
// RUN: cmp %t.whole.npz %t.cut.npz
// RUN: tpuc-opt %t.cut.mlir --tpu-local-memory --tpu-global-memory --mlir-print-debuginfo -o %t.groups.final.mlir
// RUN: model_runner --model %t.groups.final.mlir --output %t.groups.npz
// RUN: cmp %t.whole.npz %t.groups.npz
// Memory: 65,536 bytes are one tensor of scores.
// RUN: FileCheck %s --check-prefix=WHOLE < %t.whole.final.mlir
// RUN: FileCheck %s --check-prefix=PARTS < %t.cut.final.mlir
// WHOLE: module.neuron_size = 204800
// PARTS: module.neuron_size = 155648

// CHECK: %[[Q:.*]] = "top.Input"{{.*}} -> tensor<1x4x64x16xf16>
// CHECK: %[[K:.*]] = "tpu.Permute"
// CHECK: "tpu.Slice"(%[[Q]], {{.*}} ends = [1, 2, 64, 16]{{.*}} offset = [0, 0, 0, 0]{{.*}} -> tensor<1x2x64x16xf16>
// CHECK: "tpu.Slice"(%[[K]], {{.*}} ends = [1, 2, 16, 128]{{.*}} offset = [0, 0, 0, 0]{{.*}} -> tensor<1x2x16x128xf16>
// CHECK: "tpu.MatMul"{{.*}} -> tensor<1x2x64x128xf16>
// CHECK: "tpu.Add"(%{{.*}}, %{{.*}}) {{.*}}: (tensor<1x2x64x128xf16>, tensor<1x1x64x128xf16>) -> tensor<1x2x64x128xf16>
// CHECK: %[[C0:.*]] = "tpu.MatMul"{{.*}} -> tensor<1x2x64x16xf16>
// CHECK: "tpu.Slice"(%[[K]], {{.*}} ends = [1, 3, 16, 128]{{.*}} offset = [0, 2, 0, 0]{{.*}} -> tensor<1x1x16x128xf16>
// CHECK: %[[C1:.*]] = "tpu.MatMul"{{.*}} -> tensor<1x1x64x16xf16>
// CHECK: %[[C2:.*]] = "tpu.MatMul"{{.*}} -> tensor<1x1x64x16xf16>
// CHECK: %[[C:.*]] = "tpu.Concat"(%[[C0]], %[[C1]], %[[C2]]) {axis = 1 : i32, only_merge = true}
// CHECK: return %[[C]]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4x64x16xf16>, %arg1: tensor<1x128x4x16xf16>, %arg2: tensor<1x4x128x16xf16>, %arg3: tensor<1x1x64x128xf16>) -> tensor<1x4x64x16xf16> {
    %0 = "top.None"() : () -> none
    %q = "top.Input"(%arg0) : (tensor<1x4x64x16xf16>) -> tensor<1x4x64x16xf16> loc("q")
    %k = "top.Input"(%arg1) : (tensor<1x128x4x16xf16>) -> tensor<1x128x4x16xf16> loc("k")
    %v = "top.Input"(%arg2) : (tensor<1x4x128x16xf16>) -> tensor<1x4x128x16xf16> loc("v")
    // Random numbers go by what reads an input.
    %u = "tpu.Active"(%v) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x128x16xf16>) -> tensor<1x4x128x16xf16> loc("u")
    %m = "top.Input"(%arg3) : (tensor<1x1x64x128xf16>) -> tensor<1x1x64x128xf16> loc("m")
    %key = "tpu.Permute"(%k, %0) {order = [0, 2, 3, 1]} : (tensor<1x128x4x16xf16>, none) -> tensor<1x4x16x128xf16> loc("key")
    %s = "tpu.MatMul"(%q, %key, %0, %0, %0) {do_relu = false, hdim_is_batch = false, keep_dims = true, left_transpose = false, output_transpose = false, right_transpose = false} : (tensor<1x4x64x16xf16>, tensor<1x4x16x128xf16>, none, none, none) -> tensor<1x4x64x128xf16> loc("scores")
    %a = "tpu.Add"(%s, %m) {do_relu = false} : (tensor<1x4x64x128xf16>, tensor<1x1x64x128xf16>) -> tensor<1x4x64x128xf16> loc("masked")
    %p = "tpu.Softmax"(%a, %0, %0, %0, %0, %0) {axis = 3 : si32, beta = 1.000000e+00 : f64, log = false} : (tensor<1x4x64x128xf16>, none, none, none, none, none) -> tensor<1x4x64x128xf16> loc("softmax")
    %c = "tpu.MatMul"(%p, %u, %0, %0, %0) {do_relu = false, hdim_is_batch = false, keep_dims = true, left_transpose = false, output_transpose = false, right_transpose = false} : (tensor<1x4x64x128xf16>, tensor<1x4x128x16xf16>, none, none, none) -> tensor<1x4x64x16xf16> loc("context")
    return %c : tensor<1x4x64x16xf16>
  }
}

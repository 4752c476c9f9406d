// A layer by itself whose sections all read the same row: its operand is held,
// and nothing but its result goes on from section to section. That is stored in
// a row of its own, before the next section computes over it; the plan runs.
// RUN: tpuc-opt %s --tpu-local-memory --mlir-print-debuginfo -o %t.local.mlir
// RUN: FileCheck %s < %t.local.mlir
// RUN: tpuc-opt %t.local.mlir --tpu-global-memory -o %t.final.mlir --mlir-print-debuginfo
// RUN: model_runner --model %t.final.mlir

// CHECK: "tpu.Group"(
// CHECK: "tpu.Upsample"({{.*}}h_idx = [0, 1], h_slice = [1, 1]{{.*}}id = 1, stage = 1
// CHECK: "tpu.Store"({{.*}}id = 2, stage = 1
// CHECK: flow = [-1, 1, -2, 0, 2]

module @net attributes {module.chip = "bm1690", module.cores = 2 : i64} {
  func.func @main(%arg0: tensor<1x32x1x256xf32>) -> tensor<1x32x2x512xf32> {
    %x = "top.Input"(%arg0) : (tensor<1x32x1x256xf32>) -> tensor<1x32x1x256xf32> loc("x")
    %y = "tpu.Upsample"(%x) {scale_h = 2 : i64, scale_w = 2 : i64} : (tensor<1x32x1x256xf32>) -> tensor<1x32x2x512xf32> loc("y")
    return %y : tensor<1x32x2x512xf32>
  }
}

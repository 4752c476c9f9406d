// A matrix product may be a group by itself on several cores, which share the
// columns of its matrix: each is loaded once, with its part of the bias, and not
// by every core.
// RUN: tpuc-opt %s --processor-assign="num_core=8" --tpu-local-memory --mlir-print-debuginfo -o %t.eight.mlir
// RUN: FileCheck %s < %t.eight.mlir
// RUN: tpuc-opt %t.eight.mlir --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %t.eight.mlir --tpu-global-memory --mlir-print-debuginfo -o %t.final.mlir
// RUN: model_runner --model %t.final.mlir
// On one core nothing is gained.
// RUN: tpuc-opt %s --tpu-local-memory | FileCheck %s --check-prefix=ONE

// CHECK: "tpu.Group"(
// CHECK: "tpu.Load"({{.*}} h_slice = [512], {{.*}} -> tensor<1x256x512xf16>
// CHECK: "tpu.Load"({{.*}} h_idx = [0, 128, 256, 384, 512, 640, 768, 896], {{.*}} -> tensor<1x512x1024xf16>
// CHECK: "tpu.Load"({{.*}} h_idx = [0, 128, 256, 384, 512, 640, 768, 896], {{.*}} -> tensor<1x1x1024xf32>
// CHECK: hsecs = 8 : i64

// 8 times the operand; the matrix and the bias once.
// JSON: "activeCores": 8
// JSON: "loadBytes": 3149824

// ONE-NOT: tpu.Group

!x = tensor<1x256x512xf16>
!y = tensor<1x256x1024xf16>
module @net attributes {module.chip = "bm1690", module.cores = 1 : i64} {
  func.func @main(%arg0: !x) -> !y {
    %n = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (!x) -> !x loc("in")
    %w = "top.Weight"() : () -> tensor<512x1024xf16> loc("w")
    %b = "top.Weight"() : () -> tensor<1x1x1024xf32> loc("b")
    %y = "tpu.MatMul"(%in, %w, %b, %n, %n) : (!x, tensor<512x1024xf16>, tensor<1x1x1024xf32>, none, none) -> !y loc("y")
    return %y : !y
  }
}

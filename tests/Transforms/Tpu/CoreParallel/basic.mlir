// Layers in global memory, a piece on each core; they run on their plan.
// RUN: tpuc-opt %s --core-parallel --mlir-print-debuginfo -o %t.cores.mlir
// RUN: FileCheck %s < %t.cores.mlir
// RUN: tpuc-opt %t.cores.mlir --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: tpuc-opt %t.cores.mlir --tpu-global-memory -o %t.final.mlir --mlir-print-debuginfo
// RUN: FileCheck %s --check-prefix=ADDRESS < %t.final.mlir
// RUN: model_runner --model %t.final.mlir
// RUN: tpuc-opt %s --processor-assign=num_core=1 --core-parallel | FileCheck %s --check-prefix=ONE
// RUN: not tpuc-opt %s --core-parallel=objective=speed -o /dev/null 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: tpuc-opt %s --core-parallel=objective=traffic | FileCheck %s --check-prefix=TRAFFIC
// RUN: tpuc-opt %t.cores.mlir --core-parallel --mlir-print-debuginfo | diff %t.cores.mlir -

// Rows of the product; the matrix is read by each core.
// CHECK: %[[X:.*]] = "top.Input"
// CHECK: %[[W:.*]] = "top.Weight"() : () -> tensor<512x1024xf16>
// CHECK: %[[M:.*]] = "tpu.CoreParallel"(%[[X]]) ({
// CHECK:   %[[P:.*]]:2 = "tpu.CoreSplit"(%[[X]]) {axis = 1 : si32} : (tensor<1x301x512xf16>) -> (tensor<1x151x512xf16>, tensor<1x150x512xf16>)
// CHECK:   %[[M0:.*]] = "tpu.MatMul"(%[[P]]#0, %[[W]],{{.*}} -> tensor<1x151x1024xf16> loc(#[[L0:.*]])
// CHECK:   %[[M1:.*]] = "tpu.MatMul"(%[[P]]#1, %[[W]],{{.*}} -> tensor<1x150x1024xf16> loc(#[[L1:.*]])
// CHECK:   %[[J:.*]] = "tpu.CoreJoin"(%[[M0]], %[[M1]]) {axis = 1 : si32}
// CHECK:   "tpu.Yield"(%[[J]])
// CHECK: }) {offset = 0 : i64, size = 2 : i64}
// What is read twice is split once.
// CHECK: "tpu.CoreParallel"(%[[M]]) ({
// CHECK-NEXT: "tpu.CoreSplit"
// CHECK-NEXT: "tpu.Mul"
// CHECK-NEXT: "tpu.Mul"
// CHECK-NEXT: "tpu.CoreJoin"
// Along all that is cut a softmax is whole; a small layer does not pay; one
// says no; of one another's kernel divides itself.
// CHECK-NOT: CoreParallel
// CHECK: "tpu.Softmax"
// CHECK-NOT: CoreParallel
// CHECK: "tpu.Active"
// CHECK-NOT: CoreParallel
// CHECK: return
// CHECK: #[[L0]] = loc("m_0")
// CHECK: #[[L1]] = loc("m_1")

// Each layer is one of the report, with what all of its pieces move: the
// matrix twice.
// REPORT: "globalLayers":
// REPORT: "loadBytes": 2405376,
// REPORT: "name": "m",
// REPORT-NEXT: "op": "tpu.CoreParallel",

// Pieces are where they are in the whole.
// ADDRESS: "tpu.CoreSplit"{{.*}} : (tensor<1x301x512xf16, [[A:[0-9]+]] : i64>) -> (tensor<1x151x512xf16, [[A]] : i64>

// ONE-NOT: CoreParallel
// WORD: error: option 'objective' is 'speed', expected one of 'balanced', 'cycles', 'traffic' [TPUMEM-E005]

// The matrix is not read twice.
// TRAFFIC: "tpu.MatMul"({{.*}} -> tensor<1x301x1024xf16>
// TRAFFIC: "tpu.CoreParallel"
// TRAFFIC: "tpu.Mul"

module @net attributes {module.chip = "bm1688", module.cores = 2 : i64} {
  func.func @main(%arg0: tensor<1x301x512xf16>) -> (tensor<1x301x1024xf16>, tensor<1x301x1024xf16>, tensor<1x301x1024xf16>, tensor<1x4x4xf16>) {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x301x512xf16>) -> tensor<1x301x512xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<512x1024xf16> loc("w")
    %m = "tpu.MatMul"(%x, %w, %n, %n, %n) {left_transpose = false, right_transpose = false} : (tensor<1x301x512xf16>, tensor<512x1024xf16>, none, none, none) -> tensor<1x301x1024xf16> loc("m")
    %q = "tpu.Mul"(%m, %m) : (tensor<1x301x1024xf16>, tensor<1x301x1024xf16>) -> tensor<1x301x1024xf16> loc("q")
    %s = "tpu.Softmax"(%q, %n, %n, %n, %n, %n) {axis = 1 : si32} : (tensor<1x301x1024xf16>, none, none, none, none, none) -> tensor<1x301x1024xf16> loc("s")
    %o = "tpu.Active"(%s) {mode = #tpu<active_mode ABSVAL>, do_core_parallel = false} : (tensor<1x301x1024xf16>) -> tensor<1x301x1024xf16> loc("o")
    %v = "top.Weight"() : () -> tensor<1x4x4xf16> loc("v")
    %t = "tpu.Active"(%v) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x4xf16>) -> tensor<1x4x4xf16> loc("t")
    return %q, %s, %o, %t : tensor<1x301x1024xf16>, tensor<1x301x1024xf16>, tensor<1x301x1024xf16>, tensor<1x4x4xf16>
  }
}

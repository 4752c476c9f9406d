// The op is copied in front of the reader behind the longest pause, with the
// ops in front of it as far as depth says; the result is the same.
// RUN: tpuc-opt %s --tpu-rematerialize=tensors=b -o %t.one.mlir --mlir-print-debuginfo
// RUN: FileCheck %s --check-prefix=ONE < %t.one.mlir
// RUN: tpuc-opt %s "--tpu-rematerialize=tensors=b depth=2" --mlir-print-debuginfo | FileCheck %s --check-prefix=TWO
// RUN: tpuc-opt %s "--tpu-rematerialize=tensors={b;a}" --mlir-print-debuginfo | FileCheck %s --check-prefix=BOTH
// RUN: tpuc-opt %t.one.mlir --tpu-global-memory -o %t.final.mlir --mlir-print-debuginfo
// RUN: model_runner --model %t.final.mlir
// RUN: not tpuc-opt %s --tpu-rematerialize=tensors=nobody -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not tpuc-opt %s --tpu-rematerialize=tensors=d -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: not tpuc-opt %s --tpu-rematerialize=tensors=y -o /dev/null 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: not tpuc-opt %s --tpu-rematerialize=tensors=x -o /dev/null 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not tpuc-opt %s "--tpu-rematerialize=tensors=b depth=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEPTH
// RUN: tpuc-opt %s --tpu-rematerialize -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// ONE: %[[A:.*]] = "tpu.Active"(%{{.*}}) {{.*}} loc(#[[LA:.*]])
// ONE: %[[B:.*]] = "tpu.Active"(%[[A]])
// ONE: %[[C:.*]] = "tpu.Active"(%[[B]])
// ONE: %[[D:.*]] = "tpu.Active"(%[[C]])
// ONE: %[[AGAIN:.*]] = "tpu.Active"(%[[A]]) {{.*}} loc(#[[LB:.*]])
// ONE: "tpu.Add"(%[[D]], %[[AGAIN]])
// ONE: #[[LB]] = loc("b_again")

// TWO: %[[X:.*]] = "top.Input"
// TWO: %[[A:.*]] = "tpu.Active"(%[[X]])
// TWO: %[[D:.*]] = "tpu.Active"(%{{.*}})
// TWO: %[[A2:.*]] = "tpu.Active"(%[[X]])
// TWO-NEXT: %[[B2:.*]] = "tpu.Active"(%[[A2]])
// TWO-NEXT: "tpu.Add"(%{{.*}}, %[[B2]])

// Then a has a late reader, too.
// BOTH: "a_again"

// NOBODY: error: option 'tensors': 0 tensors are called 'nobody', and it has to be one [TPUMEM-E018]
// LATE: option 'tensors': 'd' cannot be computed again: nothing reads it later than another op does [TPUMEM-E018]
// RESULT: option 'tensors': 'y' cannot be computed again: it is a result of the function, and stays to the end [TPUMEM-E018]
// INPUT: option 'tensors': 'x' cannot be computed again: 'top.Input' is no op that computes one result from its operands alone [TPUMEM-E018]
// DEPTH: error: {{.*}}depth{{.*}} [TPUMEM-E018]
// NONE: remark: 'tensors' names none: nothing is computed again

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode SIGMOID>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("c")
    %d = "tpu.Active"(%c) {mode = #tpu<active_mode SIGMOID>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("d")
    %y = "tpu.Add"(%d, %b) : (tensor<1x8x64x64xf16>, tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("y")
    return %y : tensor<1x8x64x64xf16>
  }
}

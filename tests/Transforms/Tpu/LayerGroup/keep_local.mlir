// Two layers for a group: 'b' in one with its maker or with its reader costs
// the same in cycles, and the name decides which of the tensors stays local.
// RUN: tpuc-opt %s "--tpu-layer-group=max-layers=2 keep-local=a remarks=false" --mlir-print-debuginfo | FileCheck %s --check-prefix=A
// RUN: tpuc-opt %s "--tpu-layer-group=max-layers=2 keep-local=b remarks=false" --mlir-print-debuginfo | FileCheck %s --check-prefix=B
// RUN: tpuc-opt %s "--tpu-local-memory=max-layers=2 keep-local={b;nobody}" --mlir-print-debuginfo -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME

// A: tpu.Group
// A: "tpu.Active"{{.*}} loc(#[[A:.*]])
// A: "tpu.Active"{{.*}} loc(#[[B:.*]])
// A: "tpu.Store"
// A: "tpu.Active"{{.*}} loc(#[[C:.*]])
// A-DAG: #[[A]] = loc("a")
// A-DAG: #[[B]] = loc("b")
// A-DAG: #[[C]] = loc("c")

// B: "tpu.Active"{{.*}} loc(#[[A:.*]])
// B: tpu.Group
// B: "tpu.Active"{{.*}} loc(#[[B:.*]])
// B: "tpu.Active"{{.*}} loc(#[[C:.*]])
// B: "tpu.Store"
// B-DAG: #[[A]] = loc("a")
// B-DAG: #[[B]] = loc("b")
// B-DAG: #[[C]] = loc("c")

// NAME: remark: 'keep-local' names 'nobody', and no layer makes or reads a tensor of that name
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("c")
    return %c : tensor<1x8x64x64xf16>
  }
}

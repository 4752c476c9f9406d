// Two layers for a group: 'b' in one with its maker or with its reader costs
// the same in cycles, and the name decides which of the tensors stays local.
// RUN: tpuc-opt %s "--tpu-layer-group=max-layers=2 keep-local=a remarks=false" --mlir-print-debuginfo | FileCheck %s --check-prefix=FIRST
// RUN: tpuc-opt %s "--tpu-layer-group=max-layers=2 keep-local=b remarks=false" --mlir-print-debuginfo | FileCheck %s --check-prefix=LAST
// RUN: not tpuc-opt %s "--tpu-local-memory=max-layers=2 keep-local={b;nobody}" --mlir-print-debuginfo -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME

// FIRST: tpu.Group
// FIRST: "tpu.Active"{{.*}} loc(#[[LA:.*]])
// FIRST: "tpu.Active"{{.*}} loc(#[[LB:.*]])
// FIRST: "tpu.Store"
// FIRST: "tpu.Active"{{.*}} loc(#[[LC:.*]])
// FIRST-DAG: #[[LA]] = loc("a")
// FIRST-DAG: #[[LB]] = loc("b")
// FIRST-DAG: #[[LC]] = loc("c")

// LAST: "tpu.Active"{{.*}} loc(#[[LA:.*]])
// LAST: tpu.Group
// LAST: "tpu.Active"{{.*}} loc(#[[LB:.*]])
// LAST: "tpu.Active"{{.*}} loc(#[[LC:.*]])
// LAST: "tpu.Store"
// LAST-DAG: #[[LA]] = loc("a")
// LAST-DAG: #[[LB]] = loc("b")
// LAST-DAG: #[[LC]] = loc("c")

// NAME: error: option 'keep-local': no layer makes or reads a tensor that is called 'nobody' [TPUMEM-E018]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x64x64xf16>) -> tensor<1x8x64x64xf16> loc("c")
    return %c : tensor<1x8x64x64xf16>
  }
}

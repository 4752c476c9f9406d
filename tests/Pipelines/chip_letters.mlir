// A chip is found by its name in any letters, in options and in attributes, and the name stays as the module spells it.

// RUN: tpuc-opt %s --tpu-layer-group=chip=BM1684X -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory=chip=BM1684X | FileCheck %s --check-prefix=NAME
// RUN: tpuc-opt %s --tpu-global-memory | FileCheck %s --check-prefix=SPELT
// RUN: tpuc-opt %s --tpu-global-memory=chip=bm1684x | FileCheck %s --check-prefix=SPELT
// RUN: tpuc-opt %s --tpu-global-memory=chip=SG2260 | FileCheck %s --check-prefix=OTHER
// RUN: tpuc-opt %s --tpu-global-memory | tpuc-opt --tpu-verify-addresses=chip=Bm1684X -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory | tpuc-opt --tpu-memory-report="chip=BM1684X format=json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: tpuc-opt %s --tpu-reorder=chip=BM1684X --processor-assign=chip=BM1684X --tpu-local-report=chip=BM1684X -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory=chip=BM9 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tpuc-opt %s --tpu-global-memory=chip=ALL 2>&1 | FileCheck %s --check-prefix=ALL

// NAME: module.chip = "BM1684x"
// SPELT: module.chip = "BM1684x"
// OTHER: module.chip = "bm1690"
// REPORT: "chip": "bm1684x"
// UNKNOWN: error: unknown chip 'BM9'; known chips: {{.*}} [TPUMEM-E003]
// ALL: error: no chip is given: {{.*}} [TPUMEM-E003]
module @net attributes {module.chip = "BM1684x"} {
  func.func @main(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
    %none = "top.None"() : () -> none
    %a = "top.Input"(%x) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode EXP>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
    return %b : tensor<1x8x4x4xf32>
  }
}

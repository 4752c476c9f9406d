// RUN: tpuc-opt %s --tpu-global-memory --tpu-memory-report="format=json file=%t.small.json" -o %t.small.mlir
// RUN: sed 's/16x16/32x32/g; s/"c"/"d"/' %s | tpuc-opt --tpu-global-memory -o %t.large.mlir
// RUN: not tpuc-opt %t.large.mlir --tpu-memory-report=before=%t.small.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=GREW
// RUN: not tpuc-opt %t.large.mlir --tpu-memory-report=before=%t.small.json -o /dev/null 2>&1 | FileCheck %s --check-prefix=GREW
// RUN: tpuc-opt %t.large.mlir --tpu-memory-report="before=%t.small.mlir tolerance=300" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MAY
// RUN: tpuc-opt %t.small.mlir --tpu-memory-report=before=%t.large.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHRANK
// RUN: tpuc-opt %t.small.mlir --tpu-memory-report=before=%t.small.mlir -o /dev/null 2>&1 | count 0
// RUN: tpuc-opt %t.small.mlir --tpu-memory-report="before=%t.small.mlir format=json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %t.small.mlir --tpu-memory-report="before=%t.large.mlir format=html file=%t.html" -o /dev/null
// RUN: FileCheck %s --check-prefix=HTML < %t.html
// RUN: not tpuc-opt %t.small.mlir --tpu-memory-report="before=%t.small.mlir format=svg" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG
// RUN: not tpuc-opt %t.small.mlir --tpu-memory-report=tolerance=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: not tpuc-opt %t.small.mlir --tpu-memory-report="before=%t.small.mlir tolerance=-1" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tpuc-opt %t.small.mlir --tpu-memory-report=before=%t.none -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tpuc-opt %t.small.mlir --tpu-memory-report=before=%s -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: echo '{"version": 1' > %t.bad; not tpuc-opt %t.small.mlir --tpu-memory-report=before=%t.bad -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: echo 'func.func' > %t.bad; not tpuc-opt %t.small.mlir --tpu-memory-report=before=%t.bad -o /dev/null 2>&1 | FileCheck %s --check-prefix=TEXT

// GREW: neuron: 12,288 -> 49,152 B (+300.0 %)
// GREW: error: region 'neuron' takes 48.0 KiB, 12.0 KiB in '{{.*}}': over the tolerance of 0 %
// MAY: neuron: 12,288 -> 49,152 B (+300.0 %)
// MAY-NOT: error
// SHRANK: neuron: 49,152 -> 12,288 B (-75.0 %)
// SHRANK-NOT: error
// JSON: "isOver": false
// HTML: <html
// SVG: error: 'svg' compares nothing; formats with 'before': text, json, html [TPUMEM-E005]
// ALONE: error: option 'tolerance' is for 'before', the module or report to compare with [TPUMEM-E018]
// NEGATIVE: error: option 'tolerance' is in percent, 0 or more [TPUMEM-E018]
// NONE: error: {{.*}}.none{{.*}}[TPUMEM-E017]
// PLAIN: error: {{.*}}[TPUMEM-E011]
// BAD: error: report '{{.*}}.bad': {{.*}}[TPUMEM-E017]
// TEXT: error: '{{.*}}.bad' is no module and no memory report [TPUMEM-E017]
module @net attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED"} {
  func.func @main(%0: tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32> {
    %1 = "top.Input"(%0) : (tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32> loc("x")
    %2 = "tpu.Active"(%1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32> loc("y")
    %3 = "tpu.Active"(%2) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x16x16xf32>) -> tensor<1x4x16x16xf32> loc("c")
    return %3 : tensor<1x4x16x16xf32>
  }
}

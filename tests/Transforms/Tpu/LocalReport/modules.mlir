// Reports follow one another, pictures do not.
// RUN: tpuc-opt %s --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-local-report=format=svg -o /dev/null 2>&1 | FileCheck %s --check-prefix=SVG

// CHECK: module a, chip bm1684x
// CHECK: in groups 0 0
// CHECK: module b, chip bm1688
// CHECK: global 1
// SVG: error: 'svg' draws one module of functions, but 2 are here [TPUMEM-E005]
module @net {
  module @a attributes {module.chip = "bm1684x"} {
    func.func @main(%in: tensor<16xf16>) -> tensor<16xf16> {
      return %in : tensor<16xf16>
    }
  }
  module @b attributes {module.chip = "bm1688"} {
    func.func @main(%in: tensor<16xf16>) -> tensor<16xf16> {
      %a = "tpu.Active"(%in) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xf16>) -> tensor<16xf16>
      return %a : tensor<16xf16>
    }
  }
}

// An input that is larger than the address window it would have for itself does
// not fit, on chips with base registers as on any other.
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv183x" 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv181x io-mode=in_reuse" 2>&1 | FileCheck %s
// CHECK: error: {{.*}} does not fit: pool 'io0' needs 2.00 TiB (2,199,023,255,552 B), has 1.00 TiB (1,099,511,627,776 B), over by 1.00 TiB (1,099,511,627,776 B) [TPUMEM-E001]
// RUN: not tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_tag" 2>&1 | FileCheck %s --check-prefix=TAG
// RUN: not tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_alone" 2>&1 | FileCheck %s --check-prefix=TAG
// TAG: error: {{.*}} does not fit: {{.*}}[TPUMEM-E001]
module @net {
  func.func @main(%arg0: tensor<1x1099511627776xf16>) -> tensor<1x16xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x1099511627776xf16>) -> tensor<1x1099511627776xf16> loc("x")
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<1x1099511627776xf16>) -> tensor<1x16xf16> loc("y")
    return %y : tensor<1x16xf16>
  }
}

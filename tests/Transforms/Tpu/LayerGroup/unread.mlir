// Results that nobody reads are stored like others: groups of such layers alone
// have results, too.
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group --tpu-verify-local | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group=search=greedy --tpu-verify-local | FileCheck %s --check-prefix=GREEDY
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group=objective=traffic --tpu-verify-local | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-layer-group --tpu-global-memory -o /dev/null

// CHECK-LABEL: func.func @alone
// CHECK: %{{.*}} = "tpu.Group"(%[[X:[0-9]+]]) ({
// CHECK: %[[C:[0-9]+]] = "tpu.Concat"
// CHECK: %[[S:[0-9]+]] = "tpu.Store"(%[[C]])
// CHECK: "tpu.Yield"(%[[S]])
// CHECK: return %[[X]]
// GREEDY-LABEL: func.func @alone
// GREEDY: "tpu.Store"
module @alone attributes {module.chip = "bm1684x"} {
  func.func @alone(%arg0: tensor<64xf16>) -> tensor<64xf16> {
    %x = "top.Input"(%arg0) : (tensor<64xf16>) -> tensor<64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<64xf16>) -> tensor<64xf16> loc("a")
    %b = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<64xf16>) -> tensor<64xf16> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 0 : i64} : (tensor<64xf16>, tensor<64xf16>) -> tensor<128xf16> loc("c")
    return %x : tensor<64xf16>
  }
}

// -----

// Between layers that are read: d is made whole, not a part of no rows.
// CHECK-LABEL: func.func @between
// CHECK: "tpu.Group"
// CHECK-COUNT-2: "tpu.Store"
// GREEDY-LABEL: func.func @between
module @between attributes {module.chip = "bm1684x"} {
  func.func @between(%arg0: tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> loc("a")
    %d = "tpu.Active"(%a) {mode = #tpu<active_mode EXP>} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> loc("d")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode EXP>} : (tensor<1x64x64x64xf16>) -> tensor<1x64x64x64xf16> loc("b")
    return %b : tensor<1x64x64x64xf16>
  }
}

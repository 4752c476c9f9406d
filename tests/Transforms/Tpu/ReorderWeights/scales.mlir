// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684x" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LANES
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684x" --tpu-reorder-weights="chip=bm1684x" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LANES
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=cv184x" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PAIRS
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=sg2380" | FileCheck %s --check-prefix=ALL
// RUN: tpuc-opt %s --tpu-reorder-weights="chip=bm1684" | FileCheck %s --check-prefix=NONE

// Row n is row n / 64 of lane n mod 64.
// LANES: "top.Weight"() : () -> tensor<128x32xui8> loc("a_weight")
// LANES-NEXT: %[[Z:.*]] = "top.Weight"() : () -> tensor<64x2x1xui8> loc("a_1_reordered")
// LANES-NEXT: %[[S:.*]] = "top.Weight"() : () -> tensor<64x2x1xbf16> loc("a_reordered")
// LANES-NEXT: "tpu.A16MatMul"(%{{.*}}, %{{.*}}, %[[S]], %[[Z]], %{{.*}})
// Of 72 rows 64 lanes have no equal part.
// LANES: "tpu.A16MatMul"{{.*}}tensor<72x2xbf16>, tensor<72x2xui8>

// Pairs of a zero point and a scale, without the zero points.
// PAIRS: %[[N:.*]] = "top.None"
// PAIRS: %[[P:.*]] = "top.Weight"() : () -> tensor<8x16x2xui16> loc("a_reordered")
// PAIRS-NEXT: "tpu.A16MatMul"(%{{.*}}, %{{.*}}, %[[P]], %[[N]], %[[N]])
// Not with 8 bits.
// PAIRS: "tpu.A16MatMul"{{.*}}tensor<8x9x2xbf16>, tensor<8x9x2xui8>

// ALL: tensor<32x4x2xui16>
// ALL: "tpu.A16MatMul"{{.*}}tensor<72x2xbf16>, tensor<72x2xui8>

// NONE: tensor<128x1xbf16>, tensor<128x1xui8>
module @net attributes {module.chip = "bm1684x", module.state = "TPU_LOWERED"} {
  func.func @main(%x: tensor<1x4x64xbf16>) -> (tensor<1x4x128xbf16>, tensor<1x4x72xbf16>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<128x32xui8> loc("a_weight")
    %2 = "top.Weight"() : () -> tensor<128x1xbf16> loc("a_scale")
    %3 = "top.Weight"() : () -> tensor<128x1xui8> loc("a_zp")
    %4 = "tpu.A16MatMul"(%x, %1, %2, %3, %0) {dq_type = "NONE", q_group_size = 64 : i64, sign = true, w_transpose = true, weight_bits = 4 : i64} : (tensor<1x4x64xbf16>, tensor<128x32xui8>, tensor<128x1xbf16>, tensor<128x1xui8>, none) -> tensor<1x4x128xbf16> loc("a")
    %5 = "top.Weight"() : () -> tensor<72x64xui8> loc("b_weight")
    %6 = "top.Weight"() : () -> tensor<72x2xbf16> loc("b_scale")
    %7 = "top.Weight"() : () -> tensor<72x2xui8> loc("b_zp")
    %8 = "tpu.A16MatMul"(%x, %5, %6, %7, %0) {dq_type = "NONE", q_group_size = 32 : i64, sign = true, w_transpose = true, weight_bits = 8 : i64} : (tensor<1x4x64xbf16>, tensor<72x64xui8>, tensor<72x2xbf16>, tensor<72x2xui8>, none) -> tensor<1x4x72xbf16> loc("b")
    return %4, %8 : tensor<1x4x128xbf16>, tensor<1x4x72xbf16>
  }
}

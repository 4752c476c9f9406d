// Channels are where shapes have them: of an activation with fewer dimensions
// than the result other ones would be in the lanes. Such a layer stays global,
// one whose weight has fewer dimensions does not.
// RUN: tpuc-opt %s --tpu-local-memory=remarks=false --mlir-print-debuginfo -o %t
// RUN: FileCheck %s < %t
// RUN: tpuc-opt %t --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT

// REPORT-DAG: "reason": "what it reads lies in other lanes than its result, as operand 1 has another number of dimensions"
// REPORT-DAG: "reason": "what it reads lies in other lanes than its result, as operand 0 has another number of dimensions"

module @net attributes {module.chip = "bm1684x"} {
  // CHECK: tpu.Group
  // CHECK: "tpu.Add"(%{{.*}}, %{{.*}}) {{.*}} (tensor<1x8x16x16xf16>, tensor<1x8x1x1xf16>) -> tensor<1x8x16x16xf16>
  // CHECK: "tpu.Yield"
  // CHECK-NOT: tpu.Group
  // CHECK: "tpu.Add"
  // CHECK: "tpu.Add"
  // CHECK: tpu.Group
  // CHECK: "tpu.Mul"(%{{.*}}, %{{.*}}) {{.*}} (tensor<1x8x16x16xf16>, tensor<1x1x1xf16>)
  // CHECK: return
  func.func @main(%arg0: tensor<1x8x16x16xf16>, %arg1: tensor<8x16x16xf16>, %arg2: tensor<1x1x1xf16>) -> tensor<1x8x16x16xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16> loc("x")
    %y = "top.Input"(%arg1) : (tensor<8x16x16xf16>) -> tensor<8x16x16xf16> loc("y")
    %z = "top.Input"(%arg2) : (tensor<1x1x1xf16>) -> tensor<1x1x1xf16> loc("z")
    %w = "top.Weight"() : () -> tensor<8x1x1xf16> loc("w")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16> loc("a")
    %b = "tpu.Add"(%a, %w) : (tensor<1x8x16x16xf16>, tensor<8x1x1xf16>) -> tensor<1x8x16x16xf16> loc("b")
    %c = "tpu.Add"(%b, %y) : (tensor<1x8x16x16xf16>, tensor<8x16x16xf16>) -> tensor<1x8x16x16xf16> loc("c")
    %d = "tpu.Add"(%y, %c) : (tensor<8x16x16xf16>, tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16> loc("d")
    %e = "tpu.Active"(%d) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16> loc("e")
    %f = "tpu.Mul"(%e, %z) : (tensor<1x8x16x16xf16>, tensor<1x1x1xf16>) -> tensor<1x8x16x16xf16> loc("f")
    return %f : tensor<1x8x16x16xf16>
  }
}

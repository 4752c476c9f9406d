// Between functions there are floats, whatever the ranges of what is handed on:
// a function that is called once, and one that two calls give tensors of other
// ranges.
// RUN: tpuc-opt %s --import-calibration-table=chip=bm1684x --convert-top-to-tpu="mode=INT8 chip=bm1684x" -o %t 2>/dev/null
// RUN: FileCheck %s < %t
// RUN: tpuc-opt %s --import-calibration-table=chip=cv181x --convert-top-to-tpu="mode=INT8 chip=cv181x" -o /dev/null
// RUN: tpuc-opt %s --import-calibration-table=chip=bm1690 --convert-top-to-tpu="mode=F8E4M3 chip=bm1690" -o /dev/null

module @net attributes {module.chip = "ALL", module.state = "TOP_F32"} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: (%{{.*}}: tensor<1x16x8x8xf32>
  func.func @main(%arg0: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
    %in = "top.Input"(%arg0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("in")
    %a = "top.Relu"(%in) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("a")
    // CHECK: call @outer(%{{.*}}) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    %c = func.call @outer(%a) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("c")
    // CHECK: "tpu.Active"
    %d = "top.Sigmoid"(%c) {scale = 1.0 : f64, bias = 0.0 : f64, log = false} : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("d")
    return %d : tensor<1x16x8x8xf32>
  }
  // CHECK-LABEL: func.func @outer
  // CHECK-SAME: (%{{.*}}: tensor<1x16x8x8xf32>
  func.func @outer(%arg0: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
    // CHECK: call @inner(%{{.*}}) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    %a = func.call @inner(%arg0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("oa")
    // CHECK: call @inner(%{{.*}}) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    %b = func.call @inner(%a) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("ob")
    return %b : tensor<1x16x8x8xf32>
  }
  // CHECK-LABEL: func.func @inner
  // CHECK-SAME: (%{{.*}}: tensor<1x16x8x8xf32>
  func.func @inner(%arg0: tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> {
    %a = "top.Relu"(%arg0) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32> loc("sa")
    %n = "top.None"() : () -> none
    %g = "top.GroupNorm"(%a, %n, %n) {eps = 1.000000e-05 : f64, num_groups = 4 : i64} : (tensor<1x16x8x8xf32>, none, none) -> tensor<1x16x8x8xf32> loc("g")
    // CHECK: return %{{.*}} : tensor<1x16x8x8xf32>
    return %g : tensor<1x16x8x8xf32>
  }
}

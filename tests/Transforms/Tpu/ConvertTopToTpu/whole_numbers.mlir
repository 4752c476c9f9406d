// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" | FileCheck %s --check-prefixes=ALL,F16
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=BF16" | FileCheck %s --check-prefixes=ALL,BF16
// RUN: tpuc-opt %s --import-calibration-table=chip=bm1684x --convert-top-to-tpu="mode=INT8 chip=bm1684x" 2>&1 | FileCheck %s --check-prefixes=ALL
// RUN: tpuc-opt %s --import-calibration-table=chip=cv181x --convert-top-to-tpu="mode=INT8 chip=cv181x" 2>&1 | FileCheck %s --check-prefixes=ALL

// Layers of integers compute in f32, and so do weights that they read; the mark
// is of Top. What moves integers only leaves them what they are.
module @net attributes {module.chip = "bm1684x", module.state = "TOP_F32"} {
  // ALL-LABEL: func.func @main
  // ALL-NOT: whole_numbers
  // ALL: "tpu.Cast"{{.*}} : (tensor<4xsi32>) -> tensor<4xf32>
  // ALL: "tpu.AddConst"{{.*}} : (tensor<4xf32>) -> tensor<4x{{(!quant.calibrated<f32<-[0-9.e+]+:[0-9.e+]+>>|f32)}}>
  // Marked or not: an index is an integer.
  // ALL: "tpu.Cast"{{.*}} -> tensor<4xi32>
  // ALL: "top.Weight"() {{.*}}tensor<4xf32>
  // ALL: "tpu.Compare"{{.*}} (tensor<4x{{.*}}f32{{.*}}>, tensor<4xf32>) -> tensor<4x{{.*}}f32{{.*}}>
  // ALL: "tpu.Concat"{{.*}} -> tensor<8xsi32>
  // F16: "tpu.Gather"{{.*}} -> tensor<4x8xf16>
  // BF16: "tpu.Gather"{{.*}} -> tensor<4x8xbf16>
  // F16: "tpu.AddConst"{{.*}} -> tensor<4xf16>
  // BF16: "tpu.AddConst"{{.*}} -> tensor<4xbf16>
  func.func @main(%arg0: tensor<4xsi32>) -> (tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
    %x = "top.Input"(%arg0) : (tensor<4xsi32>) -> tensor<4xf32> loc("x")
    %a = "top.AddConst"(%x) {const_val = 1.0 : f64, whole_numbers = true} : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %k = "top.Weight"() : () -> tensor<4xf32> loc("k")
    %c = "top.Compare"(%a, %k) {mode = "Equal", whole_numbers = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("c")
    %j = "top.Concat"(%x, %x) {axis = 0 : si32, whole_numbers = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32> loc("j")
    %t = "top.Weight"() : () -> tensor<100x8xf32> loc("t")
    %g = "top.Gather"(%t, %a) {axis = 0 : si32} : (tensor<100x8xf32>, tensor<4xf32>) -> tensor<4x8xf32> loc("g")
    %f = "top.AddConst"(%a) {const_val = 1.0 : f64, whole_numbers = false} : (tensor<4xf32>) -> tensor<4xf32> loc("f")
    return %c, %j, %g, %f : tensor<4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>
  }
}

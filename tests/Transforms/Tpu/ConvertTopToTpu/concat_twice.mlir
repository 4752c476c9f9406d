// A piece that stands twice in a concat is rescaled once.
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=INT8 chip=bm1684x" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK: %[[A:.*]] = "tpu.MulShift"{{.*}}loc("a_to_y")
// CHECK: %[[B:.*]] = "tpu.MulShift"{{.*}}loc("b_to_y")
// CHECK-NOT: "tpu.MulShift"
// CHECK: "tpu.Concat"(%[[A]], %[[A]], %[[B]])
module @net attributes {module.chip = "ALL", module.state = "TOP_CALIBRATED"} {
  func.func @main(%arg0: tensor<1x2x4x4xf32>) -> tensor<1x6x4x4x!quant.calibrated<f32<-8.0:8.0>>> {
    %x = "top.Input"(%arg0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-1.0:1.0>>> loc("x")
    %a = "top.SiLU"(%x) : (tensor<1x2x4x4x!quant.calibrated<f32<-1.0:1.0>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-3.0:3.0>>> loc("a")
    %b = "top.Sigmoid"(%x) : (tensor<1x2x4x4x!quant.calibrated<f32<-1.0:1.0>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-5.0:5.0>>> loc("b")
    %y = "top.Concat"(%a, %a, %b) {axis = 1 : si32} : (tensor<1x2x4x4x!quant.calibrated<f32<-3.0:3.0>>>, tensor<1x2x4x4x!quant.calibrated<f32<-3.0:3.0>>>, tensor<1x2x4x4x!quant.calibrated<f32<-5.0:5.0>>>) -> tensor<1x6x4x4x!quant.calibrated<f32<-8.0:8.0>>> loc("y")
    return %y : tensor<1x6x4x4x!quant.calibrated<f32<-8.0:8.0>>>
  }
}

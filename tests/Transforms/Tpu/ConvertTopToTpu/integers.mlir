// RUN: sed 's/RANGE/-63.5:63.5/g' %s > %t.signed.mlir && sed 's/RANGE/0.0:63.75/g' %s > %t.mlir
// RUN: tpuc-opt %t.signed.mlir --convert-top-to-tpu="mode=INT8 chip=cv181x" --mlir-print-debuginfo --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=QDM
// RUN: tpuc-opt %t.mlir --convert-top-to-tpu="mode=INT8 chip=bm1684x" --mlir-print-debuginfo --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=SHIFT
// RUN: not tpuc-opt %t.mlir --convert-top-to-tpu="mode=F16 chip=bm1684x quantize-table=%s" 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not tpuc-opt %t.mlir --convert-top-to-tpu="mode=INT8 chip=bm1684x quantize-table=%t.none" 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: not tpuc-opt %t.mlir --convert-top-to-tpu="mode=INT8 chip=bm1684" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tpuc-opt %t.mlir --convert-top-to-tpu="mode=INT8 chip=bm1684x weights-out=%t.npz" 2>&1 | FileCheck %s --check-prefix=OUT

// FLOAT: error: 'quantize-table' is for INT8 and floats of 8 bits only [TPUMEM-E018]
// TABLE: error: {{.*}}.none{{.*}}[TPUMEM-E017]
// CHIP: error: 'bm1684' has no rules here for integers {{.*}}[TPUMEM-E018]
// OUT: error: 'weights-out' needs 'weights'{{.*}}[TPUMEM-E018]

// QDM: warning: 3 weights have no numbers
// QDM: module.mode = "INT8"
// The processor makes integers of the input.
// QDM: %[[X:.*]] = "tpu.GenericCpu"(%{{.*}}) {cpu_op_name = "quant", param = {from = "FP32", scale = 1.270000e+02 : f32, to = "INT8"}}{{.*}}loc("xr_si8")
// QDM: tensor<2x2x1x1xsi8> loc("r_filter_i8")
// QDM: tensor<1x2x1x1xi32> loc("r_bias_int32")
// The relu is the convolution's, and so is its range.
// QDM: "tpu.Conv2D"(%[[X]]{{.*}}do_relu = true{{.*}}quant_mode = #tpu<rq_mode QDM>{{.*}}!quant.uniform<i8:f32, 5.000000e-01>> loc("r")
// QDM: "tpu.Lut"{{.*}}!quant.uniform<i8:f32, 2.500000e-01>> loc("t")
// QDM: "tpu.Add"{{.*}}multipliers = [64, 32]{{.*}}rshifts = [6]{{.*}}loc("s")
// What has no range is computed in floats, from a cast that all readers share.
// QDM: "tpu.Cast"{{.*}}tensor<1x2x4x4xbf16> loc("sn_bf16")
// QDM: "tpu.Active"{{.*}}ROUND{{.*}}tensor<1x2x4x4xbf16> loc("n")
// What is only moved keeps its scale, whatever its own range says.
// QDM: "tpu.Permute"{{.*}}!quant.uniform<i8:f32, 5.000000e-01>> loc("p")
// QDM: "tpu.Cast"{{.*}}tensor<1x4x4x2xf32> loc("p_f32")

// SHIFT: %[[X:.*]] = "tpu.Cast"{{.*}}!quant.uniform<i8:f32, 0.0078740157480314959>> loc("xr_si8")
// SHIFT: "tpu.Conv2D"(%[[X]]{{.*}}MultiplierShift{{.*}}!quant.uniform<u8:f32, 2.500000e-01>> loc("r")
// SHIFT: "tpu.Add"{{.*}}multipliers = [1, 1]{{.*}}rshifts = [1, 1]{{.*}}loc("s")
// SHIFT: "tpu.Cast"{{.*}}tensor<1x2x4x4xf16> loc("sn_f16")
module @net attributes {module.chip = "ALL", module.state = "TOP_CALIBRATED"} {
  func.func @main(%arg0: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x4x4x2x!quant.calibrated<f32<-1.0:1.0>>>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-1.0:1.0>>> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2x1x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %4 = "top.Conv"(%1, %2, %3) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4x!quant.calibrated<f32<-1.0:1.0>>>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-9.0:9.0>>> loc("a")
    %5 = "top.Relu"(%4) : (tensor<1x2x4x4x!quant.calibrated<f32<-9.0:9.0>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<RANGE>>> loc("r")
    %6 = "top.SiLU"(%5) : (tensor<1x2x4x4x!quant.calibrated<f32<RANGE>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-31.75:31.75>>> loc("t")
    %7 = "top.Add"(%5, %6) : (tensor<1x2x4x4x!quant.calibrated<f32<RANGE>>>, tensor<1x2x4x4x!quant.calibrated<f32<-31.75:31.75>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-63.5:63.5>>> loc("s")
    %8 = "top.Round"(%7) : (tensor<1x2x4x4x!quant.calibrated<f32<-63.5:63.5>>>) -> tensor<1x2x4x4xf32> loc("n")
    %9 = "top.Permute"(%7) {order = [0, 2, 3, 1]} : (tensor<1x2x4x4x!quant.calibrated<f32<-63.5:63.5>>>) -> tensor<1x4x4x2x!quant.calibrated<f32<-1.0:1.0>>> loc("p")
    return %8, %9 : tensor<1x2x4x4xf32>, tensor<1x4x4x2x!quant.calibrated<f32<-1.0:1.0>>>
  }
}

// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F8E4M3 chip=bm1690" --mlir-print-debuginfo --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=FINE
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F8E5M2 chip=bm1690" --mlir-print-debuginfo --mlir-print-local-scope 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tpuc-opt %s --convert-top-to-tpu="mode=F8E4M3 chip=bm1688" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: sed 's/TOP_CALIBRATED"/TOP_CALIBRATED", module.asymmetric = true/' %s | not tpuc-opt --convert-top-to-tpu="mode=F8E4M3 chip=bm1690" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tpuc-opt %s --convert-top-to-tpu="mode=INT4 chip=bm1690" 2>&1 | FileCheck %s --check-prefix=MODE

// CHIP: error: 'bm1688' computes no floats of 8 bits: {{.*}}[TPUMEM-E018]
// ZERO: error: F8E4M3 has no zero points: {{.*}}[TPUMEM-E018]
// MODE: error: a Top module cannot be lowered to mode 'INT4': there are INT8, F8E4M3, F8E5M2 and the floats {{.*}}[TPUMEM-E005]

// FINE: module.mode = "F8E4M3"
// The largest number of the range is 448.
// FINE: "tpu.RequantFp"{{.*}}quant_mode = #tpu<rq_mode OnlyScale>{{.*}}scale = 4.000000e+00 : f64{{.*}}!quant.calibrated<f8E4M3FN<-1.120000e+02:1.120000e+02>>> loc("xa_requant")
// FINE: tensor<2x2x1x1xf8E4M3FN> loc("a_filter_f8e4m3")
// FINE: tensor<2xf32> loc("a_bias_f32")
// FINE: "tpu.Conv2D"{{.*}}out_f8_scales = [{{[^,]*}}, {{[^,]*}}]{{.*}}OnlyScale{{.*}}!quant.calibrated<f8E4M3FN<-2.240000e+02:2.240000e+02>>> loc("a")
// FINE: "tpu.Add"{{.*}}f8_scales = [5.000000e-01, 2.500000e-01]{{.*}} loc("s")
// A function stays a float.
// FINE: "tpu.MulConst"{{.*}}const_val = 1.000000e+00 : f64{{.*}}loc("st_dequant")
// FINE: "tpu.Active"{{.*}}xf32

// WIDE: module.mode = "F8E5M2"
// WIDE: "tpu.Cast"{{.*}}f8E5M2
// WIDE: tensor<2x2x1x1xf8E5M2>
// WIDE: tensor<2xf32> loc("b")
// WIDE: "tpu.Conv2D"
// WIDE-NOT: out_f8_scales
// WIDE: "tpu.Add"{{.*}}f8E5M2
module @net attributes {module.chip = "ALL", module.state = "TOP_CALIBRATED"} {
  func.func @main(%arg0: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-448.0:448.0>>> {
    %1 = "top.Input"(%arg0) : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-112.0:112.0>>> loc("x")
    %2 = "top.Weight"() : () -> tensor<2x2x1x1xf32> loc("w")
    %3 = "top.Weight"() : () -> tensor<2xf32> loc("b")
    %4 = "top.Conv"(%1, %2, %3) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x2x4x4x!quant.calibrated<f32<-112.0:112.0>>>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4x!quant.calibrated<f32<-224.0:224.0>>> loc("a")
    %5 = "top.Add"(%4, %1) : (tensor<1x2x4x4x!quant.calibrated<f32<-224.0:224.0>>>, tensor<1x2x4x4x!quant.calibrated<f32<-112.0:112.0>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-448.0:448.0>>> loc("s")
    %6 = "top.SiLU"(%5) : (tensor<1x2x4x4x!quant.calibrated<f32<-448.0:448.0>>>) -> tensor<1x2x4x4x!quant.calibrated<f32<-448.0:448.0>>> loc("t")
    return %6 : tensor<1x2x4x4x!quant.calibrated<f32<-448.0:448.0>>>
  }
}

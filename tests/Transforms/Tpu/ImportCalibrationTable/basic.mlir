// RUN: rm -rf %t && split-file %s %t
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=cv181x" 2>&1 | FileCheck %s --check-prefix=SIGNED
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=bm1684x" 2>&1 | FileCheck %s --check-prefix=EITHER
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=bm1684x asymmetric=true" 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="chip=cv181x" 2>&1 | FileCheck %s --check-prefix=STANDIN
// RUN: tpuc-opt %t/doc.mlir --import-calibration-table="file=%t/doc chip=cv181x" 2>&1 | FileCheck %s --check-prefix=DOC

// On chips whose integers are signed all ranges are; a sigmoid ends at one.
// SIGNED: module.asymmetric = false{{.*}}module.state = "TOP_CALIBRATED"
// SIGNED: "top.Input"{{.*}} -> tensor<1x4x8x8x!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>>
// The pool gives its range to the convolution, which nothing else reads.
// SIGNED: "top.Conv"{{.*}} -> tensor<1x4x8x8x!quant.calibrated<f32<-5.000000e+00:5.000000e+00>>>
// SIGNED: "top.MaxPool"{{.*}} -> tensor<1x4x4x4x!quant.calibrated<f32<-5.000000e+00:5.000000e+00>>>
// SIGNED: "top.Sigmoid"{{.*}} -> tensor<1x4x4x4x!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>>
// What reads a pool that is read elsewhere takes its range.
// SIGNED: "top.Reshape"{{.*}} -> tensor<1x64x!quant.calibrated<f32<-5.000000e+00:5.000000e+00>>>
// SIGNED: "top.Sign"{{.*}} -> tensor<1x64xf32>

// EITHER: "top.Input"{{.*}} -> tensor<1x4x8x8x!quant.calibrated<f32<0.000000e+00:1.000000e+00>>>
// EITHER: "top.Conv"{{.*}} -> tensor<1x4x8x8x!quant.calibrated<f32<-5.000000e+00:5.000000e+00>>>
// EITHER: "top.Sigmoid"{{.*}} -> tensor<1x4x4x4x!quant.calibrated<f32<0.000000e+00:1.000000e+00>>>

// AFFINE: module.asymmetric = true
// AFFINE: "top.MaxPool"{{.*}} -> tensor<1x4x4x4x!quant.calibrated<f32<-2.000000e+00:6.000000e+00>>>

// STANDIN: warning: there is no calibration table: ranges are stand-ins, so sizes and types are right and numbers mean nothing
// STANDIN-NOT: warning
// STANDIN: module.calibration = "stand-in"
// STANDIN: "top.Sign"{{.*}} -> tensor<1x64x!quant.calibrated

// DOC: "top.Input"{{.*}} -> tensor<1x8x!quant.calibrated<f32<-6.200000e+00:6.200000e+00>>>
// DOC: "top.Relu"{{.*}} -> tensor<1x8x!quant.calibrated<f32<-6.200000e+00:6.200000e+00>>>

//--- net.mlir
module @net attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: tensor<1x4x8x8xf32>) -> (tensor<1x64xf32>, tensor<1x4x4x4xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Input"(%arg0) : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> loc("x")
    %2 = "top.Weight"() : () -> tensor<4x4x1x1xf32> loc("w")
    %3 = "top.Conv"(%1, %2, %0) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0]} : (tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32>, none) -> tensor<1x4x8x8xf32> loc("c")
    %4 = "top.MaxPool"(%3) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> loc("p")
    %5 = "top.Sigmoid"(%4) : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> loc("s")
    %6 = "top.Reshape"(%4) : (tensor<1x4x4x4xf32>) -> tensor<1x64xf32> loc("r")
    %7 = "top.Sign"(%6) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("n")
    return %7, %5 : tensor<1x64xf32>, tensor<1x4x4x4xf32>
  }
}
//--- table
# op_name threshold min max
x 1.0 0.0 1.0
c 7.0 -7.0 7.0
p 5.0 -2.0 6.0
s 0.9 0.1 0.9
r 4.0 -4.0 4.0
//--- doc.mlir
module {
  func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
    %1 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("x")
    %2 = "top.Relu"(%1) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
    return %2 : tensor<1x8xf32>
  }
}
//--- doc
x 1.0 -1.0 1.0
y 6.2 0.0 6.2

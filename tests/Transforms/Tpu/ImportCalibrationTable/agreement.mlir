// RUN: rm -rf %t && split-file %s %t
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=bm1684x" | FileCheck %s --check-prefixes=ALL,EITHER
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=bm1684x asymmetric=true" | FileCheck %s --check-prefixes=ALL,AFFINE
// RUN: tpuc-opt %t/net.mlir --import-calibration-table="file=%t/table chip=cv181x" | FileCheck %s --check-prefixes=ALL,SIGNED

// Whoever computes numbers has the range of the table, with a sign where there
// are negative ones: no operand's, and none is given to an operand.
// ALL-LABEL: func.func @main
// EITHER: "top.Input"{{.*}}f32<-4.000000e+00:4.000000e+00>>>
// AFFINE: "top.Input"{{.*}}f32<-4.000000e+00:3.000000e+00>>>
// EITHER: "top.LeakyRelu"{{.*}}-> {{.*}}f32<-3.000000e+00:3.000000e+00>>>
// SIGNED: "top.LeakyRelu"{{.*}}-> {{.*}}f32<-3.000000e+00:3.000000e+00>>>
// AFFINE: "top.LeakyRelu"{{.*}}-> {{.*}}f32<-4.000000e-01:3.000000e+00>>>
// EITHER: "top.Abs"{{.*}}-> {{.*}}f32<0.000000e+00:4.000000e+00>>>
// AFFINE: "top.Abs"{{.*}}-> {{.*}}f32<0.000000e+00:4.000000e+00>>>
// SIGNED: "top.Abs"{{.*}}-> {{.*}}f32<-4.000000e+00:4.000000e+00>>>
// EITHER: "top.MulConst"{{.*}}-> {{.*}}f32<-8.000000e+00:8.000000e+00>>>
// AFFINE: "top.MulConst"{{.*}}-> {{.*}}f32<-8.000000e+00:0.000000e+00>>>
// SIGNED: "top.MulConst"{{.*}}-> {{.*}}f32<-8.000000e+00:8.000000e+00>>>
// EITHER: "top.MaxConst"{{.*}}-> {{.*}}f32<0.000000e+00:9.000000e+00>>>
// EITHER: "top.Reduce"{{.*}}ReduceSum{{.*}}-> {{.*}}f32<-5.000000e+01:5.000000e+01>>>
// SIGNED: "top.Reduce"{{.*}}ReduceSum{{.*}}-> {{.*}}f32<-5.000000e+01:5.000000e+01>>>
// What is put around is in the operand's range, or else the result has its own.
// EITHER: "top.Pad"{{.*}}val = 9{{.*}}-> {{.*}}f32<-9.000000e+00:9.000000e+00>>>
// EITHER: "top.Pad"{{.*}}val = -2{{.*}}-> {{.*}}f32<-4.000000e+00:4.000000e+00>>>
// AFFINE: "top.Pad"{{.*}}val = 9{{.*}}-> {{.*}}f32<-4.000000e+00:9.000000e+00>>>
// AFFINE: "top.Pad"{{.*}}val = -2{{.*}}-> {{.*}}f32<-4.000000e+00:3.000000e+00>>>
// SIGNED: "top.Pad"{{.*}}val = 9{{.*}}-> {{.*}}f32<-9.000000e+00:9.000000e+00>>>
// A relu that ends somewhere has its own, any other that of what it reads.
// EITHER: "top.Relu"{{.*}}relu_limit = 1{{.*}}-> {{.*}}f32<0.000000e+00:1.000000e+00>>>
// EITHER: "top.Relu"{{.*}}-> {{.*}}f32<-4.000000e+00:4.000000e+00>>>
// What lies between 0 and 1 does so before it has a scale.
// EITHER: "top.Sigmoid"{{.*}}-> {{.*}}f32<-6.000000e+00:6.000000e+00>>>
// EITHER: "top.Sigmoid"{{.*}}-> {{.*}}f32<0.000000e+00:1.000000e+00>>>

//--- net.mlir
!t = tensor<1x2x4x4xf32>
!p = tensor<1x2x6x6xf32>
module @net attributes {module.state = "TOP_F32"} {
  func.func @main(%arg0: !t) -> (!t, !t, !t, !t, tensor<1x2x1x1xf32>, !p, !p, !t, !t, !t, !t) {
    %x = "top.Input"(%arg0) : (!t) -> !t loc("x")
    %l = "top.LeakyRelu"(%x) {alpha = 1.0e-01 : f64} : (!t) -> !t loc("leaky")
    %a = "top.Abs"(%x) : (!t) -> !t loc("abs")
    %m = "top.MulConst"(%a) {const_val = -2.0 : f64} : (!t) -> !t loc("mul")
    %c = "top.MaxConst"(%x) {const_val = 9.0 : f64} : (!t) -> !t loc("max")
    %s = "top.Reduce"(%x) {axes = [2, 3], keepdims = true, mode = "ReduceSum"} : (!t) -> tensor<1x2x1x1xf32> loc("sum")
    %p = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 1], val = 9.0 : f64, mode = "constant"} : (!t) -> !p loc("far")
    %q = "top.Pad"(%x) {paddings = [0, 0, 1, 1, 0, 0, 1, 1], val = -2.0 : f64, mode = "constant"} : (!t) -> !p loc("near")
    %r = "top.Relu"(%x) {relu_limit = 1.0 : f64} : (!t) -> !t loc("ends")
    %u = "top.Relu"(%x) {relu_limit = -1.0 : f64} : (!t) -> !t loc("relu")
    %g = "top.Sigmoid"(%x) {scale = 12.0 : f64, bias = -6.0 : f64} : (!t) -> !t loc("scaled")
    %h = "top.Sigmoid"(%x) : (!t) -> !t loc("plain")
    return %l, %m, %c, %r, %s, %p, %q, %u, %g, %h, %a : !t, !t, !t, !t, tensor<1x2x1x1xf32>, !p, !p, !t, !t, !t, !t
  }
}
//--- table
x 4.0 -4.0 3.0
leaky 3.0 -0.4 3.0
abs 4.0 0.0 4.0
mul 8.0 -8.0 0.0
max 9.0 8.0 9.0
sum 50.0 -50.0 20.0
far 9.0 -4.0 9.0
near 7.0 -4.0 3.0
ends 1.0 0.0 1.0
relu 2.5 0.0 3.0
scaled 6.0 -5.8 6.0
plain 0.9 0.1 0.9

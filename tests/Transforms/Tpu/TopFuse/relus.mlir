// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<2x8xf32>

// CHECK-LABEL: @relus
// CHECK-NEXT: "top.Add"(%arg0, %arg0) {do_relu = true, relu_limit = -1.000000e+00 : f64} : {{.*}} loc("a")
// CHECK-NEXT: "top.MulConst"({{.*}}) {const_val = 2.000000e+00 : f64, do_relu = true, relu_limit = 6.000000e+00 : f64} : {{.*}} loc("b")
// CHECK-NEXT: "top.Sub"({{.*}}) {do_relu = true, relu_limit = 1.000000e+00 : f64} : {{.*}} loc("c")
// CHECK-NEXT: "top.Mul"({{.*}}) {do_relu = true, relu_limit = -1.000000e+00 : f64} : {{.*}} loc("d")
// CHECK-NEXT: return
func.func @relus(%x: !t) -> !t {
  %0 = "top.Add"(%x, %x) {do_relu = false, relu_limit = -1.0 : f64} : (!t, !t) -> !t
  %a = "top.Relu"(%0) {relu_limit = -1.0 : f64} : (!t) -> !t loc("a")
  %1 = "top.MulConst"(%a) {const_val = 2.0 : f64} : (!t) -> !t
  %b = "top.Relu"(%1) {relu_limit = 6.0 : f64} : (!t) -> !t loc("b")
  %2 = "top.Sub"(%b, %x) : (!t, !t) -> !t
  %c = "top.Clip"(%2) {min = 0.0 : f64, max = 1.0 : f64} : (!t) -> !t loc("c")
  %3 = "top.Mul"(%c, %x) : (!t, !t) -> !t
  %d = "top.Clip"(%3) {min = 0.0 : f64, max = 0x7FF0000000000000 : f64} : (!t) -> !t loc("d")
  return %d : !t
}

// A layer that has no relu, one that has one already, others that read it, an
// argument, a limit of 0, clips that begin elsewhere or end at once.
// CHECK-LABEL: @relus_that_stay
// CHECK-COUNT-5: "top.Relu"
// CHECK-COUNT-2: "top.Clip"
func.func @relus_that_stay(%x: !t) -> (!t, !t, !t, !t, !t, !t, !t, !t) {
  %0 = "top.Tanh"(%x) : (!t) -> !t
  %a = "top.Relu"(%0) : (!t) -> !t
  %1 = "top.Add"(%x, %x) {do_relu = true, relu_limit = 1.0 : f64} : (!t, !t) -> !t
  %b = "top.Relu"(%1) : (!t) -> !t
  %2 = "top.Mul"(%x, %x) : (!t, !t) -> !t
  %c = "top.Relu"(%2) : (!t) -> !t
  %d = "top.Relu"(%x) : (!t) -> !t
  %3 = "top.Sub"(%x, %a) : (!t, !t) -> !t
  %e = "top.Relu"(%3) {relu_limit = 0.0 : f64} : (!t) -> !t
  %4 = "top.Sub"(%x, %b) : (!t, !t) -> !t
  %f = "top.Clip"(%4) {min = 0.5 : f64, max = 1.0 : f64} : (!t) -> !t
  %5 = "top.Sub"(%x, %c) : (!t, !t) -> !t
  %g = "top.Clip"(%5) {min = 0.0 : f64, max = 0.0 : f64} : (!t) -> !t
  return %2, %a, %b, %c, %d, %e, %f, %g : !t, !t, !t, !t, !t, !t, !t, !t
}

// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Layers of integers stay by themselves: whoever took one over would compute it
// as a float.
// CHECK-LABEL: func.func @main
// CHECK: "top.AddConst"{{.*}}do_relu = true{{.*}}loc("r")
// CHECK: "top.AddConst"{{.*}}do_relu = false{{.*}}whole_numbers = true
// CHECK-NEXT: "top.Relu"
module {
  func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %x = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32> loc("x")
    %a = "top.AddConst"(%x) {const_val = 1.0 : f64, do_relu = false, relu_limit = -1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32> loc("a")
    %r = "top.Relu"(%a) : (tensor<4xf32>) -> tensor<4xf32> loc("r")
    %b = "top.AddConst"(%x) {const_val = 1.0 : f64, do_relu = false, relu_limit = -1.0 : f64, whole_numbers = true} : (tensor<4xf32>) -> tensor<4xf32> loc("b")
    %s = "top.Relu"(%b) : (tensor<4xf32>) -> tensor<4xf32> loc("s")
    return %r, %s : tensor<4xf32>, tensor<4xf32>
  }
}

// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16 chip=bm1684x" -o %t
// RUN: FileCheck %s < %t
// RUN: tpuc-opt %t --tpu-global-memory -o /dev/null

// A module that is lowered stays as it is, whatever is asked for.
// RUN: tpuc-opt %t --convert-top-to-tpu="high-precision=true chip=bm1690" -o %t.again 2> %t.log
// RUN: FileCheck %s --check-prefix=AGAIN < %t.log
// RUN: cmp %t %t.again
// RUN: tpuc-opt %t --convert-top-to-tpu="mode=F16 chip=bm1684x" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME --allow-empty
// AGAIN: remark: 'high-precision' has no effect: the module is lowered already, and stays as it is
// AGAIN: remark: 'chip' has no effect: the module is lowered already, and stays as it is
// SAME-NOT: remark

// What a function returns as an index becomes an integer, and so does what its
// callers get: through two calls, whatever comes first in the text.
module @net attributes {module.chip = "bm1684x", module.state = "TOP_F32"} {
  // CHECK-LABEL: func.func @main
  // CHECK-SAME: -> (tensor<4x2xf32>, tensor<4x2xi32>)
  func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    // CHECK: %[[C:.*]]:2 = call @outer(%{{.*}}) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    %v, %i = call @outer(%x) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
    // CHECK: return %[[C]]#0, %[[C]]#1 : tensor<4x2xf32>, tensor<4x2xi32>
    return %v, %i : tensor<4x2xf32>, tensor<4x2xf32>
  }
  // CHECK-LABEL: func.func @outer
  // CHECK-SAME: -> (tensor<4x2xf32>, tensor<4x2xi32>)
  func.func @outer(%p: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %v, %i = call @inner(%p) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
    return %v, %i : tensor<4x2xf32>, tensor<4x2xf32>
  }
  // CHECK-LABEL: func.func @inner
  // CHECK-SAME: -> (tensor<4x2xf32>, tensor<4x2xi32>)
  func.func @inner(%p: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    %a = "top.Abs"(%p) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("a")
    // CHECK: "tpu.TopK"
    %v, %i = "top.TopK"(%a) {K = 2 : i64, axis = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) loc(fused["v", "i"])
    return %v, %i : tensor<4x2xf32>, tensor<4x2xf32>
  }
}

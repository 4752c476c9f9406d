// RUN: tpuc-opt %s --tpu-strip-io-cast | FileCheck %s
// RUN: tpuc-opt %s --tpu-strip-io-cast=outputs=false | FileCheck %s --check-prefix=INPUTS
// RUN: tpuc-opt %s --tpu-strip-io-cast=inputs=false | FileCheck %s --check-prefix=OUTPUTS
// RUN: tpuc-opt %s --tpu-strip-io-cast -o %t && tpuc-opt %t --tpu-strip-io-cast | diff %t -
// RUN: tpuc-opt %s --tpu-strip-io-cast="inputs=false outputs=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NEITHER

// RUN: tpuc-opt %t --tpu-strip-io-cast -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tpuc-opt %t --tpu-strip-io-cast=outputs=false -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOINPUT
// RUN: tpuc-opt %s --tpu-strip-io-cast -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOME --allow-empty

// RUN: not tpuc-opt %s --tpu-strip-io-cast=input-list=1,2 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tpuc-opt %s --tpu-strip-io-cast=output-list=9 2>&1 | FileCheck %s --check-prefix=RANGES

// RANGE: 'input-list' names input 2, of the network's 1
// RANGES: 'output-list' names output 9, of the network's 2
// NONE: remark: there is nothing to strip: no input or output of the network is cast to a narrower type
// NOINPUT: remark: there is nothing to strip: no input of the network is cast to a narrower type
// SOME-NOT: remark
// NEITHER: remark: 'inputs=false outputs=false' leaves no casts to strip
// The argument keeps its type; the input and the result take over the inner one.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[ARG:.*]]: tensor<1x8xf32>) -> tensor<1x8xf16>
// CHECK: %[[IN:.*]] = "top.Input"(%[[ARG]]) : (tensor<1x8xf32>) -> tensor<1x8xf16>
// CHECK-NEXT: %[[OUT:.*]] = "tpu.Relu"(%[[IN]])
// CHECK-NEXT: return %[[OUT]] : tensor<1x8xf16>
// INPUTS-LABEL: func.func @main
// INPUTS-SAME: -> tensor<1x8xf32>
// INPUTS: "tpu.Relu"
// INPUTS-NEXT: "tpu.Cast"
// OUTPUTS-LABEL: func.func @main
// OUTPUTS: "tpu.Cast"
// OUTPUTS-NEXT: "tpu.Relu"
// OUTPUTS-NEXT: return
func.func @main(%arg0: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = "tpu.Cast"(%0) {with_scale = true} : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %2 = "tpu.Relu"(%1) : (tensor<1x8xf16>) -> tensor<1x8xf16>
  %3 = "tpu.Cast"(%2) {with_scale = true} : (tensor<1x8xf16>) -> tensor<1x8xf32>
  return %3 : tensor<1x8xf32>
}

// Somebody reads the input as it is: its cast stays. So does a cast that is read
// inside, but what it casts is returned.
// CHECK-LABEL: func.func @stays
// CHECK-SAME: -> (tensor<1x8xf16>, tensor<1x8xf32>)
// CHECK: "top.Input"(%{{.*}}) : (tensor<1x8xf32>) -> tensor<1x8xf32>
// CHECK: "tpu.Relu"
// CHECK: %[[CAST:.*]] = "tpu.Cast"
// CHECK-NEXT: %[[BACK:.*]] = "tpu.Cast"(%[[CAST]])
// CHECK-NEXT: %[[LAST:.*]] = "tpu.Relu"(%[[BACK]])
// CHECK-NEXT: return %[[CAST]], %[[LAST]]
func.func @stays(%arg0: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = "tpu.Relu"(%0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = "tpu.Cast"(%1) {with_scale = true} : (tensor<1x8xf32>) -> tensor<1x8xf16>
  %3 = "tpu.Cast"(%2) {with_scale = true} : (tensor<1x8xf16>) -> tensor<1x8xf32>
  %4 = "tpu.Relu"(%3) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  return %3, %4 : tensor<1x8xf32>, tensor<1x8xf32>
}

// A function that is called has its types from its caller.
// CHECK-LABEL: func.func @outer
// CHECK: call @inner
// CHECK-LABEL: func.func @inner
// CHECK: "tpu.Cast"
func.func @outer(%arg0: tensor<1x8xf16>) -> tensor<1x8xf32> {
  %0 = call @inner(%arg0) : (tensor<1x8xf16>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
func.func @inner(%arg0: tensor<1x8xf16>) -> tensor<1x8xf32> {
  %0 = "tpu.Cast"(%arg0) {with_scale = true} : (tensor<1x8xf16>) -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// A cast to integers cuts what is behind the point: the network's own work.
// CHECK-LABEL: func.func @cut
// CHECK-SAME: -> tensor<1x8xsi32>
// CHECK: "tpu.Cast"
// CHECK: "tpu.Cast"
func.func @cut(%arg0: tensor<1x8xf32>) -> tensor<1x8xsi32> {
  %0 = "top.Input"(%arg0) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = "tpu.Cast"(%0) {with_scale = true} : (tensor<1x8xf32>) -> tensor<1x8xsi16>
  %2 = "tpu.Cast"(%1) {with_scale = true} : (tensor<1x8xsi16>) -> tensor<1x8xf16>
  %3 = "tpu.Cast"(%2) {with_scale = true} : (tensor<1x8xf16>) -> tensor<1x8xsi32>
  return %3 : tensor<1x8xsi32>
}

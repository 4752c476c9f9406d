// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-reorder %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-reorder=remarks %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-reorder --tpu-reorder=remarks %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=AGAIN

// Nothing is found the second time.
// AGAIN-NOT: in the order of '

// Each wide tensor dies before the next one is made. Weights come before what
// reads them first and keep their order, which their addresses follow.
// REMARK: remark: 'main' needs 16.8 KiB (17,152 B) at its peak in the order of 'least-peak', 32.5 KiB (33,280 B) in that of the text; no order needs less
// CHECK-LABEL: func.func @main(
// CHECK: %[[X:.*]] = "top.Input"
// CHECK-NEXT: top.None
// CHECK-NEXT: %[[U:.*]] = "top.Weight"() : () -> tensor<64x4096xf32>
// CHECK-NEXT: %[[A:.*]] = "tpu.MatMul"(%[[X]], %[[U]], %{{.*}})
// CHECK: %[[V:.*]] = "top.Weight"
// CHECK-NEXT: %[[C:.*]] = "tpu.MatMul"(%[[A]], %[[V]]
// CHECK-NEXT: %[[B:.*]] = "tpu.MatMul"(%[[X]], %[[U]]
// CHECK-NEXT: %[[D:.*]] = "tpu.MatMul"(%[[B]], %[[V]]
// CHECK-NEXT: "tpu.Add"(%[[C]], %[[D]])
module {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %u = "top.Weight"() : () -> tensor<64x4096xf32> loc("u")
    %a = "tpu.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32>
    %b = "tpu.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32>
    %v = "top.Weight"() : () -> tensor<4096x64xf32> loc("v")
    %c = "tpu.MatMul"(%a, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32>
    %d = "tpu.MatMul"(%b, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32>
    %y = "tpu.Add"(%c, %d) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    return %y : tensor<1x64xf32>
  }
}

// -----

// What is not known keeps its order, as do calls; what is known goes past.
// CHECK-LABEL: func.func @main(
// CHECK: "my.first"
// CHECK: "my.second"
// CHECK: call @inner
// CHECK: "my.third"
module {
  func.func private @inner(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64xf32>) -> tensor<1x64xf32>
    return %y : tensor<1x64xf32>
  }
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %a = "my.first"(%x) : (tensor<1x64xf32>) -> tensor<1x4096xf32>
    %b = "my.second"(%x) : (tensor<1x64xf32>) -> tensor<1x4096xf32>
    %e = call @inner(%x) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %c = "my.third"(%a) : (tensor<1x4096xf32>) -> tensor<1x64xf32>
    %d = "my.fourth"(%b) : (tensor<1x4096xf32>) -> tensor<1x64xf32>
    %s = "tpu.Add"(%c, %d) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %y = "tpu.Add"(%s, %e) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    return %y : tensor<1x64xf32>
  }
}

// -----

// Scratch goes with its op, and an op with regions is one op.
// CHECK-LABEL: func.func @main(
// CHECK: "tpu.MatMul"
// CHECK: "tpu.If"
// CHECK: "tpu.MatMul"
module {
  func.func @main(%arg0: tensor<1x64xf32>, %arg1: tensor<1xf32>) -> tensor<1x64xf32> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %p = "top.Input"(%arg1) : (tensor<1xf32>) -> tensor<1xf32>
    %u = "top.Weight"() : () -> tensor<64x4096xf32>
    %a = "tpu.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32>
    %b = "tpu.MatMul"(%x, %u, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32>
    %v = "top.Weight"() : () -> tensor<4096x64xf32>
    %c = "tpu.If"(%p) ({
      %r = "tpu.MatMul"(%a, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32>
      "tpu.Yield"(%r) : (tensor<1x64xf32>) -> ()
    }, {
      "tpu.Yield"(%x) : (tensor<1x64xf32>) -> ()
    }) : (tensor<1xf32>) -> tensor<1x64xf32>
    %d = "tpu.MatMul"(%b, %v, %none) : (tensor<1x4096xf32>, tensor<4096x64xf32>, none) -> tensor<1x64xf32>
    %y = "tpu.Add"(%c, %d) : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    return %y : tensor<1x64xf32>
  }
}

// -----

// The input may be freed only where it is said to.
// CHECK-LABEL: func.func @nothing_to_do(
func.func @nothing_to_do(%arg0: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %x : tensor<1x64xf32>
}

// The copy is not put between groups that run transfers for each other, but in
// front of both.
// RUN: tpuc-opt %s --tpu-rematerialize=tensors=a | FileCheck %s
// RUN: sed 's/overlap_op = \[[^]]*\]/overlap_op = []/g' %s | tpuc-opt --tpu-rematerialize=tensors=a | FileCheck %s --check-prefix=APART

// CHECK: "tpu.Active"
// CHECK: "tpu.Pool2D"
// CHECK: "tpu.Active"
// CHECK: "tpu.Group"
// CHECK-NOT: "tpu.Active"
// CHECK: "tpu.Group"
// APART: "tpu.Active"
// APART: "tpu.Pool2D"
// APART: "tpu.Group"
// APART: "tpu.Active"
// APART: "tpu.Group"
module @pair attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x64x64x64xi8>) -> (tensor<1x64x4x4xi8>, tensor<1x64x64x64xi8>) {
    %x = "top.Input"(%arg0) : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("a")
    %p = "tpu.Pool2D"(%a) {kernel_shape = [16, 16], strides = [16, 16], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x64x64xi8>) -> tensor<1x64x4x4xi8> loc("p")
    %b = "tpu.Group"(%p) ({
      %0 = "tpu.Load"(%p) {lmem_type = 1 : i64} : (tensor<1x64x4x4xi8>) -> tensor<1x64x4x4xi8> loc("lb")
      "tpu.Yield"(%0) : (tensor<1x64x4x4xi8>) -> ()
    }) {flow = [], other_up_overlap_op = [-1, 0]} : (tensor<1x64x4x4xi8>) -> tensor<1x64x4x4xi8> loc("b")
    %c = "tpu.Group"(%a) ({
      %0 = "tpu.Load"(%a) {lmem_type = 1 : i64} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("lc")
      "tpu.Yield"(%0) : (tensor<1x64x64x64xi8>) -> ()
    }) {flow = [], self_up_overlap_op = [0]} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("c")
    return %b, %c : tensor<1x64x4x4xi8>, tensor<1x64x64x64xi8>
  }
}

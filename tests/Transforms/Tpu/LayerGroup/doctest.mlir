// The example of the pass's documentation.
// RUN: tpuc-opt %s "--tpu-layer-group=chip-file=%S/small.json objective=traffic" "--tpu-verify-local=chip-file=%S/small.json" | FileCheck %s

// CHECK: %[[G:[0-9a-z]+]] = "tpu.Group"(%{{[0-9a-z]+}}) ({
// CHECK-NEXT: %[[X:[0-9a-z]+]] = "tpu.Load"
// CHECK-NEXT: %[[W:[0-9a-z]+]] = "tpu.Load"
// CHECK-SAME: lmem_type = 0 : i64
// CHECK-NEXT: %[[B:[0-9a-z]+]] = "tpu.Load"
// CHECK-SAME: lmem_type = 0 : i64
// CHECK-NEXT: %[[C:[0-9a-z]+]] = "tpu.Conv2D"(%[[X]], %[[W]], %[[B]])
// CHECK-NEXT: %[[P:[0-9a-z]+]] = "tpu.Pool2D"(%[[C]])
// CHECK-NEXT: %[[S:[0-9a-z]+]] = "tpu.Store"(%[[P]], %{{[0-9a-z]+}})
// CHECK-NEXT: "tpu.Yield"(%[[S]])
// CHECK: flow = [-1, 3, 5, -2, 4, 0, 1, 2]
// CHECK-SAME: hsecs = 2
// CHECK: return %[[G]]
module @net {
  func.func @main(%arg0: tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16> {
    %0 = "top.None"() : () -> none
    %2 = "top.Weight"() : () -> tensor<64x64x3x3xf16> loc("w")
    %3 = "top.Weight"() : () -> tensor<1x64x1x1xf32> loc("b")
    %4 = "tpu.Conv2D"(%arg0, %2, %3) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x64x32x32xf16>, tensor<64x64x3x3xf16>, tensor<1x64x1x1xf32>) -> tensor<1x64x32x32xf16>
    %5 = "tpu.Pool2D"(%4) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x32x32xf16>) -> tensor<1x64x16x16xf16>
    return %5 : tensor<1x64x16x16xf16>
  }
}

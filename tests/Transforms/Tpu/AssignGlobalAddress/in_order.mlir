// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="share in-order" | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory=share | FileCheck %s --check-prefix=PLAIN
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="share in-order" --tpu-global-memory=share | FileCheck %s --check-prefix=PLAIN
// RUN: sed 's/"name": "bm1684x"/"name": "bm1684x", "kernelsInOrder": true/' %root/tpu_mlir/chips/bm1684x.json > %t.json
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="share chip-file=%t.json" | FileCheck %s --check-prefix=CHIP
// RUN: not tpuc-opt %s --split-input-file --tpu-global-memory=in-order 2>&1 | FileCheck %s --check-prefix=ALONE

// ALONE: error: 'in-order' says what kernels do for results that share bytes with operands: it needs 'share' [TPUMEM-E018]

// A window of three rows looks back by one: 65 bytes, with the alignment 4096. The second one takes the first's bytes as it goes.
// CHECK: module @windows attributes {{.*}}module.kernels_in_order, {{.*}}module.neuron_size = 36864
// CHECK: "tpu.Pool2D"(%{{.*}}) {in_order, kernel_shape = [3, 3]
// CHIP: module @windows
// CHIP-NOT: module.kernels_in_order
// CHIP: "tpu.Pool2D"(%{{.*}}) {in_order, kernel_shape = [3, 3]
// PLAIN: module @windows attributes {{.*}}module.neuron_size = 49152
// PLAIN-NOT: in_order
module @windows attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4x64x64xi8>) -> tensor<1x4x8x8xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %y = "tpu.Pool2D"(%b) {kernel_shape = [8, 8], strides = [8, 8], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x8x8xi8>
    return %y : tensor<1x4x8x8xi8>
  }
}

// -----

// Somebody reads the operand afterwards.
// CHECK: module @read_again
// CHECK-NOT: {in_order
// PLAIN: module @read_again
module @read_again attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>} : (tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    %y = "tpu.Add"(%a, %b) : (tensor<1x4x64x64xi8>, tensor<1x4x64x64xi8>) -> tensor<1x4x64x64xi8>
    return %y : tensor<1x4x64x64xi8>
  }
}

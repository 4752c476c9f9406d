// RUN: tpuc-opt %s --split-input-file --tpu-global-memory=share | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory | FileCheck %s --check-prefix=PLAIN
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory=share --tpu-global-memory=share | FileCheck %s

// A chain: one tensor besides the input instead of two. Marks are made where they help alone.
// CHECK: module @chain attributes {{.*}}module.neuron_size = 8192
// CHECK: "tpu.Active"(%{{.*}}) {in_place, mode = #tpu<active_mode ABSVAL>}
// CHECK: "tpu.Active"(%{{.*}}) {in_place, mode = #tpu<active_mode ABSVAL>}
// PLAIN: module @chain attributes {{.*}}module.neuron_size = 12288
// PLAIN-NOT: in_place
module @chain attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8>
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8>
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8>
    return %c : tensor<4096xi8>
  }
}

// -----

// Pieces that are made one after the other: in place they need no second copy.
// CHECK: module @merged attributes {{.*}}module.neuron_size = 20480
// CHECK: "tpu.Concat"({{.*}}only_merge = true
// PLAIN: module @merged attributes {{.*}}module.neuron_size = 36864
// PLAIN: "tpu.Concat"({{.*}}only_merge = false
module @merged attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> tensor<4x4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %a = "tpu.Tile"(%x) {tile = [2, 1]} : (tensor<1x4096xi8>) -> tensor<2x4096xi8>
    %b = "tpu.Tile"(%x) {tile = [2, 1]} : (tensor<1x4096xi8>) -> tensor<2x4096xi8>
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = false} : (tensor<2x4096xi8>, tensor<2x4096xi8>) -> tensor<4x4096xi8>
    return %c : tensor<4x4096xi8>
  }
}

// -----

// The whole would be there from its first piece on, beside what is large then.
// CHECK: module @early attributes {{.*}}module.neuron_size = 139264
// CHECK: "tpu.Concat"({{.*}}only_merge = false
// PLAIN: module @early attributes {{.*}}module.neuron_size = 139264
module @early attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> tensor<8192x1xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %a = "tpu.Permute"(%x) {order = [1, 0]} : (tensor<1x4096xi8>) -> tensor<4096x1xi8>
    %w = "tpu.Tile"(%x) {tile = [1, 16]} : (tensor<1x4096xi8>) -> tensor<1x65536xi8>
    %v = "tpu.Permute"(%w) {order = [1, 0]} : (tensor<1x65536xi8>) -> tensor<65536x1xi8>
    %n = "tpu.Slice"(%v) {offset = [0, 0], steps = [16, 1], ends = [65536, 1], axes = []} : (tensor<65536x1xi8>) -> tensor<4096x1xi8>
    %c = "tpu.Concat"(%a, %n) {axis = 0 : si32, only_merge = false} : (tensor<4096x1xi8>, tensor<4096x1xi8>) -> tensor<8192x1xi8>
    return %c : tensor<8192x1xi8>
  }
}

// -----

// What is large comes later, so that the concat needs no less in place, nor more: it copies nothing then.
// CHECK: module @free attributes {{.*}}module.neuron_size = 528384
// CHECK: "tpu.Concat"({{.*}}only_merge = true
// PLAIN: module @free attributes {{.*}}module.neuron_size = 528384
// PLAIN: "tpu.Concat"({{.*}}only_merge = false
module @free attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> tensor<64x4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %none = "top.None"() : () -> none
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = false} : (tensor<1x4096xi8>, tensor<1x4096xi8>) -> tensor<2x4096xi8>
    %t = "tpu.Tile"(%c, %none) {tile = [32, 1]} : (tensor<2x4096xi8>, none) -> tensor<64x4096xi8>
    %u = "tpu.Softmax"(%t, %none, %none, %none, %none, %none) {axis = 1 : si32} : (tensor<64x4096xi8>, none, none, none, none, none) -> tensor<64x4096xi8>
    return %u : tensor<64x4096xi8>
  }
}

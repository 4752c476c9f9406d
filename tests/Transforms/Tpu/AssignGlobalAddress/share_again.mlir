// RUN: tpuc-opt %s --split-input-file --tpu-global-memory=share -o %t1
// RUN: FileCheck %s --input-file=%t1
// RUN: tpuc-opt %t1 --split-input-file --tpu-global-memory=share -o %t2
// RUN: cmp %t1 %t2
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="share in-order" -o %t3
// RUN: FileCheck %s --check-prefix=ORDER --input-file=%t3
// RUN: tpuc-opt %t3 --split-input-file --tpu-global-memory="share in-order" -o %t4
// RUN: cmp %t3 %t4
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory | FileCheck %s --check-prefix=PLAIN

// The update needs less, and so does the merge, which is for free: with it, nothing is left for the update.
// CHECK: module @merge_instead attributes {{.*}}module.neuron_size = 24576
// CHECK-NOT: in_place
// CHECK: "tpu.Concat"({{.*}}only_merge = true
// CHECK-NOT: in_place
// CHECK: return
// PLAIN: module @merge_instead attributes {{.*}}module.neuron_size = 28672
module @merge_instead attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> (tensor<3x4096xi8>, tensor<1x4096xi8>, tensor<1x4096xi8>) {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %a = "tpu.Tile"(%x, %none) {tile = [3, 1]} : (tensor<1x4096xi8>, none) -> tensor<3x4096xi8>
    %b = "tpu.AutoIncrease"(%x) {const_val = 1.0 : f64} : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %c = "tpu.Concat"(%b) {axis = 0 : si32, only_merge = false} : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %d = "tpu.Add"(%b, %x) {do_relu = false} : (tensor<1x4096xi8>, tensor<1x4096xi8>) -> tensor<1x4096xi8>
    return %a, %c, %d : tensor<3x4096xi8>, tensor<1x4096xi8>, tensor<1x4096xi8>
  }
}

// -----

// With the merge, a result below its operand is of use, which it was not without.
// ORDER: module @merge_first attributes {{.*}}module.neuron_size = 4096
// ORDER: "tpu.Active"({{.*}}in_order
// ORDER: "tpu.Concat"({{.*}}only_merge = true
module @merge_first attributes {module.addr_mode = "in_reuse", module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x1024xi8>) -> tensor<1x1024xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x1024xi8>) -> tensor<1x1024xi8>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x1024xi8>) -> tensor<1x1024xi8>
    %b = "tpu.AutoIncrease"(%a) {const_val = 1.0 : f64} : (tensor<1x1024xi8>) -> tensor<1x1024xi8>
    %c = "tpu.Concat"(%b) {axis = 0 : si32, only_merge = false} : (tensor<1x1024xi8>) -> tensor<1x1024xi8>
    return %c : tensor<1x1024xi8>
  }
}

// -----

// A mark stays where the plan makes use of it: the first one reads what is read again, and is not in place.
// CHECK: module @used attributes {{.*}}module.neuron_size = 8192
// CHECK: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode EXP>}
// CHECK: "tpu.Active"(%{{.*}}) {in_place, mode = #tpu<active_mode ABSVAL>}
// CHECK: "tpu.Add"(%{{.*}}) {do_relu = false, in_place}
// PLAIN: module @used attributes {{.*}}module.neuron_size = 12288
module @used attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<4096xi8>) -> tensor<4096xi8>
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8>
    %c = "tpu.Add"(%b, %x) {do_relu = false} : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8>
    return %c : tensor<4096xi8>
  }
}

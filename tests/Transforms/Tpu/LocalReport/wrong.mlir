// A group that loads less than its layers read is shown as it stands, though it moves less than anything could: what is wrong with it
// tpu-verify-local says. It lacks the last of 32 rows, 4,096 bytes.
// RUN: tpuc-opt %s --tpu-layer-group=remarks=false -o %t.mlir
// RUN: sed 's|\("tpu.Load".*h_idx = .0, 11, 22., h_slice = .11, 11, \)10|\19|' %t.mlir > %t.wrong.mlir
// RUN: tpuc-opt %t.wrong.mlir --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: not tpuc-opt %t.wrong.mlir --tpu-verify-local -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK: traffic 258,048 B: 0.98 times the least, 262,144 B
// WRONG: TPUMEM-E042
module @net attributes {module.chip = "cv181x"} {
  func.func @main(%0: tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32> {
    %1 = "top.Input"(%0) : (tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32> loc("x")
    %2 = "tpu.Active"(%1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32> loc("a")
    %3 = "tpu.Active"(%2) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x32x32x32xf32>) -> tensor<1x32x32x32xf32> loc("b")
    return %3 : tensor<1x32x32x32xf32>
  }
}

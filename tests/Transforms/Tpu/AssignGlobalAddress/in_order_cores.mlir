// A kernel that divides itself among cores has no order: its result lies over
// no byte of what it reads, where that of one core may begin below it.
// RUN: tpuc-opt %s --processor-assign=num_core=1 "--tpu-global-memory=share in-order alignment=1" -o %t.one.mlir
// RUN: FileCheck %s --check-prefix=ONE < %t.one.mlir
// RUN: tpuc-opt %s --processor-assign=num_core=2 "--tpu-global-memory=share in-order alignment=1" -o %t.two.mlir
// RUN: FileCheck %s --check-prefix=TWO < %t.two.mlir
// RUN: not tpuc-opt %t.one.mlir --processor-assign=num_core=2 --tpu-verify-addresses=alignment=1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: tpuc-opt %t.one.mlir --processor-assign=num_core=2 -o %t.moved.mlir
// RUN: not model_runner --model %t.moved.mlir 2>&1 | FileCheck %s --check-prefix=RAN

// ONE: "tpu.Conv2D"{{.*}} in_order,
// TWO-NOT: {{[{ ]}}in_order,
// MOVED: which it uses itself: several cores work on it, and none waits for what others read [TPUMEM-E012]
// RAN: which it uses itself

!t = tensor<1x8x64x64xf16>
module @net attributes {module.chip = "bm1688"} {
  func.func @main(%arg0: !t) -> tensor<1x8x8x8xf16> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (!t) -> !t loc("x")
    %w = "top.Weight"() : () -> tensor<8x8x3x3xf16> loc("w")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (!t) -> !t loc("a")
    %b = "tpu.Conv2D"(%a, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (!t, tensor<8x8x3x3xf16>, none) -> !t loc("b")
    %y = "tpu.Pool2D"(%b) {kernel_shape = [8, 8], strides = [8, 8], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (!t) -> tensor<1x8x8x8xf16> loc("y")
    return %y : tensor<1x8x8x8xf16>
  }
}

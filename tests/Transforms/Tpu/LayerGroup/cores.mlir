// Two cores get half of the sections each, and load the filters each for
// itself; the plan runs. One core's plan is what it is without cores.
// RUN: tpuc-opt %s --processor-assign=num_core=2 --tpu-local-memory --mlir-print-debuginfo -o %t.two.mlir
// RUN: FileCheck %s < %t.two.mlir
// RUN: tpuc-opt %t.two.mlir --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: tpuc-opt %t.two.mlir --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %t.two.mlir --tpu-global-memory -o %t.final.mlir --mlir-print-debuginfo
// RUN: model_runner --model %t.final.mlir
// RUN: tpuc-opt %s --processor-assign=num_core=1 --tpu-local-memory --mlir-print-debuginfo -o %t.one.mlir
// RUN: tpuc-opt %s --tpu-local-memory --mlir-print-debuginfo | diff %t.one.mlir -
// RUN: tpuc-opt %t.one.mlir --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE

// CHECK: module.cores = 2
// CHECK: "tpu.Group"(
// CHECK: hsecs = 4 : i64

// TABLE: execution units of 16 B; 2 cores
// TABLE: n c d h w{{ +}}cores
// TABLE: 0{{ +}}3{{ +}}{{[0-9]+}}{{ +}}1 1 1 4 1{{ +}}2

// JSON: "cores": 2
// JSON: "activeCores": 2

// ONE-NOT: cores

!x = tensor<1x32x56x56xf16>
!w = tensor<32x32x3x3xf16>
module @net attributes {module.chip = "bm1688", module.cores = 1 : i64} {
  func.func @main(%arg0: !x) -> !x {
    %n = "top.None"() : () -> none
    %in = "top.Input"(%arg0) : (!x) -> !x loc("in")
    %w0 = "top.Weight"() : () -> !w loc("w0")
    %w1 = "top.Weight"() : () -> !w loc("w1")
    %a = "tpu.Conv2D"(%in, %w0, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (!x, !w, none) -> !x loc("a")
    %b = "tpu.Conv2D"(%a, %w1, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (!x, !w, none) -> !x loc("b")
    %y = "tpu.Add"(%b, %in) : (!x, !x) -> !x loc("y")
    return %y : !x
  }
}

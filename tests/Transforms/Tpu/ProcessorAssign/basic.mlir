// The chip, its cores, and which kernels for global memory divide themselves.
// RUN: tpuc-opt %s --processor-assign="chip=bm1688 num_core=2" | FileCheck %s
// RUN: tpuc-opt %s --processor-assign="chip=bm1688" | FileCheck %s --check-prefix=ONE
// RUN: not tpuc-opt %s --processor-assign="chip=bm1688 num_core=3" -o /dev/null 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tpuc-opt %s --processor-assign="chip=bm1688 num_core=0" -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tpuc-opt %s --processor-assign="chip=bm1684x num_core=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SINGLE
// RUN: not tpuc-opt %s --processor-assign -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK: module @net attributes {module.chip = "bm1688", module.cores = 2 : i64}
// CHECK: "tpu.Conv2D"{{.*}}group = 1 : i64{{.*}}multicore = true
// CHECK: "tpu.Conv2D"{{.*}}group = 32 : i64
// CHECK-NOT: multicore
// CHECK: "tpu.Concat"{{.*}}multicore = true
// CHECK: "tpu.Concat"{{.*}}multicore = false
// CHECK: "tpu.Active"
// CHECK-NOT: multicore

// ONE: module.cores = 1 : i64
// ONE-NOT: multicore = true

// MANY: error: option 'num_core' is 3, but chip 'bm1688' has 2 cores [TPUMEM-E018]
// NONE: error: {{.*}}num_core{{.*}} [TPUMEM-E018]
// SINGLE: error: option 'num_core' is 2, but chip 'bm1684x' has 1 core [TPUMEM-E018]
// CHIP: error: no chip is given

!x = tensor<1x32x8x8xf16>
!y = tensor<1x64x8x8xf16>
module @net attributes {module.cores = 1 : i64} {
  func.func @main(%in: !x) -> !y {
    %n = "top.None"() : () -> none
    %w = "top.Weight"() : () -> tensor<32x32x1x1xf16> loc("w")
    %d = "top.Weight"() : () -> tensor<32x1x3x3xf16> loc("d")
    %a = "tpu.Conv2D"(%in, %w, %n) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 1 : i64} : (!x, tensor<32x32x1x1xf16>, none) -> !x loc("a")
    %b = "tpu.Conv2D"(%a, %d, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 32 : i64} : (!x, tensor<32x1x3x3xf16>, none) -> !x loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 1 : si32} : (!x, !x) -> !y loc("c")
    %e = "tpu.Concat"(%b, %a) {axis = 1 : si32, multicore = false} : (!x, !x) -> !y loc("e")
    %s = "tpu.Add"(%c, %e) : (!y, !y) -> !y loc("s")
    %y = "tpu.Active"(%s) {mode = #tpu<active_mode ABSVAL>} : (!y) -> !y loc("y")
    return %y : !y
  }
}

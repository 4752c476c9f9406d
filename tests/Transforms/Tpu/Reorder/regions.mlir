// RUN: tpuc-opt --tpu-reorder="chip=cv181x remarks" %s 2>&1 | FileCheck %s --check-prefixes=CHECK,CV181X,APART
// RUN: tpuc-opt --tpu-reorder="chip=bm1684x remarks" %s 2>&1 | FileCheck %s --check-prefixes=CHECK,ONE,TOGETHER
// RUN: tpuc-opt --tpu-reorder="chip=bm1684x io-mode=io_alone remarks" %s 2>&1 | FileCheck %s --check-prefixes=CHECK,ALONE,APART
// RUN: sed 's/@net/@net attributes {module.addr_mode = "io_alone"}/' %s | tpuc-opt --tpu-reorder="chip=bm1684x remarks" 2>&1 | FileCheck %s --check-prefixes=CHECK,ALONE,APART

// RUN: tpuc-opt --tpu-reorder="chip=bm1690" %s 2>&1 | FileCheck %s --check-prefixes=CHECK,APART
// RUN: tpuc-opt --tpu-reorder="chip=bm1690 l2=false" %s 2>&1 | FileCheck %s --check-prefixes=CHECK,TOGETHER
// RUN: sed 's/@net/@net attributes {module.addr_mode = 7}/' %s | not tpuc-opt --tpu-reorder="chip=bm1684x" 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: attribute 'module.addr_mode' has to be a string [TPUMEM-E005]

// The large output takes memory from when it is made, so it is made last, and
// what it is made of is kept until then. Where outputs are in a region of their
// own that costs memory, and saves none.
// CV181X: remark: 'main' needs 31.0 KiB (31,744 B) at its peak in the order of the text, 31.0 KiB (31,744 B) in that of the text; no order needs less
// ALONE: remark: 'main' needs 36.0 KiB (36,864 B) at its peak in the order of the text, 36.0 KiB (36,864 B) in that of the text; no order needs less
// ONE: remark: 'main' needs 88.0 KiB (90,112 B) at its peak in the order of '{{.*}}', 104.0 KiB (106,496 B) in that of the text; no order needs less

// Inputs are there from the start, also where nobody reads them.
// CHECK: module @net
// CHECK-NEXT: func.func @main
// TOGETHER-NEXT: "top.Input"
// TOGETHER-NEXT: "top.Input"
// APART: "tpu.MatMul"{{.*}} -> tensor<1x4096xf32>
// APART: "tpu.MatMul"{{.*}} -> tensor<1x16384xf32>
// APART: "tpu.MatMul"{{.*}} -> tensor<1x7680xf32>
// TOGETHER: "tpu.MatMul"{{.*}} -> tensor<1x4096xf32>
// TOGETHER: "tpu.MatMul"{{.*}} -> tensor<1x7680xf32>
// TOGETHER: "tpu.MatMul"{{.*}} -> tensor<1x16384xf32>
module @net {
  func.func @main(%arg0: tensor<1x64xf32>, %arg1: tensor<1x64xf32>) -> (tensor<1x16384xf32>, tensor<1x64xf32>) {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %w0 = "top.Weight"() : () -> tensor<64x4096xf32> loc("w0")
    %wide = "tpu.MatMul"(%x, %w0, %none) : (tensor<1x64xf32>, tensor<64x4096xf32>, none) -> tensor<1x4096xf32>
    %w1 = "top.Weight"() : () -> tensor<4096x256xf32> loc("w1")
    %narrow = "tpu.MatMul"(%wide, %w1, %none) : (tensor<1x4096xf32>, tensor<4096x256xf32>, none) -> tensor<1x256xf32>
    %w2 = "top.Weight"() : () -> tensor<4096x16384xf32> loc("w2")
    %large = "tpu.MatMul"(%wide, %w2, %none) : (tensor<1x4096xf32>, tensor<4096x16384xf32>, none) -> tensor<1x16384xf32>
    %unused = "top.Input"(%arg1) : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %w3 = "top.Weight"() : () -> tensor<256x7680xf32> loc("w3")
    %other = "tpu.MatMul"(%narrow, %w3, %none) : (tensor<1x256xf32>, tensor<256x7680xf32>, none) -> tensor<1x7680xf32>
    %w4 = "top.Weight"() : () -> tensor<7680x64xf32> loc("w4")
    %small = "tpu.MatMul"(%other, %w4, %none) : (tensor<1x7680xf32>, tensor<7680x64xf32>, none) -> tensor<1x64xf32>
    return %large, %small : tensor<1x16384xf32>, tensor<1x64xf32>
  }
}

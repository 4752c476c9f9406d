// An output takes the place of an input only where a whole tensor may begin,
// and nothing is shared that would move it to another one.
//
// RUN: split-file %s %t
// RUN: not tpuc-opt %t/middle.mlir --convert-top-to-tpu=mode=F32 --tpu-global-memory=same-addr=0:0 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: tpuc-opt %t/middle.mlir --convert-top-to-tpu=mode=F32 --tpu-global-memory="same-addr=0:0 alignment=64" -o %t/fine.mlir
// RUN: tpuc-opt %t/fine.mlir --tpu-verify-addresses -o /dev/null
// RUN: sed 's/module.neuron_align = 64/module.neuron_align = 4096/' %t/fine.mlir | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=COARSE
// RUN: sed 's/module.neuron_align = 64/module.neuron_align = 0/' %t/fine.mlir | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tpuc-opt %t/piece.mlir --convert-top-to-tpu=mode=F32 --tpu-global-memory="share same-addr=0:0" | FileCheck %s --check-prefix=PIECE
// RUN: tpuc-opt %t/piece.mlir --convert-top-to-tpu=mode=F32 --tpu-global-memory=share | FileCheck %s --check-prefix=MERGED

// A memory of the user whose tensors begin at multiples of more is none for it.
// RUN: tpuc-opt %t/pool.mlir --tpu-global-memory="same-addr=0:0 pool-io pools={name=sram,base=0x20000000,size=1MiB,align=4096}" | FileCheck %s --check-prefix=INSIDE
// RUN: tpuc-opt %t/pool.mlir --tpu-global-memory="same-addr=0:0 pool-io pools={name=sram,base=0x20000000,size=1MiB,align=65536}" | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tpuc-opt %t/pool.mlir --tpu-global-memory="same-addr=0:0 pool-io pools={name=sram,base=0x20000000,size=1MiB,align=65536} pins=d=sram" 2>&1 | FileCheck %s --check-prefix=PINNED
// INSIDE: "tpu.Concat"({{.*}} -> tensor<2x4096xi8, 536870912 : i64>
// OUTSIDE: "tpu.Concat"({{.*}} -> tensor<2x4096xi8, 4294967296 : i64>
// PINNED: error: {{.*}}'d' cannot be pinned to 'sram': the input that shares its address would not begin there at a multiple of the pool's alignment [TPUMEM-E005]

// MIDDLE: error: input 0 and output 0 cannot share an address: '{{.*}}' begins 384 bytes into another tensor, which is no multiple of 4096 [TPUMEM-E009]
// COARSE: is not aligned to 4096 bytes [TPUMEM-E013]
// ZERO: error: attribute 'module.neuron_align' of the module has to be positive [TPUMEM-E005]
// PIECE: "tpu.Concat"({{.*}}only_merge = false
// MERGED: "tpu.Concat"({{.*}}only_merge = true

//--- middle.mlir
module attributes {module.chip = "bm1688"} {
  func.func @main(%arg0: tensor<1x96xf32>, %arg1: tensor<1x288xf32>) -> (tensor<1x96xf32>, tensor<1x288xf32>) {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x96xf32>) -> tensor<1x96xf32> loc("x")
    %z = "top.Input"(%arg1) : (tensor<1x288xf32>) -> tensor<1x288xf32> loc("z")
    %s = "top.Softmax"(%z) {axis = 1 : si32, beta = 1.0 : f64, log = false} : (tensor<1x288xf32>) -> tensor<1x288xf32> loc("s")
    %c = "top.Slice"(%s, %none, %none, %none) {offset = [0, 96], steps = [1, 1], ends = [1, 192], axes = []} : (tensor<1x288xf32>, none, none, none) -> tensor<1x96xf32> loc("c")
    return %c, %s : tensor<1x96xf32>, tensor<1x288xf32>
  }
}

//--- piece.mlir
module attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x10x8xf32>) -> (tensor<1x8x10x8xf32>, tensor<1x16x10x8xf32>) {
    %x = "top.Input"(%arg0) : (tensor<1x8x10x8xf32>) -> tensor<1x8x10x8xf32> loc("x")
    %a = "top.Permute"(%x) {order = [0, 1, 3, 2]} : (tensor<1x8x10x8xf32>) -> tensor<1x8x8x10xf32> loc("a")
    %b = "top.Permute"(%a) {order = [0, 1, 3, 2]} : (tensor<1x8x8x10xf32>) -> tensor<1x8x10x8xf32> loc("b")
    %c = "top.Mul"(%b, %b) {do_relu = false, relu_limit = -1.0 : f64} : (tensor<1x8x10x8xf32>, tensor<1x8x10x8xf32>) -> tensor<1x8x10x8xf32> loc("c")
    %d = "top.Concat"(%c, %b) {axis = 1 : si32, do_relu = false, relu_limit = -1.0 : f64} : (tensor<1x8x10x8xf32>, tensor<1x8x10x8xf32>) -> tensor<1x16x10x8xf32> loc("d")
    return %b, %d : tensor<1x8x10x8xf32>, tensor<1x16x10x8xf32>
  }
}

//--- pool.mlir
module attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> (tensor<1x4096xi8>, tensor<2x4096xi8>) {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("x")
    %a = "tpu.Custom"(%x) : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("a")
    %b = "tpu.Custom"(%a) : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("b")
    %c = "tpu.Custom"(%b) : (tensor<1x4096xi8>) -> tensor<1x4096xi8> loc("c")
    %d = "tpu.Concat"(%c, %b) {axis = 0 : si32, only_merge = true} : (tensor<1x4096xi8>, tensor<1x4096xi8>) -> tensor<2x4096xi8> loc("d")
    return %b, %d : tensor<1x4096xi8>, tensor<2x4096xi8>
  }
}

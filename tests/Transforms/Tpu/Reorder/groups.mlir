// First %a and what is made of it, then %b: half of the memory. But groups that
// run transfers for each other have to follow each other.
// RUN: tpuc-opt %s --tpu-reorder | FileCheck %s --check-prefix=TEXT
// RUN: sed 's/overlap_op = \[[^]]*\]/overlap_op = []/g' %s | tpuc-opt --tpu-reorder | FileCheck %s --check-prefix=MOVED

// TEXT: "tpu.Group"
// TEXT: "tpu.Group"
// TEXT: "tpu.Pool2D"
// TEXT: "tpu.Pool2D"
// MOVED: "tpu.Group"
// MOVED: "tpu.Pool2D"
// MOVED: "tpu.Group"
// MOVED: "tpu.Pool2D"
module @pair attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x64x64x64xi8>) -> tensor<1x64x4x4xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("x")
    %a = "tpu.Group"(%x) ({
      %0 = "tpu.Load"(%x) {lmem_type = 1 : i64} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("la")
      "tpu.Yield"(%0) : (tensor<1x64x64x64xi8>) -> ()
    }) {flow = [], other_up_overlap_op = [-1, 0]} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("a")
    %b = "tpu.Group"(%x) ({
      %0 = "tpu.Load"(%x) {lmem_type = 1 : i64} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("lb")
      "tpu.Yield"(%0) : (tensor<1x64x64x64xi8>) -> ()
    }) {flow = [], self_up_overlap_op = [0]} : (tensor<1x64x64x64xi8>) -> tensor<1x64x64x64xi8> loc("b")
    %c = "tpu.Pool2D"(%a) {kernel_shape = [16, 16], strides = [16, 16], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x64x64xi8>) -> tensor<1x64x4x4xi8> loc("c")
    %d = "tpu.Pool2D"(%b) {kernel_shape = [16, 16], strides = [16, 16], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<1x64x64x64xi8>) -> tensor<1x64x4x4xi8> loc("d")
    %e = "tpu.Add"(%c, %d) : (tensor<1x64x4x4xi8>, tensor<1x64x4x4xi8>) -> tensor<1x64x4x4xi8> loc("e")
    return %e : tensor<1x64x4x4xi8>
  }
}

// Groups that are wrong are for the verifier: the pass leaves them alone.
// RUN: tpuc-opt %s --tpu-group-overlap=chip=cv184x | FileCheck %s
// RUN: not tpuc-opt %s --tpu-group-overlap=chip=no_such_chip 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK-COUNT-2: flow = [-1, 7]
// CHIP: no_such_chip
module @wrong {
  func.func @main(%x: tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8> {
    %a = "tpu.Group"(%x) ({
      %l = "tpu.Load"(%x) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [32], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
      "tpu.Yield"(%l) : (tensor<1x32x8x8xi8>) -> ()
    }) {flow = [-1, 7], hsecs = 2 : i64, nsecs = 1 : i64, group_type = 0 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
    %b = "tpu.Group"(%a) ({
      %l = "tpu.Load"(%a) {ginfo = #tpu.lg<out_addr = 0, out_size = 64, buffer_addr = 0, buffer_size = 0, eu_align = true, n_idx = [0], n_slice = [1], c_idx = [0], c_slice = [32], d_idx = [0], d_slice = [1], h_idx = [0, 4], h_slice = [4, 4], w_idx = [0], w_slice = [8], id = 0, stage = 0, group_type = 0>, lmem_type = 1 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
      "tpu.Yield"(%l) : (tensor<1x32x8x8xi8>) -> ()
    }) {flow = [-1, 7], hsecs = 2 : i64, nsecs = 1 : i64, group_type = 0 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
    // Nothing at all, and an id that is none in the lists of tpu-mlir.
    %c = "tpu.Group"(%b) ({
      "tpu.Yield"(%b) : (tensor<1x32x8x8xi8>) -> ()
    }) {flow = [], hsecs = 3 : i64, nsecs = 1 : i64, group_type = 0 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
    %d = "tpu.Group"(%c) ({
      "tpu.Yield"(%c) : (tensor<1x32x8x8xi8>) -> ()
    }) {flow = [], hsecs = 3 : i64, nsecs = 1 : i64, group_type = 0 : i64} : (tensor<1x32x8x8xi8>) -> tensor<1x32x8x8xi8>
    return %d : tensor<1x32x8x8xi8>
  }
}

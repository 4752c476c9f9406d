// RUN: tpuc-opt %s --verify-diagnostics --tpu-global-memory=share -o /dev/null

// Nothing is merged in a module that cannot be planned: the pieces of this concat overlap, which is not what is wrong.
// expected-error @+1 {{chip 'cv184x' has no I/O mode 'io_alone'; 'basic' and 'in_reuse' work on every chip [TPUMEM-E007]}}
module @mode attributes {module.addr_mode = "io_alone", module.chip = "cv184x"} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> tensor<3x4096xi8> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8>
    %a = "tpu.Tile"(%x, %none) {tile = [2, 1]} : (tensor<1x4096xi8>, none) -> tensor<2x4096xi8>
    %b = "tpu.Slice"(%a) {offset = [0, 0], steps = [1, 1], ends = [1, 4096], axes = []} : (tensor<2x4096xi8>) -> tensor<1x4096xi8>
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = false} : (tensor<2x4096xi8>, tensor<1x4096xi8>) -> tensor<3x4096xi8>
    return %c : tensor<3x4096xi8>
  }
}

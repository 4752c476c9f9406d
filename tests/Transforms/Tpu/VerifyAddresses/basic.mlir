// RUN: tpuc-opt %s --tpu-verify-addresses -o /dev/null
// RUN: sed -e 's/"basic"/"in_reuse"/' %s | tpuc-opt --tpu-verify-addresses -o /dev/null

// Views write nothing, an output may take the place of a dead tensor, the
// pieces of a merged concat stay readable, and a reshape that lies elsewhere
// is a copy.
module @net attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 36864 : i64} {
  func.func @main(%arg0: tensor<1x4096xi8>) -> (tensor<8192xi8, 4294979584 : i64>, tensor<1x4096xi8, 4294971392 : i64>) {
    %x = "top.Input"(%arg0) : (tensor<1x4096xi8>) -> tensor<1x4096xi8, 4294967296 : i64>
    %t = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294967296 : i64>) -> tensor<1x4096xi8, 4294971392 : i64>
    %a = "tpu.Active"(%t) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294971392 : i64>) -> tensor<1x4096xi8, 4294979584 : i64>
    %b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294967296 : i64>) -> tensor<1x4096xi8, 4294983680 : i64>
    %c = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (tensor<1x4096xi8, 4294979584 : i64>, tensor<1x4096xi8, 4294983680 : i64>) -> tensor<2x4096xi8, 4294979584 : i64>
    %d = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294983680 : i64>) -> tensor<1x4096xi8, 4294971392 : i64>
    %r = "tpu.Reshape"(%c) : (tensor<2x4096xi8, 4294979584 : i64>) -> tensor<8192xi8, 4294979584 : i64>
    %e = "tpu.Reshape"(%c) : (tensor<2x4096xi8, 4294979584 : i64>) -> tensor<8192xi8, 4294991872 : i64>
    return %r, %d : tensor<8192xi8, 4294979584 : i64>, tensor<1x4096xi8, 4294971392 : i64>
  }
}

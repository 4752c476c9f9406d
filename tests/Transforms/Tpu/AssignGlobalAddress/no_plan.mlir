// A strategy that finds no plan proves nothing.
//
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=12288 strategy=sequential" 2>&1 | FileCheck %s --check-prefix=GAVEUP
// RUN: tpuc-opt %s --tpu-global-memory="gmem-bytes=12288" -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory="gmem-bytes=8192 strategy=sequential" 2>&1 | FileCheck %s --check-prefix=PROVED

// GAVEUP: error: {{.*}}got no plan, though one may exist: pool 'neuron' needs 16.0 KiB (16,384 B), has 12.0 KiB (12,288 B), over by 4.0 KiB (4,096 B) [TPUMEM-E022]
// GAVEUP: note: {{.*}}already sums to 12.0 KiB{{.*}}, which would fit: only the packing by 'sequential' failed; try another strategy
// PROVED: error: {{.*}}does not fit: pool 'neuron' needs 12.0 KiB (12,288 B), has 8.0 KiB (8,192 B), over by 4.0 KiB (4,096 B) [TPUMEM-E001]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Reverse"(%x) {axis = 0 : i64} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a")
    %b = "tpu.Reverse"(%a) {axis = 0 : i64} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b")
    %y = "tpu.Reverse"(%b) {axis = 0 : i64} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

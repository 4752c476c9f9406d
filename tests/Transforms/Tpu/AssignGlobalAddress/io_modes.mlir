// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x" | FileCheck %s --check-prefix=BASIC
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x io-mode=in_reuse" | FileCheck %s --check-prefix=REUSE
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x io-mode=io_alone" | FileCheck %s --check-prefix=ALONE
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x io-mode=io_alone same-addr=0:0" | FileCheck %s --check-prefix=SAME
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x io-mode=io_reloc" | FileCheck %s --check-prefix=RELOC
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_tag" | FileCheck %s --check-prefix=TAG
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1688 io-mode=io_alone" | FileCheck %s --check-prefix=TAGALONE
// RUN: tpuc-opt %s --tpu-global-memory="chip=cv183x" | FileCheck %s --check-prefix=CV

// The input has to survive the run: three tensors of 4096 bytes.
// BASIC: module.neuron_addr = 4294967296 : i64, {{.*}}module.neuron_size = 12288 : i64
// The input's bytes serve the output.
// REUSE: module.neuron_size = 8192 : i64
// Inputs first, then outputs, in front of the neurons.
// ALONE: module.io_addr = 4294967296 : i64, module.io_size = 8192 : i64, module.neuron_addr = 4294975488 : i64, {{.*}}module.neuron_size = 8192 : i64
// ALONE: "top.Input"(%{{.*}}){{.*}} -> tensor<4096xi8, 4294967296 : i64>
// ALONE: return %{{.*}} : tensor<4096xi8, 4294971392 : i64>
// SAME: module.io_size = 4096 : i64
// SAME: "top.Input"(%{{.*}}){{.*}} -> tensor<4096xi8, 4294967296 : i64>
// SAME: return %{{.*}} : tensor<4096xi8, 4294967296 : i64>
// After the neurons.
// RELOC: module.io_addr = 4294975488 : i64, module.io_size = 8192 : i64, module.neuron_addr = 4294967296 : i64, {{.*}}module.neuron_size = 8192 : i64
// One tag for each input and output.
// TAG: module.addr_mode = "io_tag"
// TAG: "top.Input"(%{{.*}}){{.*}} -> tensor<4096xi8, 755914244096 : i64>
// TAG: return %{{.*}} : tensor<4096xi8, 824633720832 : i64>
// TAGALONE: module.io_addr = 4294967296 : i64
// Base registers 3 and 4; the shared region begins at 0.
// CV: module.neuron_size = 8192 : i64, module.private_size = 0 : i64
// CV: "top.Input"(%{{.*}}){{.*}} -> tensor<4096xi8, 3298534883328 : i64>
// CV: "tpu.Active"(%{{.*}}){{.*}} -> tensor<4096xi8, 0 : i64>
// CV: return %{{.*}} : tensor<4096xi8, 4398046511104 : i64>
module @net {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b")
    %y = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

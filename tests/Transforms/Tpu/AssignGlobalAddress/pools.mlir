// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="pools=name=sram,base=0x20000000,size=16KiB,align=64" | FileCheck %s
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="pools=name=sram,base=0x20000000,size=16KiB,align=64" | tpuc-opt --split-input-file --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="pools=name=sram,base=0x20000000,size=4KiB,cost=1;name=neuron,cost=10" | FileCheck %s --check-prefix=COST
// RUN: tpuc-opt %s --split-input-file --tpu-global-memory="pools=name=sram,base=0x20000000,size=4KiB,cost=1;name=neuron,cost=10" | tpuc-opt --split-input-file --tpu-verify-addresses -o /dev/null
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,size=lots" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=a,size=4096;name=a" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv181x pools=name=a,size=4096" 2>&1 | FileCheck %s --check-prefix=REGISTERS

// NUMBER: error: {{.*}}option 'pools': 'name=sram,size=lots': 'size' is no number that can be: 'lots' [TPUMEM-E005]
// TWICE: error: {{.*}}option 'pools': two pools are called 'a' [TPUMEM-E005]
// REGISTERS: error: {{.*}}pool 'a' cannot be added: chip 'cv181x' reaches memory by base registers only, and takes pools for weights (access=ro) alone [TPUMEM-E005]

// Inputs and outputs stay in the neuron region; what is between them is in the
// pool as long as there is room. With costs and room for one, the one that is
// read most gets it.
// CHECK: module.pools = ["name=sram,base=0x20000000,size=16KiB,align=64"]
// CHECK: "top.Input"(%{{.*}}) : (tensor<4096xi8>) -> tensor<4096xi8, 42{{[0-9]*}} : i64>
// CHECK: "tpu.Add"{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// CHECK: mode = #tpu<active_mode ABSVAL>{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// CHECK: mode = #tpu<active_mode RELU>{{.*}} -> tensor<4096xi8, 42{{[0-9]*}} : i64>
// COST: "tpu.Add"{{.*}} -> tensor<4096xi8, 536870912 : i64>
// COST: mode = #tpu<active_mode ABSVAL>{{.*}} -> tensor<4096xi8, 42{{[0-9]*}} : i64>
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b")
    %c = "tpu.Add"(%a, %b) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("c")
    %d = "tpu.Add"(%a, %c) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("d")
    %e = "tpu.Add"(%a, %d) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("e")
    %y = "tpu.Active"(%e) {mode = #tpu<active_mode RELU>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

// Tensors go to pools that all who make or read them can reach.
//
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=8KiB,target=cpu" | FileCheck %s --check-prefix=CPU
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=8KiB,target=tpu,cpu" | FileCheck %s --check-prefix=BOTH
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,access=ro,target=cpu" | FileCheck %s --check-prefix=WEIGHT
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=8KiB,target=cpu pins=a=sram" 2>&1 | FileCheck %s --check-prefix=PIN
// A pool that nothing can be in.
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=8KiB,target=gpu" -o /dev/null 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,access=ro,target=gpu" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FLASH
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=8KiB,target=tpu;name=flash,base=0x8000000,access=ro" -o /dev/null 2>&1 | FileCheck %s --check-prefix=USED --allow-empty

// GPU: remark: pool 'sram' has no effect: no tensor can be in it; a network runs on 'tpu', and on 'cpu' what the host does, and the pool is for 'gpu'
// FLASH: remark: pool 'flash' has no effect: no weight can be in it; a network runs on 'tpu', and on 'cpu' what the host does, and the pool is for 'gpu'
// USED-NOT: no effect
// CPU: "tpu.Add"{{.*}} -> tensor<4096xi8, 42{{[0-9]*}} : i64>
// BOTH: "tpu.Add"{{.*}} -> tensor<4096xi8, 536870912 : i64>
// WEIGHT: "top.Weight"() : () -> tensor<16xi8, 4294967296 : i64>
// PIN: error: {{.*}}'a' cannot be pinned to 'sram': not all targets that access it reach that one [TPUMEM-E005]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

// On a network the pass gives weights and tensors addresses in the pools.
//
// RUN: tpuc-opt %s --tpu-assign-pools="pools=name=sram,base=0x20000000,size=8KiB;name=flash,base=0x8000000,access=ro" -o %t.net
// RUN: FileCheck %s < %t.net
// RUN: tpuc-opt %t.net --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %s --tpu-assign-pools="pools=name=sram,base=0x20000000,size=8KiB pins=w=coeff;a=neuron pool-io" | FileCheck %s --check-prefix=PINS
// RUN: not tpuc-opt %s --tpu-assign-pools="pool-data=%t" 2>&1 | FileCheck %s --check-prefix=FILES
// RUN: not tpuc-opt %s --tpu-assign-pools="pool-policy=order" 2>&1 | FileCheck %s --check-prefix=POLICY
// RUN: not tpuc-opt %s --tpu-assign-pools="in-place=true" 2>&1 | FileCheck %s --check-prefix=INPLACE
// RUN: sed s/@net/@net2/ %s > %t.two && echo 'module { func.func @f() { %a = memref.alloc() : memref<4xf32> return } }' >> %t.two
// RUN: not tpuc-opt %t.two --tpu-assign-pools 2>&1 | FileCheck %s --check-prefix=BOTH

// CHECK: "top.Weight"() : () -> tensor<16xi8, 134217728 : i64>
// CHECK: "tpu.Add"{{.*}} -> tensor<4096xi8, 536870912 : i64>
// PINS: "top.Weight"() : () -> tensor<16xi8, 4294967296 : i64>
// PINS: "top.Input"{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// PINS: "tpu.Add"{{.*}} -> tensor<4096xi8, 42{{[0-9]*}} : i64>
// INPLACE: error: 'in-place' is for functions on memrefs, here is a network [TPUMEM-E018]
// POLICY: error: 'pool-policy' is for functions on memrefs, here is a network [TPUMEM-E018]
// FILES: error: 'pool-data' needs the data of all weights in the module; that of 'w' in pool 'coeff' is not there [TPUMEM-E018]
// BOTH: error: networks and functions on memrefs have pools of their own: run the pass on one of them at a time [TPUMEM-E018]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %w = "top.Weight"() : () -> tensor<16xi8> loc("w")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<16xi8>) -> tensor<4096xi8> loc("a")
    %y = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

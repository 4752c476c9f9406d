// What the user asks of addresses is asked of orders, too.
//
// RUN: tpuc-opt %s --tpu-reorder | FileCheck %s --check-prefix=FREE
// RUN: tpuc-opt %s --tpu-reorder=same-addr=0:0 | FileCheck %s --check-prefix=TIED
// RUN: sed 's/module attributes {/module attributes {module.same_addr = "0:0", /' %s | tpuc-opt --tpu-reorder | FileCheck %s --check-prefix=TIED
// RUN: tpuc-opt %s --tpu-reorder=same-addr=0:0 --tpu-global-memory=same-addr=0:0 -o /dev/null
// RUN: tpuc-opt %s --tpu-reorder | not tpuc-opt --tpu-global-memory=same-addr=0:0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: model_deploy --mlir %s --model %t --same_addr=0:0 --quiet
//
// In a memory of the user nothing takes room from the chip's neurons.
// RUN: tpuc-opt %s --tpu-reorder="pools=name=sram,base=0x20000000,size=1MiB" | FileCheck %s --check-prefix=APART
// RUN: sed 's/module attributes {/module attributes {module.pools = ["name=sram,base=0x20000000,size=1MiB"], /' %s | tpuc-opt --tpu-reorder | FileCheck %s --check-prefix=APART
//
// RUN: not tpuc-opt %s --tpu-reorder=same-addr=0:7 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not tpuc-opt %s --tpu-reorder=pins=v9=neuron 2>&1 | FileCheck %s --check-prefix=PIN

// FREE: "tpu.Custom"{{.*}} -> tensor<8192xi8>
// FREE: "tpu.Custom"{{.*}} -> tensor<16384xi8>

// TIED: "tpu.Custom"{{.*}} -> tensor<16384xi8>
// TIED-NEXT: "tpu.Custom"{{.*}} -> tensor<8192xi8>

// LATE: error: input 0 and output 0 cannot share an address: {{.*}} is read until step {{[0-9]+}}, and {{.*}} is written from step {{[0-9]+}} [TPUMEM-E009]

// APART: module.pools = ["name=sram,base=0x20000000,size=1MiB"]
// APART: "tpu.Custom"{{.*}} -> tensor<16384xi8>
// APART-NEXT: "tpu.Custom"{{.*}} -> tensor<8192xi8>
// PAIR: [TPUMEM-E009]
// PIN: no tensor is called 'v9' [TPUMEM-E005]
module attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<4096xi8>) -> (tensor<4096xi8>, tensor<16384xi8>, tensor<4096xi8>) {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %z = "top.Input"(%arg1) : (tensor<4096xi8>) -> tensor<4096xi8> loc("z")
    %v0 = "tpu.Custom"(%z, %x) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<16384xi8> loc("v0")
    %v1 = "tpu.Custom"(%x) : (tensor<4096xi8>) -> tensor<8192xi8> loc("v1")
    %v2 = "tpu.Custom"(%v1) : (tensor<8192xi8>) -> tensor<4096xi8> loc("v2")
    %v3 = "tpu.Custom"(%v1) : (tensor<8192xi8>) -> tensor<4096xi8> loc("v3")
    return %v3, %v0, %v2 : tensor<4096xi8>, tensor<16384xi8>, tensor<4096xi8>
  }
}

// The planner says by what it chose addresses; of addresses without that the
// report takes the chip's alignment, or what they have in common.
// RUN: tpuc-opt %s --tpu-assign-global-address=alignment=8192 -o %t.mlir
// RUN: FileCheck %s --check-prefix=WRITTEN < %t.mlir
// RUN: tpuc-opt %t.mlir --tpu-memory-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=KNOWN
// RUN: sed 's/module.neuron_align = 8192 : i64, //' %t.mlir | tpuc-opt --tpu-memory-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=GUESSED
// RUN: sed 's/module.neuron_align = 8192/module.neuron_align = 0/' %t.mlir | not tpuc-opt --tpu-memory-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: tpuc-opt %t.mlir --tpu-assign-global-address | FileCheck %s --check-prefix=AGAIN

// WRITTEN: module.neuron_align = 8192 : i64
// WRITTEN-NOT: module.pool_io
// KNOWN: "lowerBoundBytes": 20480
// KNOWN-NEXT: "name": "neuron"
// KNOWN: "usedBytes": 20480
// GUESSED: "lowerBoundBytes": 12288
// GUESSED-NEXT: "name": "neuron"
// GUESSED: "usedBytes": 20480
// ZERO: error: attribute 'module.neuron_align' of the module has to be positive [TPUMEM-E005]
// AGAIN: module.neuron_align = 4096 : i64
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a")
    %y = "tpu.Add"(%a, %x) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

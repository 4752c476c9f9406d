// What changes nothing says so.
//
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=neuron,cost=10" -o %t.cost 2> %t.log
// RUN: FileCheck %s --check-prefix=NEURON < %t.log
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=coeff,cost=10" -o /dev/null 2>&1 | FileCheck %s --check-prefix=COEFF
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=neuron,cost=10;name=coeff,cost=3;name=sram,base=0x20000000,size=32KiB,cost=1;name=flash,base=0x30000000,size=32KiB,cost=1,access=ro" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOICE --allow-empty
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1690 pools=name=neuron,cost=10" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHOICE --allow-empty
// NEURON: remark: the line of pool 'neuron' has no effect: nothing can be in it and in another one, so there is nothing to choose
// COEFF: remark: the line of pool 'coeff' has no effect: nothing can be in it and in another one, so there is nothing to choose
// CHOICE-NOT: no effect
//
// RUN: sed '/top.Weight/d; s/%w/%x/' %s | tpuc-opt --tpu-assign-weight-address --tpu-assign-global-address=pool-data=%t.data -o /dev/null 2>&1 | FileCheck %s --check-prefix=DATA
// DATA: remark: 'pool-data' has no effect: there are no weights
//
// Base registers reach no other memory; a cost is only of no use.
//
// RUN: tpuc-opt %s --tpu-global-memory="chip=cv181x pools=name=shared,cost=10" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tpuc-opt %s --tpu-global-memory="chip=cv181x pools=name=sram,base=0x20000000,size=4KiB" 2>&1 | FileCheck %s --check-prefix=SRAM
// RUN: tpuc-opt %s --tpu-global-memory="chip=cv181x pools=name=flash,base=0x20000000,size=4KiB,access=ro" | FileCheck %s --check-prefix=FLASH
// RUN: tpuc-opt %s --tpu-global-memory="chip=cv181x pins=s=shared@0x1000" --mlir-print-debuginfo -o /dev/null
// SHARED: remark: the line of pool 'shared' has no effect
// SRAM: error: {{.*}}pool 'sram' cannot be added: chip 'cv181x' reaches memory by base registers only, and takes pools for weights (access=ro) alone [TPUMEM-E005]
// FLASH: "top.Weight"() : () -> tensor<1x4x8xf32, 536870912 : i64>
//
// RUN: sed 's/module.cores = 1/module.cores = 16/' %s | tpuc-opt --tpu-global-memory="chip=bm1690" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CORES
// CORES: remark: 'module.cores' is 16, but chip 'bm1690' has 8: planned for those
//
// A pool in which one pinned tensor is, and no other may be, is used.
//
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=4KiB pins=s=sram;x=neuron;a=neuron;b=neuron;c=neuron" -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN --allow-empty
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=4KiB pins=s=neuron;x=neuron;a=neuron;b=neuron;c=neuron" -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNPINNED
// UNPINNED: remark: {{.*}}'sram' has no effect
//
// RUN: tpuc-opt %s --tpu-global-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN --allow-empty
// RUN: sed 's/only_merge = true/only_merge = true, do_relu = true/' %s | tpuc-opt --tpu-global-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=RELU
// RUN: sed 's/only_merge = true/only_merge = true, multipliers = [3, 1], rshifts = [1, 0]/' %s | tpuc-opt --tpu-global-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=RESCALE
// RUN: sed 's/only_merge = true/only_merge = true, multipliers = [1, 1], rshifts = [0, 0]/' %s | tpuc-opt --tpu-global-memory -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAIN --allow-empty
// RESCALE: remark: {{.*}}'multipliers' and 'rshifts' have no effect: with 'only_merge' 'tpu.Concat' emits no code that could rescale anything; clear 'only_merge' on the op
// PLAIN-NOT: remark
// RELU: remark: {{.*}}'do_relu' has no effect: with 'only_merge' 'tpu.Concat' emits no code that could clamp anything; clear one of the two
module @net attributes {module.chip = "bm1684x", module.cores = 1 : i64} {
  func.func @main(%arg0: tensor<1x4x8xf32>) -> tensor<1x8x8xf32> {
    %w = "top.Weight"() : () -> tensor<1x4x8xf32> loc("w")
    %x = "top.Input"(%arg0) : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("x")
    %s = "tpu.Add"(%x, %w) : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("s")
    %a = "tpu.Active"(%s) {mode = #tpu<active_mode EXP>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("a")
    %b = "tpu.Active"(%s) {mode = #tpu<active_mode LN>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = 1 : si32, only_merge = true} : (tensor<1x4x8xf32>, tensor<1x4x8xf32>) -> tensor<1x8x8xf32> loc("c")
    return %c : tensor<1x8x8xf32>
  }
}

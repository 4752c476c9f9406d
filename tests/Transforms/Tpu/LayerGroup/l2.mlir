// A chip whose L2 is a thousand times as fast as its global memory: what layers
// hand on is in L2, so a group that computes rows twice does not pay there.
// RUN: split-file %s %t
// RUN: tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%S/fast_l2.json remarks=false" | FileCheck %s --check-prefix=L2
// RUN: tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%S/fast_l2.json remarks=false l2=false" | FileCheck %s --check-prefix=GLOBAL
// The pipeline, and a module that opens no L2.
// RUN: tpuc-opt %t/groups.mlir --tpu-local-memory="chip-file=%S/fast_l2.json remarks=false l2=false" | FileCheck %s --check-prefix=GLOBAL
// RUN: sed 's/"name=l2,cost=1", *//; s/"name=l2,cost=1",$//' %S/fast_l2.json > %t/closed.json
// RUN: tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%t/closed.json remarks=false" | FileCheck %s --check-prefix=GLOBAL
// A line that opens it, at a price that nothing pays.
// RUN: sed 's/"name=l2,cost=1"/"name=l2,cost=50"/' %S/fast_l2.json > %t/dear.json
// RUN: tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%t/dear.json remarks=false" | FileCheck %s --check-prefix=GLOBAL
// Lines of the user count as those of the chip and of the module do, and are
// written to the module for who comes later.
// RUN: tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%t/closed.json remarks=false pools=name=l2,cost=1" | FileCheck %s --check-prefixes=L2,GIVEN
// RUN: tpuc-opt %t/groups.mlir --tpu-local-memory="chip-file=%t/closed.json remarks=false pools=name=l2,cost=1" | FileCheck %s --check-prefixes=L2,GIVEN
// RUN: tpuc-opt %t/groups.mlir --tpu-local-memory="chip-file=%S/fast_l2.json remarks=false pools={name=l2,cost=50;name=neuron,cost=10}" | FileCheck %s --check-prefix=GLOBAL
// RUN: sed 's/module.chip = "fast-l2"/&, module.pools = ["name=l2,cost=50"]/' %t/groups.mlir > %t/dear.mlir
// RUN: tpuc-opt %t/dear.mlir --tpu-layer-group="chip-file=%S/fast_l2.json remarks=false" | FileCheck %s --check-prefix=GLOBAL
// RUN: tpuc-opt %t/dear.mlir --tpu-layer-group="chip-file=%S/fast_l2.json remarks=false pools=name=l2,cost=1" | FileCheck %s --check-prefixes=L2,GIVEN
// GIVEN: module.pools = ["name=l2,cost=1"]
// L2-NOT: tpu.Group
// GLOBAL: tpu.Group

// RUN: not tpuc-opt %t/groups.mlir --tpu-layer-group="chip-file=%t/closed.json pools=name=l2,size=4" 2>&1 | FileCheck %s --check-prefix=CLAIMED
// CLAIMED: error: option 'pools': 'l2' is the name of a region{{.*}} [TPUMEM-E005]

// What is in L2 by its address is counted at its rate: 131,072 bytes take 32,868
// cycles from global memory, 132 into L2, and the filter 2,404.
// RUN: tpuc-opt %t/groups.mlir --tpu-global-memory=chip-file=%S/fast_l2.json --tpu-local-report="format=json chip-file=%S/fast_l2.json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: "globalLayers":
// REPORT: "cycles": 35404,
// REPORT: "name": "a"
// REPORT: "cycles": 4628,
// REPORT: "name": "b"

// Of three layers side by side on two cores that in the middle reads and writes
// L2, through views, and is done before barriers are; inputs, outputs and views of
// them are in global memory.
// RUN: tpuc-opt %t/cores.mlir --core-parallel=chip-file=%S/fast_l2.json | FileCheck %s --check-prefix=CORES
// RUN: tpuc-opt %t/cores.mlir --core-parallel="chip-file=%S/fast_l2.json l2=false" | FileCheck %s --check-prefix=ALL
// CORES: tpu.CoreParallel
// CORES: tpu.Reshape
// CORES-NEXT: tpu.Active
// CORES-NEXT: tpu.CoreParallel
// ALL-COUNT-3: tpu.CoreParallel

//--- groups.mlir
module @net attributes {module.chip = "fast-l2"} {
  func.func @main(%arg0: tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("w")
    %v = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("v")
    %u = "top.Weight"() : () -> tensor<16x16x3x3xf16> loc("u")
    %a = "tpu.Conv2D"(%x, %w, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("a")
    %b = "tpu.Conv2D"(%a, %v, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("b")
    %c = "tpu.Conv2D"(%b, %u, %n) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<1x16x64x64xf16>, tensor<16x16x3x3xf16>, none) -> tensor<1x16x64x64xf16> loc("c")
    return %c : tensor<1x16x64x64xf16>
  }
}

//--- cores.mlir
module @net attributes {module.chip = "fast-l2", module.cores = 2 : i64} {
  func.func @main(%arg0: tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x16x64x64xf16>) -> tensor<1x16x64x64xf16> loc("a")
    %r = "tpu.Reshape"(%a) : (tensor<1x16x64x64xf16>) -> tensor<1x16x4096xf16> loc("r")
    %b = "tpu.Active"(%r) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x16x4096xf16>) -> tensor<1x16x4096xf16> loc("b")
    %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x16x4096xf16>) -> tensor<1x16x4096xf16> loc("c")
    %s = "tpu.Reshape"(%c) : (tensor<1x16x4096xf16>) -> tensor<1x16x64x64xf16> loc("s")
    return %s : tensor<1x16x64x64xf16>
  }
}

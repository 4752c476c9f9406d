// Tensors in the pools that the user wants them in; L2 for tensors; inputs and
// outputs in pools; pools of the chip file.
//
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=32KiB pins=b=sram@0x4000;y=sram;x=sram@0;c=neuron" --mlir-print-debuginfo -o %t.pins
// RUN: FileCheck %s --check-prefix=PINS < %t.pins
// RUN: tpuc-opt %t.pins --tpu-verify-addresses --tpu-memory-report -o /dev/null
// RUN: tpuc-opt %t.pins | tpuc-opt --tpu-verify-addresses --tpu-memory-report -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=32KiB pool-io" -o %t.io
// RUN: FileCheck %s --check-prefix=IO < %t.io
// RUN: tpuc-opt %t.io --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1690 pools=name=l2" | FileCheck %s --check-prefix=L2
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1690 pools=name=l2,cost=2;name=sram,base=0x20000000,size=4KiB,cost=1;name=neuron,cost=10" | FileCheck %s --check-prefix=THREE
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=l2" | FileCheck %s --check-prefix=L2X
// RUN: tpuc-opt %s --tpu-global-memory | FileCheck %s --check-prefix=NOL2X
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=32KiB,reserved=0x0-0x1000" -o %t.reserved
// RUN: FileCheck %s --check-prefix=RESERVED < %t.reserved
// RUN: tpuc-opt %t.reserved --tpu-verify-addresses -o /dev/null
// RUN: sed s/536875008/536870912/g %t.reserved | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONRESERVED
//
// RUN: sed 's|"l2Bytes": 2076672|"l2Bytes": 2076672, "pools": ["name=tcm,base=0x20000000,size=8KiB,cost=1", "name=neuron,cost=7"]|' %root/tpu_mlir/chips/bm1684x.json > %t.json
// RUN: tpuc-opt %s --tpu-global-memory="chip-file=%t.json" | FileCheck %s --check-prefix=FILE
// RUN: tpuc-opt %s --tpu-global-memory="chip-file=%t.json pools=name=tcm,base=0x20000000,size=4KiB,cost=3" | FileCheck %s --check-prefix=REPLACED
//
// RUN: not tpuc-opt %s --tpu-global-memory="pins=b=sram" 2>&1 | FileCheck %s --check-prefix=POOL
// RUN: not tpuc-opt %s --tpu-global-memory="pins=part=neuron@0" 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not tpuc-opt %s --tpu-global-memory="io-mode=io_alone pins=x=neuron" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not tpuc-opt %s --tpu-global-memory="chip=bm1690 pins=y=l2" 2>&1 | FileCheck %s --check-prefix=IOL2
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=32KiB pins=b=sram;view=neuron" 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=4KiB pins=a=sram;b=sram" 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=32KiB pins=a=sram@1" 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=neuron,size=4KiB" 2>&1 | FileCheck %s --check-prefix=REGION

// PINS: -> tensor<4096xi8, 536870912 : i64>
// PINS: mode = #tpu<active_mode ABSVAL>{{.*}} -> tensor<4096xi8, 536887296 : i64>
// PINS: "tpu.Add"{{.*}} -> tensor<4096xi8, 42{{[0-9]*}} : i64>
// PINS: mode = #tpu<active_mode RELU>{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>

// IO: "top.Input"{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// IO: mode = #tpu<active_mode RELU>{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>

// Everything but the input and the output is in L2; without a line, on a chip
// whose file has none either, nothing is.
// L2: module.neuron_size = 8192 : i64
// L2: "top.Input"{{.*}} -> tensor<4096xi8, 2199023{{[0-9]*}} : i64>
// L2: "tpu.Add"{{.*}} -> tensor<4096xi8, 3343846{{[0-9]*}} : i64>
// L2: mode = #tpu<active_mode RELU>{{.*}} -> tensor<4096xi8, 2199023{{[0-9]*}} : i64>
// L2X: "tpu.Add"{{.*}} -> tensor<4096xi8, 268435456 : i64>
// NOL2X-NOT: 2684{{[0-9]+}} : i64>
// Several that follow each other are worth more where it costs least than the
// one that is used most.
// THREE: "tpu.Add"{{.*}} -> tensor<4096xi8, 3343846{{[0-9]*}} : i64>
// THREE: mode = #tpu<active_mode ABSVAL>{{.*}} -> tensor<4096xi8, 536870912 : i64>

// RESERVED: "tpu.Add"{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// ONRESERVED: error: {{.*}}[TPUMEM-E013]

// Pools of the chip file go with the chip: the module has the user's only.
// FILE-NOT: module.pools
// FILE: "tpu.Add"{{.*}} -> tensor<4096xi8, 5368{{[0-9]*}} : i64>
// REPLACED: module.pools = ["name=tcm,base=0x20000000,size=4KiB,cost=3"]

// POOL: error: {{.*}}'b' is pinned to 'sram'; it can be in: neuron, l2 [TPUMEM-E005]
// INSIDE: error: {{.*}}'part' cannot be pinned to 'neuron': it is 2048 bytes inside 'c', which would begin before the pool [TPUMEM-E005]
// MODE: error: {{.*}}'x' cannot be pinned to 'neuron': I/O mode 'io_alone' puts it into 'io' [TPUMEM-E005]
// IOL2: error: {{.*}}'y' cannot be pinned to 'l2': inputs and outputs of functions, and what the host reads or writes, cannot be in L2 [TPUMEM-E005]
// SHARED: error: {{.*}}'view' cannot be pinned to 'neuron': it shares storage with another tensor that is pinned elsewhere [TPUMEM-E005]
// OVER: error: {{.*}}pool 'sram' needs 8.0 KiB (8,192 B), has 4.0 KiB (4,096 B), over by 4.0 KiB (4,096 B) [TPUMEM-E001]
// ODD: error: {{.*}}'a' cannot be pinned to 'sram': offset 1 is no multiple of 4096, the alignment of pool 'sram' [TPUMEM-E005]
// RUN: not tpuc-opt %s --tpu-global-memory="pins=a=neuron@64" 2>&1 | FileCheck %s --check-prefix=ODDREGION
// RUN: not tpuc-opt %s --tpu-global-memory="alignment=128 pins=a=neuron@64" 2>&1 | FileCheck %s --check-prefix=ODDOPTION
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,base=0x20000000,size=6KiB,align=64 pins=a=sram@0xf80" 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not tpuc-opt %s --tpu-global-memory="pins=none=neuron" 2>&1 | FileCheck %s --check-prefix=NOTHING
// ODDREGION: error: {{.*}}'a' cannot be pinned to 'neuron': offset 64 is no multiple of 4096, the alignment of pool 'neuron' [TPUMEM-E005]
// ODDOPTION: error: {{.*}}'a' cannot be pinned to 'neuron': offset 64 is no multiple of 128, the alignment of pool 'neuron' [TPUMEM-E005]
// BEHIND: error: {{.*}}'a' cannot be pinned to 'sram': with 4,096 bytes at offset 3968 it would end after the pool, which has 6,144 [TPUMEM-E005]
// NOTHING: error: {{.*}}'none' cannot be pinned to 'neuron': it has no bytes in global memory; leave out the pin [TPUMEM-E005]
// REGION: error: {{.*}}option 'pools': 'neuron' is the name of a region; a line can give it a cost, but nothing else: 'name=neuron,cost=10'; other pools cannot be called coeff, neuron, shared, private, l2, io, io0, io1 and so on [TPUMEM-E005]
// Names of regions are not for other pools, whatever the I/O mode; what a tensor
// can be in is no memory for weights.
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=io,base=0x20000000,size=32KiB" 2>&1 | FileCheck %s --check-prefix=NAMEIO
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=io12,base=0x20000000,size=32KiB,access=ro" 2>&1 | FileCheck %s --check-prefix=NAMEIO
// RUN: sed 's/"bm1684x"}/"bm1684x", module.pools = ["name=private,size=4KiB"]}/' %s | not tpuc-opt --tpu-global-memory 2>&1 | FileCheck %s --check-prefix=NAMEATTR
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=shared,cost=3" 2>&1 | FileCheck %s --check-prefix=NOREGION
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,size=1MiB,access=ro;name=tcm,base=0x20000000,size=32KiB pins=b=sram" 2>&1 | FileCheck %s --check-prefix=WHERE
// NAMEIO: error: {{.*}}option 'pools': '[[N:io[0-9]*]]' is the name of a region; a line can give it a cost, but nothing else: 'name=[[N]],cost=10'; other pools cannot be called coeff, neuron, shared, private, l2, io, io0, io1 and so on [TPUMEM-E005]
// NAMEIO-NOT: error
// NAMEATTR: error: {{.*}}attribute 'module.pools': 'private' is the name of a region; {{.*}}[TPUMEM-E005]
// NOREGION: error: {{.*}}chip 'bm1684x' has no region 'shared' in I/O mode 'basic' that a line could give a cost [TPUMEM-E005]
// WHERE: error: {{.*}}'b' is pinned to 'sram'; it can be in: neuron, l2, tcm [TPUMEM-E005]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %none = "top.None"() : () -> none loc("none")
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %a = "tpu.Add"(%x, %x) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("a")
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b")
    %view = "tpu.Reshape"(%b, %none) : (tensor<4096xi8>, none) -> tensor<64x64xi8> loc("view")
    %back = "tpu.Reshape"(%view, %none) : (tensor<64x64xi8>, none) -> tensor<4096xi8> loc("back")
    %c = "tpu.Add"(%a, %back) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("c")
    %c4 = "tpu.Reshape"(%c, %none) : (tensor<4096xi8>, none) -> tensor<1x4x1024xi8> loc("c4")
    %part = "tpu.Slice"(%c4, %none, %none, %none, %none) {axes = [], ends = [1, 4, 1024], offset = [0, 2, 0], steps = [1, 1, 1]} : (tensor<1x4x1024xi8>, none, none, none, none) -> tensor<1x2x1024xi8> loc("part")
    %e = "tpu.Active"(%part) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x1024xi8>) -> tensor<1x2x1024xi8> loc("e")
    %d = "tpu.Add"(%a, %c) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("d")
    %y = "tpu.Active"(%d) {mode = #tpu<active_mode RELU>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("y")
    return %y : tensor<4096xi8>
  }
}

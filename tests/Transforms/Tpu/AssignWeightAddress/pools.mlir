// Weights in read-only pools of the user: in order as long as there is room;
// with costs what is used most; pins. What is left goes one after the other.
//
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,size=12KiB,access=ro" -o %t.order
// RUN: FileCheck %s < %t.order
// RUN: tpuc-opt %t.order --tpu-verify-addresses --tpu-memory-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=TABLE
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,size=4KiB,access=ro,cost=1;name=coeff,cost=5" | FileCheck %s --check-prefix=COST
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,size=64KiB,access=ro pins=a=coeff;c=flash@0x2000" --mlir-print-debuginfo -o %t.pins
// RUN: FileCheck %s --check-prefix=PINS < %t.pins
// RUN: tpuc-opt %t.pins --tpu-verify-addresses -o /dev/null
// RUN: sed s/134225920/134217728/g %t.pins | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=MOVED
// RUN: sed s/size=12KiB/size=4KiB/ %t.order | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000000,size=1KiB,access=ro pins=b=flash" 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000040,size=9KiB,align=64,access=ro" -o %t.align
// RUN: FileCheck %s --check-prefix=ALIGN < %t.align
// RUN: tpuc-opt %t.align --tpu-verify-addresses -o /dev/null
// RUN: sed s/base=0x8000040,size=9KiB,align=64/base=0x8000000,size=16KiB,align=32768/ %t.align | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISALIGNED
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000020,align=64,access=ro" 2>&1 | FileCheck %s --check-prefix=BASE64
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=flash,base=0x8000001,access=ro" 2>&1 | FileCheck %s --check-prefix=BASE
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=coeff,base=0x8000000" 2>&1 | FileCheck %s --check-prefix=COEFF
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=sram,size=64KiB pins=a=sram" 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not tpuc-opt %s --tpu-global-memory="pools=name=flash,access=ro pins=x=flash" 2>&1 | FileCheck %s --check-prefix=READ
// RUN: not tpuc-opt %s --tpu-global-memory="pins=nobody=coeff" 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not tpuc-opt %s --tpu-global-memory="pins=a=coeff;a=coeff" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tpuc-opt %s --tpu-global-memory="pins=a" 2>&1 | FileCheck %s --check-prefix=FORM

// CHECK: module.coeff_size = 8192 : i64
// CHECK: -> tensor<4096xi8, 134217728 : i64>
// CHECK: -> tensor<4097xi8, 4294967296 : i64>
// CHECK: -> tensor<4096xi8, 134225920 : i64>
// CHECK: -> tensor<4096xi8, 134221824 : i64>

// TABLE: region {{.*}} served
// TABLE: coeff 4.0 KiB {{.*}} 4.0 KiB{{$}}
// TABLE: neuron {{.*}}
// TABLE: flash 12.0 KiB 12.0 KiB 100.0 % {{.*}} 16.0 KiB{{$}}

// The pool's alignment, not that of the weight region: it begins at no multiple
// of 4,096, and two weights fit.
// ALIGN: module.coeff_size = 12288 : i64
// ALIGN: -> tensor<4096xi8, 4294967296 : i64>
// ALIGN: -> tensor<4097xi8, 4294971392 : i64>
// ALIGN: -> tensor<4096xi8, 134221888 : i64>
// ALIGN: -> tensor<4096xi8, 134217792 : i64>
// MISALIGNED: error: {{.*}} is not aligned to 32768 bytes [TPUMEM-E013]

// c is used twice.
// COST: tensor<4096xi8, 4294967296 : i64>
// COST: tensor<4097xi8, 4294971392 : i64>
// COST: tensor<4096xi8, 134217728 : i64>
// COST: tensor<4096xi8, 4294979584 : i64>

// PINS: module.pins = ["a=coeff", "c=flash@0x2000"]
// PINS: -> tensor<4096xi8, 4294967296 : i64>
// PINS: -> tensor<4096xi8, 134225920 : i64>

// MOVED: error: {{.*}}'c' is at address 134217728, but it is pinned to 'flash' at offset 8192 [TPUMEM-E013]
// OUTSIDE: error: {{.*}} lies outside the weight region [TPUMEM-E013]
// OVER: error: {{.*}}the weights do not fit: pool 'flash' needs 4.0 KiB (4,097 B), has 1.0 KiB (1,024 B), over by 3.0 KiB (3,073 B) [TPUMEM-E001]
// BASE: error: {{.*}}pool 'flash' begins at 134217729, which is no multiple of 4096, its alignment [TPUMEM-E005]
// BASE64: error: {{.*}}'name=flash,base=0x8000020,align=64,access=ro': base 134217760 is no multiple of the alignment, 64 [TPUMEM-E005]
// COEFF: error: {{.*}}option 'pools': 'coeff' is the name of a region; a line can give it a cost, but nothing else: 'name=coeff,cost=10'; other pools cannot be called coeff, neuron, shared, private, l2, io, io0, io1 and so on [TPUMEM-E005]
// WRITE: error: {{.*}}'a' is pinned to 'sram'; it can be in: coeff [TPUMEM-E005]
// READ: error: {{.*}}'x' cannot be pinned to 'flash': that one is read-only [TPUMEM-E005]
// NOBODY: error: {{.*}}attribute 'module.pins': no tensor is called 'nobody' [TPUMEM-E005]
// TWICE: error: {{.*}}option 'pins': 'a' is pinned twice [TPUMEM-E005]
// FORM: error: {{.*}}option 'pins': 'a' is no pin; write 'tensor=pool' or 'tensor=pool@offset' [TPUMEM-E005]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
    %a = "top.Weight"() : () -> tensor<4096xi8> loc("a")
    %b = "top.Weight"() : () -> tensor<4097xi8> loc("b")
    %c = "top.Weight"() : () -> tensor<4096xi8> loc("c")
    %d = "top.Weight"() : () -> tensor<4096xi8> loc("d")
    %x0 = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x0")
    %x = "tpu.Add"(%x0, %a) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %y = "tpu.Add"(%x, %b) : (tensor<4096xi8>, tensor<4097xi8>) -> tensor<4096xi8> loc("y")
    %z = "tpu.Add"(%y, %c) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("z")
    %v = "tpu.Add"(%z, %c) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("v")
    %w = "tpu.Add"(%v, %d) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("w")
    return %w : tensor<4096xi8>
  }
}

// In mode io_reloc tpu-mlir gives inputs and outputs addresses behind the neurons, and writes down no region for them: it is where they are.
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x io-mode=io_reloc" -o %t.mlir
// RUN: FileCheck %s --check-prefix=SAID < %t.mlir
// RUN: sed -E 's/module.io_(addr|size) = [0-9]+ : i64, //g' %t.mlir > %t.unsaid.mlir
// RUN: FileCheck %s --check-prefix=UNSAID < %t.unsaid.mlir
// RUN: tpuc-opt %t.unsaid.mlir --tpu-verify-addresses --tpu-memory-report="format=json file=%t.unsaid.json" -o /dev/null
// RUN: tpuc-opt %t.mlir --tpu-memory-report="format=json file=%t.json" -o /dev/null
// RUN: grep -E '"(base|usedBytes)"' %t.json > %t.said
// RUN: grep -E '"(base|usedBytes)"' %t.unsaid.json | diff %t.said -
// An output among the neurons is none that a runtime could move.
// RUN: sed -E 's/(tensor<1x96xf32, )[0-9]+/\14294967296/g' %t.unsaid.mlir | not tpuc-opt --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// SAID: module.io_addr
// UNSAID-NOT: module.io_
// OUTSIDE: error: 'tpu.Narrow#0' at 4294967296 lies outside the region for inputs and outputs, where I/O mode 'io_reloc' puts it [TPUMEM-E013]
module @net {
  func.func @main(%arg0: tensor<1x64xf32>) -> tensor<1x96xf32> {
    %x = "top.Input"(%arg0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("x")
    %a = "tpu.Wide"(%x) : (tensor<1x64xf32>) -> tensor<1x2048xf32> loc("a")
    %y = "tpu.Narrow"(%a) : (tensor<1x2048xf32>) -> tensor<1x96xf32> loc("y")
    return %y : tensor<1x96xf32>
  }
}

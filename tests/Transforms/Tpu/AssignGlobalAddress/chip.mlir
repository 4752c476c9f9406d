// A module says which chip it is made for, and the check goes by that.
//
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1690" --mlir-print-debuginfo -o %t.mlir
// RUN: FileCheck %s --check-prefix=OTHER < %t.mlir
// RUN: tpuc-opt %t.mlir --tpu-verify-addresses -o /dev/null
// RUN: tpuc-opt %s --tpu-assign-weight-address="chip=bm1690" | FileCheck %s --check-prefix=OTHER
// RUN: tpuc-opt %s --tpu-layer-group="chip=bm1690" | FileCheck %s --check-prefix=OTHER
// OTHER: module.chip = "bm1690"
//
// One that says nothing yet, or that any chip will do; one for a chip of a file.
//
// RUN: sed 's/module.chip = "BM1684X", //' %s | tpuc-opt --tpu-global-memory="chip=bm1690" | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/BM1684X/ALL/' %s | tpuc-opt --tpu-global-memory="chip=bm1690" | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/"name": "bm1690"/"name": "mine"/' %root/tpu_mlir/chips/bm1690.json > %t.json
// RUN: tpuc-opt %s --tpu-global-memory="chip-file=%t.json" -o %t.mine
// RUN: FileCheck %s --check-prefix=MINE < %t.mine
// RUN: tpuc-opt %t.mine --tpu-verify-addresses="chip-file=%t.json" -o /dev/null
// RUN: not tpuc-opt %t.mine --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// MINE: module.chip = "mine"
// UNKNOWN: unknown chip 'mine'; {{.*}}; another one can be given as a chip file [TPUMEM-E003]
//
// The chip that it is for already keeps its spelling, former names included.
//
// RUN: tpuc-opt %s --tpu-global-memory -o %t.plain
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1684x" | diff %t.plain -
// RUN: FileCheck %s --check-prefix=SAME < %t.plain
// SAME: module.chip = "BM1684X"
// RUN: sed 's/BM1684X/sg2260/' %s | tpuc-opt --tpu-global-memory="chip=bm1690" | FileCheck %s --check-prefix=FORMER
// RUN: sed 's/BM1684X/bm1690/' %s | tpuc-opt --tpu-global-memory="chip=sg2260" | FileCheck %s --check-prefix=OTHER
// FORMER: module.chip = "sg2260"
//
// The innermost module that names one is the one that is read.
//
// RUN: tpuc-opt %s --tpu-global-memory="chip=bm1690" | FileCheck %s --check-prefix=INNER
// INNER: module @net
// INNER-SAME: module.chip = "bm1690"
// INNER: module @inside
// INNER-NOT: module.chip
module @net attributes {module.chip = "BM1684X", module.state = "TPU_LOWERED"} {
  module @inside {
    func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8> {
      %w = "top.Weight"() : () -> tensor<4096xi8> loc("w")
      %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
      %y = "tpu.Add"(%x, %w) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("y")
      return %y : tensor<4096xi8>
    }
  }
}

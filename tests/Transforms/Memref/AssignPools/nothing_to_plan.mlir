// Without any buffer the files are written all the same: those of an earlier run
// would be taken for this one's. A module that has its pools cannot say more.
//
// RUN: echo old > %t.json && tpuc-opt %s --tpu-assign-pools="pools=name=sram problem-file=%t.json" -o %t.mlir
// RUN: mkdir -p %t.out && memplan artefacts --quiet %t.json --prefix=net --out-dir=%t.out 2>&1 | count 0
// RUN: FileCheck %s < %t.json
// RUN: not tpuc-opt %S/pool_io.mlir --tpu-assign-pools="pools=name=sram" --tpu-assign-pools="problem-file=%t.2.json" 2>&1 | FileCheck %s --check-prefix=AGAIN

// CHECK: {"name":"arg0","kind":"output","sizeBytes":16,
// CHECK: "plan": {
// CHECK: {"buffer":"arg0","pool":"io","offsetBytes":0}
// AGAIN: error: attribute 'module.pool_sizes' says that this module has its pools: the problem and the plan were written when it got them, and are not known any more [TPUMEM-E018]
func.func @main(%x: memref<4xf32>) {
  %i = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  memref.store %v, %x[%i] : memref<4xf32>
  return
}

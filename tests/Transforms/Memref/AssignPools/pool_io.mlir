// Inputs and outputs of entries in the pools: an input has its bytes up to its
// last reader, an output from its first writer, and neither is an argument.
//
// RUN: tpuc-opt %s --tpu-assign-pools="pools=name=sram,align=16 pool-io problem-file=%t.json" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir && mkdir -p %t.out
// RUN: tpuc-opt %t.mlir --tpu-verify-plan=problem-file=%t.json -o %t.same && cmp %t.mlir %t.same
// RUN: memplan artefacts --quiet %t.json --prefix=net --out-dir=%t.out
// RUN: FileCheck %s --check-prefix=HEADER --input-file=%t.out/net.h
// RUN: tpuc-opt %s --tpu-assign-pools="pools=name=sram,align=16 problem-file=%t.own.json" | FileCheck %s --check-prefix=OWN
// RUN: memplan artefacts --quiet %t.own.json --prefix=own --out-dir=%t.out
// RUN: FileCheck %s --check-prefix=CALLERS --input-file=%t.out/own.h
// RUN: not tpuc-opt %s --tpu-assign-pools="pools=name=sram,size=300 pool-io" 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not tpuc-opt %s --tpu-assign-pools="pools=name=flash,access=ro pool-io" 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: 'pool-io' asks for a pool that can be written, and 'pools' and attribute 'module.pools' have none [TPUMEM-E018]

// Two of the three live at any time: 512 bytes, and %x has been read when %y is
// written.
// CHECK: module.pool_sizes = {sram = 512 : i64}
// CHECK: func.func @main(%[[S:[^:]*]]: memref<512xi8> {tpu.pool = "sram"
// CHECK-NOT: memref.alloc

// HEADER: #define NET_SRAM_WORKSPACE_SIZE UINT64_C(512)
// HEADER: input 'x'
// HEADER-NEXT: #define NET_X_OFFSET UINT64_C([[AT:[0-9]+]])
// HEADER: output 'y'
// HEADER: struct net_inputs {
// HEADER-NEXT: void *x;
// HEADER: net_map_inputs(const struct net_workspaces *workspaces)
// HEADER: struct net_outputs {
// HEADER-NEXT: void *y;

// OWN: func.func @main(%{{[^%]*}}: memref<64xf32>, %{{[^%]*}}: memref<64xf32>, %{{.*}}: memref<256xi8> {tpu.pool = "sram"
// The caller's: sizes, members, and no offsets.
// CALLERS: #define OWN_X_SIZE UINT64_C(256)
// CALLERS-NOT: OWN_X_OFFSET
// CALLERS: struct own_inputs {
// CALLERS-NEXT: void *x;
// CALLERS-NOT: own_map_inputs
// CALLERS: struct own_outputs {
// CALLERS-NEXT: void *y;

// OVER: error: the module does not fit: pool 'sram' needs 512 B, has 300 B, over by 212 B [TPUMEM-E001]
func.func @main(%x: memref<64xf32> loc("x"), %y: memref<64xf32> loc("y")) {
  %a = memref.alloc() : memref<64xf32>
  affine.for %i = 0 to 64 {
    %j = affine.apply affine_map<(d0) -> (63 - d0)>(%i)
    %v = memref.load %x[%j] : memref<64xf32>
    memref.store %v, %a[%i] : memref<64xf32>
  }
  affine.for %i = 0 to 64 {
    %j = affine.apply affine_map<(d0) -> (63 - d0)>(%i)
    %v = memref.load %a[%j] : memref<64xf32>
    memref.store %v, %y[%i] : memref<64xf32>
  }
  return
}

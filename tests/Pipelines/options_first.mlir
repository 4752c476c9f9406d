// Numbers that make no sense are refused before the first pass runs: the module
// has no chip, which the grouping would find.

// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-pools=alignment=3 2>&1 | FileCheck %s --check-prefix=POOLS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-pools=alignment=0 2>&1 | FileCheck %s --check-prefix=ZERO --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-pools=alignment=-64 2>&1 | FileCheck %s --check-prefix=BELOW --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --merge-alloc=alignment=3 2>&1 | FileCheck %s --check-prefix=POOLS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --gpu-pack-shared-memory=alignment=3 2>&1 | FileCheck %s --check-prefix=POOLS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-global-address=alignment=-1 2>&1 | FileCheck %s --check-prefix=TENSORS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-verify-addresses=alignment=-1 2>&1 | FileCheck %s --check-prefix=TENSORS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-reorder=alignment=-1 2>&1 | FileCheck %s --check-prefix=TENSORS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-global-address=gmem-bytes=-1 2>&1 | FileCheck %s --check-prefix=BOARD --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-weight-address=gmem-bytes=-1 2>&1 | FileCheck %s --check-prefix=BOARD --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-memory-report=gmem-bytes=-1 2>&1 | FileCheck %s --check-prefix=BOARD --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-global-address=pools=name=a,align=0 2>&1 | FileCheck %s --check-prefix=LINE --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-weight-address=pools=name=a,align=0 2>&1 | FileCheck %s --check-prefix=LINE --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-pools=pools=name=a,align=0 2>&1 | FileCheck %s --check-prefix=LINE --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --memref-promote-to-stack=max-bytes=-1 2>&1 | FileCheck %s --check-prefix=STACK --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --gpu-pack-shared-memory=capacity=-2 2>&1 | FileCheck %s --check-prefix=SHARED --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --merge-alloc=capacity=default:-1 2>&1 | FileCheck %s --check-prefix=MERGED --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --convert-top-to-tpu=q-group-size=-2 2>&1 | FileCheck %s --check-prefix=PACKED --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --processor-assign=num_core=0 2>&1 | FileCheck %s --check-prefix=CORES --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-assign-local-address=node-limit=-1 2>&1 | FileCheck %s --check-prefix=NODES --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-section=parts=1 2>&1 | FileCheck %s --check-prefix=PARTS --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-layer-group --tpu-rematerialize=depth=0 2>&1 | FileCheck %s --check-prefix=DEPTH --implicit-check-not=error:
// RUN: not tpuc-opt %s --tpu-memory-report --tpu-layer-group=max-parts=0 2>&1 | FileCheck %s --check-prefix=CUTS --implicit-check-not=error:

// POOLS: error: option 'alignment' is 3, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// ZERO: error: option 'alignment' is 0, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// BELOW: error: option 'alignment' is -64, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// TENSORS: error: option 'alignment' is -1, expected at least 0 [TPUMEM-E018]
// BOARD: error: option 'gmem-bytes' is -1, expected at least 0 [TPUMEM-E018]
// LINE: error: option 'pools': 'name=a,align=0': 'align' is no number that can be: '0' [TPUMEM-E005]
// STACK: error: option 'max-bytes' is -1, expected at least 0 [TPUMEM-E018]
// SHARED: error: option 'capacity': -2 is no number of bytes [TPUMEM-E018]
// MERGED: error: option 'capacity': 'default:-1' is no memory space and number of bytes; {{.*}} [TPUMEM-E018]
// PACKED: error: option 'q-group-size' is -2, expected at least -1 [TPUMEM-E018]
// CORES: error: option 'num_core' is 0, expected at least 1 [TPUMEM-E018]
// NODES: error: option 'node-limit' is -1, expected at least 0 [TPUMEM-E018]
// PARTS: error: option 'parts' is 1, expected at least 2 [TPUMEM-E018]
// DEPTH: error: option 'depth' is 0, expected at least 1 [TPUMEM-E018]
// CUTS: error: option 'max-parts' is 0, expected at least 1 [TPUMEM-E018]
module {
  func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
    return %x : tensor<1xf32>
  }
}

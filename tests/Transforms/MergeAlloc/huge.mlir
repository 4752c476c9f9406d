// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc %s 2>&1 | FileCheck %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=default:4096 %s 2>&1 | FileCheck --check-prefix=LIMIT %s
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools %s 2>&1 | FileCheck --check-prefix=POOL %s

// Each has a size, all of them together have none.

// CHECK: error: 'func.func' op does not fit: its buffers in memory space 'default' need 8.00 EiB or more, more than any memory has [TPUMEM-E001]
// CHECK: note: most is alive here, at tick 5: 8.00 EiB or more, so no layout can fit
// LIMIT: need 8.00 EiB or more, have 4.0 KiB (4,096 B), over by 8.00 EiB (9,223,372,036,854,771,711 B) or more [TPUMEM-E001]
// POOL: error: the module does not fit: pool 'workspace' needs 8.00 EiB or more, more than any memory has [TPUMEM-E001]
// POOL: note: what has to be there at once sums to 8.00 EiB or more, so no layout can fit
func.func @three() {
  %a = memref.alloc() : memref<4611686018427387904xi8>
  %b = memref.alloc() : memref<4611686018427387904xi8>
  %c = memref.alloc() : memref<4611686018427387904xi8>
  linalg.add ins(%a, %b : memref<4611686018427387904xi8>, memref<4611686018427387904xi8>) outs(%c : memref<4611686018427387904xi8>)
  return
}

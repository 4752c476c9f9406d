// RUN: tpuc-opt --allow-unregistered-dialect --merge-alloc=remarks %s 2>&1 | FileCheck %s
// RUN: not tpuc-opt --allow-unregistered-dialect --merge-alloc=capacity=default:4096 %s 2>&1 | FileCheck --check-prefix=LIMIT %s
// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=remarks %s 2>&1 | FileCheck --check-prefix=POOL %s
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=pools=name=sram,size=4096 %s 2>&1 | FileCheck --check-prefix=SRAM %s
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools=problem-file=%t.json %s 2>&1 | FileCheck --check-prefix=FILE %s

// Each has a size, all of them together have none: they stay as they are, unless
// a limit or a file asks for a plan.

// CHECK: [[@LINE+8]]:1: remark: memory space 'default': 3 buffers stay apart: together they have more bytes than any memory has
// CHECK-COUNT-3: memref.alloc() : memref<4611686018427387904xi8>
// LIMIT: need 8.00 EiB or more, have 4.0 KiB (4,096 B), over by 8.00 EiB (9,223,372,036,854,771,711 B) or more [TPUMEM-E001]
// POOL: [[@LINE+6]]:8: remark: no buffer is put into a pool: what has to be there at once has more bytes than any memory has
// POOL-COUNT-3: memref.alloc() : memref<4611686018427387904xi8>
// SRAM: [[@LINE+4]]:8: error: the module does not fit: pool 'sram' needs 8.00 EiB or more, has 4.0 KiB
// FILE: [[@LINE+3]]:8: error: the module does not fit: pool 'workspace' needs 8.00 EiB or more, more than any memory has [TPUMEM-E001]
// FILE: note: what has to be there at once sums to 8.00 EiB or more, so no layout can fit
func.func @three() {
  %a = memref.alloc() : memref<4611686018427387904xi8>
  %b = memref.alloc() : memref<4611686018427387904xi8>
  %c = memref.alloc() : memref<4611686018427387904xi8>
  linalg.add ins(%a, %b : memref<4611686018427387904xi8>, memref<4611686018427387904xi8>) outs(%c : memref<4611686018427387904xi8>)
  return
}

// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools='pools=name=p,align=1' %s | FileCheck %s --check-prefix=TIGHT
// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools='pools=name=p' %s | FileCheck %s --check-prefix=OPTION
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools='pools=name=p,align=3' %s 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: echo 'func.func @f() { return }' | not tpuc-opt --tpu-assign-pools='pools=name=p,align=3' 2>&1 | FileCheck %s --check-prefix=THREE
// RUN: tpuc-opt --allow-unregistered-dialect --tpu-assign-pools='pools=name=low,base=64;name=high,base=4096' %s | FileCheck %s --check-prefix=BASE
// RUN: not tpuc-opt --allow-unregistered-dialect --tpu-assign-pools='pools=name=low,base=64' %s 2>&1 | FileCheck %s --check-prefix=NONE

// An alignment of one is one, and addresses are aligned, not offsets alone.

// TIGHT: module.pool_sizes = {p = 4131 : i64}
// OPTION: module.pool_sizes = {p = {{4163|4224}} : i64}
// THREE: error: 'align' of pool 'p' is 3, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// BASE: module.pool_sizes = {high = 4096 : i64, low = {{67|128}} : i64}
// NONE: [[@LINE+3]]:8: error: no pool has an address for this buffer: 'low' begins at 64, which is no multiple of 4096, its alignment [TPUMEM-E005]
func.func @f() {
  %a = memref.alloc() : memref<3xi8>
  %b = memref.alloc() {alignment = 4096} : memref<4096xi8>
  %c = memref.alloc() : memref<4xi64>
  "x.use"(%a, %b, %c) : (memref<3xi8>, memref<4096xi8>, memref<4xi64>) -> ()
  return
}

// RUN: tpuc-opt --merge-alloc=capacity=default:256 %s | FileCheck %s
// RUN: not tpuc-opt --merge-alloc=capacity=default:255 %s 2>&1 | FileCheck %s --check-prefix=OVER
// RUN: not tpuc-opt --merge-alloc='capacity=default:511 in-place=false' %s 2>&1 | FileCheck %s --check-prefix=APART

// What is missing is counted in place, as the buffers are merged.
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// OVER: [[@LINE+5]]:1: error: 'func.func' op does not fit: its buffers in memory space 'default' need 256 B, have 255 B, over by 1 B [TPUMEM-E001]
// OVER: note: most is alive here, at tick 3: 256 B, so no layout can fit
// OVER: note: 256 B in use for ticks [3,15)
// OVER-NOT: note:
// APART: error: 'func.func' op does not fit: its buffers in memory space 'default' need 512 B, have 511 B, over by 1 B [TPUMEM-E001]
func.func @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %x : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.copy %c, %y : memref<64xf32> to memref<64xf32>
  return
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc=remarks %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

// The examples of tpu_mlir/docs/passes/MergeAlloc.md.

// REMARK: remark: buffer stays: it is returned by 'func.return'
// REMARK: remark: memory space 'default': 3 buffers of 196608 bytes share 131072 bytes, lower bound 131072
// CHECK-LABEL: func.func @mlp(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<131072xi8>
// CHECK-COUNT-3: memref.view
// CHECK: %[[D:.*]] = memref.alloc() : memref<128x128xf32>
// CHECK: return %[[D]]
func.func @mlp(%x: memref<128x128xf32>, %y: memref<128x128xf32>) -> memref<128x128xf32> {
  %a = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%x, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%a : memref<128x128xf32>)
  %b = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%b : memref<128x128xf32>)
  %c = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%b, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%c : memref<128x128xf32>)
  %d = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%c, %y : memref<128x128xf32>, memref<128x128xf32>) outs(%d : memref<128x128xf32>)
  return %d : memref<128x128xf32>
}

// -----

// REMARK: remark: memory space 'default': 3 buffers of 6144 bytes share 4096 bytes, lower bound 4096
// CHECK-LABEL: func.func @loop(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
func.func @loop(%n: index, %zero: index, %one: index) {
  %e = memref.alloc() : memref<8x64xf32>
  %f = memref.alloc() : memref<8x64xf32>
  scf.for %i = %zero to %n step %one {
    "test.use"(%e) : (memref<8x64xf32>) -> ()
    "test.use"(%f) : (memref<8x64xf32>) -> ()
  }
  %g = memref.alloc() : memref<8x64xf32>
  "test.use"(%g) : (memref<8x64xf32>) -> ()
  return
}

// -----

// REMARK: remark: memory space 'default': 3 buffers of 6144 bytes share 4096 bytes, lower bound 4096
// CHECK-LABEL: func.func @branches(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
func.func @branches(%p: i1) {
  %r = scf.if %p -> memref<8x64xf32> {
    %a = memref.alloc() : memref<8x64xf32>
    "test.use"(%a) : (memref<8x64xf32>) -> ()
    scf.yield %a : memref<8x64xf32>
  } else {
    %b = memref.alloc() : memref<8x64xf32>
    "test.use"(%b) : (memref<8x64xf32>) -> ()
    scf.yield %b : memref<8x64xf32>
  }
  %c = memref.alloc() : memref<8x64xf32>
  "test.combine"(%c, %r) : (memref<8x64xf32>, memref<8x64xf32>) -> ()
  return
}

// -----

// REMARK: remark: memory space 'default': 3 buffers of 3072 bytes share 1024 bytes, lower bound 1024
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
func.func @in_place(%x: memref<256xf32>, %y: memref<256xf32>) {
  %a = memref.alloc() : memref<256xf32>
  linalg.exp ins(%x : memref<256xf32>) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.add ins(%a, %x : memref<256xf32>, memref<256xf32>) outs(%b : memref<256xf32>)
  %c = memref.alloc() : memref<256xf32>
  linalg.sqrt ins(%b : memref<256xf32>) outs(%c : memref<256xf32>)
  memref.copy %c, %y : memref<256xf32> to memref<256xf32>
  return
}

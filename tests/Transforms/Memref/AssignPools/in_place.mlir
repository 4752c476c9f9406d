// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools=remarks %s -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='remarks in-place=false' %s -o /dev/null 2>&1 | FileCheck --check-prefix=APART %s

// A chain in the bytes of one buffer.

// CHECK: remark: pool 'workspace': 3 buffers of 768 bytes in 256 bytes
// APART: remark: pool 'workspace': 3 buffers of 768 bytes in 512 bytes
func.func @chain(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.copy %c, %y : memref<64xf32> to memref<64xf32>
  return
}

// -----

// Branches that exclude each other, for what they yield, too; the smaller one
// is in the place of the larger one.

// CHECK: remark: pool 'workspace': 2 buffers of 384 bytes in 256 bytes
// APART: remark: pool 'workspace': 2 buffers of 384 bytes in 384 bytes
func.func @branches(%p: i1) {
  %r = scf.if %p -> memref<?xf32> {
    %a = memref.alloc() : memref<32xf32>
    "test.use"(%a) : (memref<32xf32>) -> ()
    %v = memref.cast %a : memref<32xf32> to memref<?xf32>
    scf.yield %v : memref<?xf32>
  } else {
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
    %v = memref.cast %b : memref<64xf32> to memref<?xf32>
    scf.yield %v : memref<?xf32>
  }
  "test.use"(%r) : (memref<?xf32>) -> ()
  return
}

// -----

// %c takes the place of %b. %b does not take that of %a, which is written
// again: it is not known that this overwrites all of it.

// CHECK: remark: pool 'workspace': 3 buffers of 768 bytes in 512 bytes
// APART: remark: pool 'workspace': 3 buffers of 768 bytes in 768 bytes
func.func @again(%x: memref<64xf32>, %zero: f32) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.fill ins(%zero : f32) outs(%a : memref<64xf32>)
  "test.use"(%a, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc=reorder %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="reorder remarks" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc %s | FileCheck %s --check-prefix=TEXT

// Each wide buffer is dead before the next one is written.
// REMARK: remark: ops in the order of '{{.*}}': merged buffers have 16896 bytes, 33024 in that of the text
// TEXT-LABEL: func.func @wide(
// TEXT: memref.alloc() {alignment = 64 : i64} : memref<33024xi8>
// CHECK-LABEL: func.func @wide(
// CHECK-SAME: %[[X:.*]]: memref<1x64xf32>, %[[U:.*]]: memref<64x4096xf32>, %[[V:.*]]: memref<4096x64xf32>, %[[Y:.*]]: memref<1x64xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16896xi8>
// CHECK: linalg.matmul ins(%[[X]], %[[U]]
// CHECK: linalg.matmul ins(%{{.*}}, %[[V]]
// CHECK: linalg.matmul ins(%[[X]], %[[U]]
// CHECK: linalg.matmul ins(%{{.*}}, %[[V]]
// CHECK: linalg.add
func.func @wide(%x: memref<1x64xf32>, %u: memref<64x4096xf32>, %v: memref<4096x64xf32>, %y: memref<1x64xf32>) {
  %a = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%a : memref<1x4096xf32>)
  %b = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%b : memref<1x4096xf32>)
  %c = memref.alloc() : memref<1x64xf32>
  linalg.matmul ins(%a, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%c : memref<1x64xf32>)
  %d = memref.alloc() : memref<1x64xf32>
  linalg.matmul ins(%b, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%d : memref<1x64xf32>)
  linalg.add ins(%c, %d : memref<1x64xf32>, memref<1x64xf32>) outs(%y : memref<1x64xf32>)
  return
}

// -----

// REMARK-NOT: ops in the order of
// The third product overwrites what the second one reads: two arguments may be
// the same memory.
// CHECK-LABEL: func.func @overwrites(
// CHECK-SAME: %[[X:.*]]: memref<1x64xf32>, %[[U:.*]]: memref<64x4096xf32>, %[[V:.*]]: memref<4096x64xf32>, %[[Y:.*]]: memref<1x64xf32>
// CHECK: linalg.matmul ins(%[[X]], %[[U]]
// CHECK-NOT: linalg.matmul ins(%{{.*}}, %[[V]]
// CHECK: linalg.matmul ins(%[[X]], %[[U]]
func.func @overwrites(%x: memref<1x64xf32>, %u: memref<64x4096xf32>, %v: memref<4096x64xf32>, %y: memref<1x64xf32>) {
  %a = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%a : memref<1x4096xf32>)
  %b = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%b : memref<1x4096xf32>)
  linalg.matmul ins(%a, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%y : memref<1x64xf32>)
  linalg.matmul ins(%b, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%y : memref<1x64xf32>)
  return
}

// -----

// What is not known keeps its place among all that touches memory.
// CHECK-LABEL: func.func @unknown(
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK: "my.effect"
func.func @unknown(%x: memref<1x64xf32>, %u: memref<64x4096xf32>, %v: memref<4096x64xf32>, %y: memref<1x64xf32>) {
  %a = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%a : memref<1x4096xf32>)
  %b = memref.alloc() : memref<1x4096xf32>
  linalg.matmul ins(%x, %u : memref<1x64xf32>, memref<64x4096xf32>) outs(%b : memref<1x4096xf32>)
  "my.effect"() : () -> ()
  %c = memref.alloc() : memref<1x64xf32>
  linalg.matmul ins(%a, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%c : memref<1x64xf32>)
  %d = memref.alloc() : memref<1x64xf32>
  linalg.matmul ins(%b, %v : memref<1x4096xf32>, memref<4096x64xf32>) outs(%d : memref<1x64xf32>)
  linalg.add ins(%c, %d : memref<1x64xf32>, memref<1x64xf32>) outs(%y : memref<1x64xf32>)
  return
}

// -----

// A loop is one op with the effects of what is inside; indices and views go
// with what needs them.
// REMARK: reorder.mlir:[[@LINE+7]]:1: remark: ops in the order of
// CHECK-LABEL: func.func @loops(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4164xi8>
// CHECK: scf.for
// CHECK: linalg.reduce
// CHECK: scf.for
// CHECK: linalg.reduce
func.func @loops(%x: memref<1024xf32>, %y: memref<f32>, %z: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1024 : index
  %a = memref.alloc() : memref<1024xf32>
  scf.for %i = %c0 to %n step %c1 {
    %e = memref.load %x[%i] : memref<1024xf32>
    %f = arith.addf %e, %e : f32
    memref.store %f, %a[%i] : memref<1024xf32>
  }
  %b = memref.alloc() : memref<1024xf32>
  scf.for %i = %c0 to %n step %c1 {
    %e = memref.load %x[%i] : memref<1024xf32>
    %f = arith.mulf %e, %e : f32
    memref.store %f, %b[%i] : memref<1024xf32>
  }
  %r = memref.alloc() : memref<f32>
  linalg.reduce { arith.addf } ins(%a : memref<1024xf32>) outs(%r : memref<f32>) dimensions = [0]
  %s = memref.alloc() : memref<f32>
  linalg.reduce { arith.addf } ins(%b : memref<1024xf32>) outs(%s : memref<f32>) dimensions = [0]
  linalg.add ins(%r, %s : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// Freed after the last one who reads it, wherever that goes; so is what has a
// name of its own. What is merged is not freed at all.
// REMARK: remark: ops in the order of
// CHECK-LABEL: func.func @freed(
// CHECK: %[[S:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: %[[VIEW:.*]] = memref.subview %[[S]]
// CHECK: linalg.broadcast ins(%[[VIEW]]
// CHECK: memref.dealloc %[[S]]
// CHECK: linalg.reduce
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @freed(%x: memref<f32>, %n: index, %y: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%s : memref<?xf32>)
  %view = memref.subview %s[0] [1] [1] : memref<?xf32> to memref<f32, strided<[]>>
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%x : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%view : memref<f32, strided<[]>>) outs(%b : memref<4096xf32>) dimensions = [0]
  memref.dealloc %s : memref<?xf32>
  %c = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%c : memref<f32>)
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%c : memref<f32>) dimensions = [0]
  memref.dealloc %a : memref<4096xf32>
  %d = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%d : memref<f32>)
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%d : memref<f32>) dimensions = [0]
  memref.dealloc %b : memref<4096xf32>
  linalg.add ins(%c, %d : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  return
}

// -----

// The number is the one that was there before the argument is overwritten.
// REMARK: remark: ops in the order of
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %[[X:[^:]*]]: memref<f32>
// CHECK: %[[OLD:.*]] = memref.load %[[X]][]
// CHECK: memref.store %{{.*}}, %[[X]][]
// CHECK: linalg.fill ins(%[[OLD]]
// CHECK: memref.store %[[OLD]], %[[X]][]
// CHECK-NEXT: return
func.func @scalar(%x: memref<f32>, %y: memref<f32>, %z: memref<f32>) {
  %one = arith.constant 1.0 : f32
  %old = memref.load %x[] : memref<f32>
  %a = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%one : f32) outs(%a : memref<4096xf32>)
  %b = memref.alloc() : memref<4096xf32>
  linalg.fill ins(%old : f32) outs(%b : memref<4096xf32>)
  %c = memref.alloc() : memref<f32>
  linalg.fill ins(%one : f32) outs(%c : memref<f32>)
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%c : memref<f32>) dimensions = [0]
  %sum = memref.load %c[] : memref<f32>
  memref.store %sum, %x[] : memref<f32>
  %d = memref.alloc() : memref<f32>
  linalg.fill ins(%one : f32) outs(%d : memref<f32>)
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%d : memref<f32>) dimensions = [0]
  linalg.add ins(%c, %d : memref<f32>, memref<f32>) outs(%y : memref<f32>)
  memref.store %old, %x[] : memref<f32>
  return
}

// -----

// REMARK: reorder.mlir:[[@LINE+2]]:1: remark: ops stay as they stand: it has several blocks
// CHECK-LABEL: func.func @blocks(
func.func @blocks() {
  cf.br ^end
^end:
  return
}

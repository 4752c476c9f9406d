// RUN: tpuc-opt --split-input-file --copy-removal=assume-no-argument-overlap %s | FileCheck %s
// RUN: tpuc-opt --split-input-file --copy-removal=remarks %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

// The examples of tpu_mlir/docs/passes/CopyRemoval.md.

// REMARK: remark: copy removed: its source does for both
// CHECK-LABEL: func.func @dynamic_allocation(
// CHECK-SAME: %[[M:.*]]: index, %[[N:.*]]: index)
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%[[M]], %[[N]]) : memref<?x?xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: linalg.copy
// CHECK-NOT: dealloc
// CHECK: return %[[A]] : memref<?x?xf32>
func.func @dynamic_allocation(%m: index, %n: index) -> memref<?x?xf32> {
  %a = memref.alloc(%m, %n) : memref<?x?xf32>
  %c0 = arith.constant 0 : index
  %d0 = memref.dim %a, %c0 : memref<?x?xf32>
  %c1 = arith.constant 1 : index
  %d1 = memref.dim %a, %c1 : memref<?x?xf32>
  %b = memref.alloc(%d0, %d1) : memref<?x?xf32>
  linalg.copy ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>)
  memref.dealloc %a : memref<?x?xf32>
  return %b : memref<?x?xf32>
}

// -----

// REMARK: remark: copy stays: no reuse of the source, its target is not allocated in its block; no reuse of the target, 'linalg.exp' may touch the target while the source is made
// CHECK-LABEL: func.func @reuse_target(
// CHECK-SAME: %[[X:.*]]: memref<2xf32>, %[[R:.*]]: memref<2xf32>)
// CHECK-NEXT: linalg.exp ins(%[[X]] : memref<2xf32>) outs(%[[R]] : memref<2xf32>)
// CHECK-NEXT: return
func.func @reuse_target(%x: memref<2xf32>, %result: memref<2xf32>) {
  %temp = memref.alloc() : memref<2xf32>
  linalg.exp ins(%x : memref<2xf32>) outs(%temp : memref<2xf32>)
  memref.copy %temp, %result : memref<2xf32> to memref<2xf32>
  memref.dealloc %temp : memref<2xf32>
  return
}

// -----

// REMARK: remark: copy removed: its target does for both
// REMARK: remark: copy removed: its target does for both
// CHECK-LABEL: func.func @concat(
// CHECK-SAME: %[[P:.*]]: f32, %[[Q:.*]]: f32, %[[OUT:.*]]: memref<8xf32>)
// CHECK-NEXT: %[[LOW:.*]] = memref.subview %[[OUT]][0] [4] [1]
// CHECK-NEXT: linalg.fill ins(%[[P]] : f32) outs(%[[LOW]] :
// CHECK-NEXT: %[[HIGH:.*]] = memref.subview %[[OUT]][4] [4] [1]
// CHECK-NEXT: linalg.fill ins(%[[Q]] : f32) outs(%[[HIGH]] :
// CHECK-NEXT: return
func.func @concat(%p: f32, %q: f32, %out: memref<8xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%p : f32) outs(%a : memref<4xf32>)
  %low = memref.subview %out[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %low : memref<4xf32> to memref<4xf32, strided<[1]>>
  memref.dealloc %a : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%q : f32) outs(%b : memref<4xf32>)
  %high = memref.subview %out[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %b, %high : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.dealloc %b : memref<4xf32>
  return
}

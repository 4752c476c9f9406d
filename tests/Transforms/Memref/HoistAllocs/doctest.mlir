// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist=mode=dominator %s | FileCheck --check-prefixes=CHECK,TOP %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist='assume-loops-run=false remarks' %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

// The examples of tpu_mlir/docs/passes/BufferHoisting.md.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[OUT:.*]]: memref<?xf32>
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[N:.*]] = memref.dim %[[X]], %[[C1]] : memref<?x64xf32>
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: "my.row"(%[[X]], %{{.*}}, %[[A]])
// CHECK-NEXT: "my.sum"(%[[A]], %[[OUT]])
// REMARK: remark: allocation stays in a loop: its loop is not known to run
func.func @rows(%x: memref<?x64xf32>, %out: memref<?xf32>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %c1 = arith.constant 1 : index
    %n = memref.dim %x, %c1 : memref<?x64xf32>
    %a = memref.alloc(%n) : memref<?xf32>
    "my.row"(%x, %i, %a) : (memref<?x64xf32>, index, memref<?xf32>) -> ()
    "my.sum"(%a, %out) : (memref<?xf32>, memref<?xf32>) -> ()
  }
  return
}

// -----

// TOP-LABEL: func.func @condBranch(
// TOP-NEXT: %[[A:.*]] = memref.alloc() : memref<2xf32>
// TOP-NEXT: cf.cond_br
// TOP: cf.br ^bb3(%[[A]] : memref<2xf32>)
func.func @condBranch(%c: i1, %x: memref<2xf32>, %y: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : memref<2xf32>)
^bb2:
  %0 = memref.alloc() : memref<2xf32>
  "test.use"(%0) : (memref<2xf32>) -> ()
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %y : memref<2xf32> to memref<2xf32>
  return
}

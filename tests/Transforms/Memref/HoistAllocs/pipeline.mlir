// RUN: tpuc-opt --memref-memory="hoist-mode=dominator promote=false merge=false" %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --memref-memory="promote=false merge=false" %s 2>/dev/null | FileCheck %s --check-prefix=COST
// RUN: not tpuc-opt --memref-memory="hoist-mode=up" %s 2>&1 | FileCheck %s --check-prefix=BAD

// BAD: hoist-mode

// The allocation of one branch goes up to where both come from.
// CHECK-LABEL: func.func @condBranch(
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br
// COST-LABEL: func.func @condBranch(
// COST-NEXT: cf.cond_br
// COST: memref.dealloc
func.func @condBranch(%c: i1, %f: f32, %x: memref<2xf32>, %y: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : memref<2xf32>)
^bb2:
  %0 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %y : memref<2xf32> to memref<2xf32>
  return
}

// Its size is known in its own block only.
// CHECK-LABEL: func.func @condBranchDynamicType(
// CHECK-NEXT: cf.cond_br
// CHECK: ^bb2(%[[N:.*]]: index):
// CHECK-NEXT: memref.alloc(%[[N]])
func.func @condBranchDynamicType(%c: i1, %f: f32, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^bb1, ^bb2(%n : index)
^bb1:
  cf.br ^bb3(%x : memref<?xf32>)
^bb2(%0: index):
  %1 = memref.alloc(%0) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%1 : memref<?xf32>)
  cf.br ^bb3(%1 : memref<?xf32>)
^bb3(%2: memref<?xf32>):
  memref.copy %2, %y : memref<?xf32> to memref<?xf32>
  return
}

// Out of a region as well; it is freed once, after both.
// CHECK-LABEL: func.func @nested(
// CHECK: memref.alloc(%arg0, %arg0)
// CHECK-NEXT: memref.alloc(%arg0, %arg1)
// CHECK: scf.if
// CHECK-NOT: memref.alloc
func.func @nested(%m: index, %n: index, %f: f32) -> memref<?x?xf32> {
  %c = arith.cmpi eq, %m, %n : index
  %0 = memref.alloc(%m, %m) : memref<?x?xf32>
  %1 = scf.if %c -> memref<?x?xf32> {
    scf.yield %0 : memref<?x?xf32>
  } else {
    %2 = memref.alloc(%m, %n) : memref<?x?xf32>
    linalg.fill ins(%f : f32) outs(%2 : memref<?x?xf32>)
    linalg.fill ins(%f : f32) outs(%0 : memref<?x?xf32>)
    scf.yield %0 : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}

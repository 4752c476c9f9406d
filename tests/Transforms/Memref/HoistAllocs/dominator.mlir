// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist=mode=dominator %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist %s | FileCheck --check-prefix=COST %s

// CHECK-LABEL: func.func @condBranch(
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT: cf.cond_br
// CHECK: cf.br ^bb3(%[[A]]
// COST-LABEL: func.func @condBranch(
// COST-NEXT: cf.cond_br
// COST: ^bb2:
// COST-NEXT: memref.alloc()
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

// -----

// Its size is there in its own block only.
// CHECK-LABEL: func.func @condBranchDynamicType(
// CHECK-NEXT: cf.cond_br
// CHECK: ^bb2(%[[N:.*]]: index):
// CHECK-NEXT: memref.alloc(%[[N]])
func.func @condBranchDynamicType(%c: i1, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^bb1, ^bb2(%n : index)
^bb1:
  cf.br ^bb3(%x : memref<?xf32>)
^bb2(%0: index):
  "test.before"() : () -> ()
  %1 = memref.alloc(%0) : memref<?xf32>
  "test.use"(%1) : (memref<?xf32>) -> ()
  cf.br ^bb3(%1 : memref<?xf32>)
^bb3(%2: memref<?xf32>):
  memref.copy %2, %y : memref<?xf32> to memref<?xf32>
  return
}

// -----

// The same further down: to where its size is.
// CHECK-LABEL: func.func @condBranchDynamicTypeNested(
// CHECK-NEXT: cf.cond_br
// CHECK: ^bb2(%[[N:.*]]: index):
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%[[N]])
// CHECK-NEXT: cf.cond_br
// CHECK: ^bb4:
// CHECK-NEXT: "test.use"(%[[A]])
func.func @condBranchDynamicTypeNested(%c: i1, %x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  cf.cond_br %c, ^bb1, ^bb2(%n : index)
^bb1:
  cf.br ^bb6(%x : memref<?xf32>)
^bb2(%0: index):
  cf.cond_br %c, ^bb3, ^bb4
^bb3:
  cf.br ^bb6(%x : memref<?xf32>)
^bb4:
  %1 = memref.alloc(%0) : memref<?xf32>
  "test.use"(%1) : (memref<?xf32>) -> ()
  cf.br ^bb5(%1 : memref<?xf32>)
^bb5(%2: memref<?xf32>):
  cf.br ^bb6(%2 : memref<?xf32>)
^bb6(%3: memref<?xf32>):
  cf.br ^bb7(%3 : memref<?xf32>)
^bb7(%4: memref<?xf32>):
  memref.copy %4, %y : memref<?xf32> to memref<?xf32>
  return
}

// -----

// Out of regions, to the other allocations at the start, in their order.
// CHECK-LABEL: func.func @regions(
// CHECK-NEXT: arith.constant
// CHECK-NEXT: memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.alloc() : memref<5xf32>
// CHECK-NEXT: memref.alloc() : memref<6xf32>
// CHECK-NEXT: "test.before"
// CHECK-NEXT: scf.if
// CHECK-NOT: memref.alloc
func.func @regions(%c: i1) -> memref<6xf32> {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  "test.before"(%a) : (memref<4xf32>) -> ()
  %r = scf.if %c -> memref<5xf32> {
    %b = memref.alloc() : memref<5xf32>
    scf.yield %b : memref<5xf32>
  } else {
    %u = ub.poison : memref<5xf32>
    scf.yield %u : memref<5xf32>
  }
  "test.use"(%r) : (memref<5xf32>) -> ()
  %d = memref.alloc() : memref<6xf32>
  return %d : memref<6xf32>
}

// -----

// What is handed on by a loop goes to the start of its body: out of the branch,
// and so into every iteration. Only when asked for.
// CHECK-LABEL: func.func @loop_nested_if(
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = memref.alloc()
// CHECK-NEXT: "test.before"
// CHECK: scf.yield %[[A]]
// COST-LABEL: func.func @loop_nested_if(
// COST: scf.for
// COST: scf.if
// COST-NEXT: memref.alloc()
func.func @loop_nested_if(%l: index, %u: index, %s: index, %x: memref<2xf32>, %y: memref<2xf32>) {
  %0 = scf.for %i = %l to %u step %s iter_args(%b = %x) -> memref<2xf32> {
    "test.before"() : () -> ()
    %1 = arith.cmpi eq, %i, %u : index
    %2 = scf.if %1 -> memref<2xf32> {
      %3 = memref.alloc() : memref<2xf32>
      "test.use"(%3) : (memref<2xf32>) -> ()
      scf.yield %3 : memref<2xf32>
    } else {
      scf.yield %b : memref<2xf32>
    }
    scf.yield %2 : memref<2xf32>
  }
  memref.copy %0, %y : memref<2xf32> to memref<2xf32>
  return
}

// -----

// What is not handed on leaves the loop.
// CHECK-LABEL: func.func @loop_and_branch(
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: scf.for
// COST-LABEL: func.func @loop_and_branch(
// COST-NEXT: scf.for
func.func @loop_and_branch(%c: i1, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    scf.if %c {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

// A loop made of blocks that hands it on: to the start of the loop. And one
// that is over when the buffer is allocated computes its size: it stays behind
// that loop.
// CHECK-LABEL: func.func @blocks(
// CHECK: ^bb1({{.*}}):
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: "test.use"
// CHECK: ^bb3:
// CHECK-NEXT: %[[N:.*]] = "test.size"
// CHECK-NEXT: cf.cond_br
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: memref.alloc(%[[N]])
func.func @blocks(%c: i1, %x: memref<4xf32>) {
  cf.br ^bb1(%x : memref<4xf32>)
^bb1(%b: memref<4xf32>):
  "test.use"(%b) : (memref<4xf32>) -> ()
  cf.br ^bb2
^bb2:
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1(%a : memref<4xf32>), ^bb3
^bb3:
  %n = "test.size"() : () -> index
  cf.cond_br %c, ^bb3, ^bb4
^bb4:
  "test.before"() : () -> ()
  %d = memref.alloc(%n) : memref<?xf32>
  "test.use"(%d) : (memref<?xf32>) -> ()
  return
}

// -----

// What is freed moves where that costs nothing only.
// CHECK-LABEL: func.func @freed(
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: scf.for
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: scf.if
// CHECK-NEXT: memref.alloc()
func.func @freed(%c: i1, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    "test.before"() : () -> ()
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    memref.dealloc %a : memref<4xf32>
  }
  scf.if %c {
    %a = memref.alloc() : memref<5xf32>
    "test.use"(%a) : (memref<5xf32>) -> ()
    memref.dealloc %a : memref<5xf32>
  }
  return
}

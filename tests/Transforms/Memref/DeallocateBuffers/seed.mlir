// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s -o %t.1
// RUN: tpuc-opt --memref-deallocate %t.1 -o %t.2
// RUN: cmp %t.1 %t.2

// The examples of the design of buffer deallocation. ExamplesTest runs them,
// too, and counts what they allocate.

// A partial write on one path only: freed all the same.
// CHECK-LABEL: func.func @partial_write(
// CHECK: ^bb3:
// CHECK-NEXT: memref.copy %[[A:.*]], %
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @partial_write(%c: i1, %x: f32, %out: memref<2xf32>) {
  %0 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3
^bb2:
  %c0 = arith.constant 0 : index
  %y = arith.addf %x, %x : f32
  memref.store %y, %0[%c0] : memref<2xf32>
  cf.br ^bb3
^bb3:
  memref.copy %0, %out : memref<2xf32> to memref<2xf32>
  return
}

// What lives on the stack is not freed, and needs no copy.
// CHECK-LABEL: func.func @mixedAllocation(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @mixedAllocation(%c: i1, %x: f32, %out: memref<2xf32>) {
  %0 = memref.alloca() : memref<2xf32>
  %1 = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb2:
  linalg.fill ins(%x : f32) outs(%1 : memref<2xf32>)
  cf.br ^bb3(%1 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  memref.copy %2, %out : memref<2xf32> to memref<2xf32>
  return
}

// As it is before hoisting: the argument is copied.
// CHECK-LABEL: func.func @condBranch(
// CHECK: ^bb1:
// CHECK-NEXT: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %{{.*}}, %[[C]]
// CHECK-NEXT: cf.br ^bb3(%[[C]]
// CHECK: ^bb2:
// CHECK-NOT: memref.copy
// CHECK: ^bb3(%[[M:.*]]: memref<2xf32>):
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[M]]
func.func @condBranch(%c: i1, %x: f32, %arg1: memref<2xf32>, %arg2: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%arg1 : memref<2xf32>)
^bb2:
  %0 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %arg2 : memref<2xf32> to memref<2xf32>
  return
}

// As it is after hoisting: no copy.
// CHECK-LABEL: func.func @condBranchHoisted(
// CHECK-NEXT: %[[A:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK: ^bb3(%{{.*}}: memref<2xf32>):
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @condBranchHoisted(%c: i1, %x: f32, %arg1: memref<2xf32>, %arg2: memref<2xf32>) {
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%arg1 : memref<2xf32>)
^bb2:
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%1: memref<2xf32>):
  memref.copy %1, %arg2 : memref<2xf32> to memref<2xf32>
  return
}

// The sizes of a copy come from its source.
// CHECK-LABEL: func.func @condBranchDynamicType(
// CHECK: ^bb1:
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0
// CHECK-NEXT: %[[D:.*]] = memref.dim %[[ARG:.*]], %[[C0]]
// CHECK-NEXT: %[[C:.*]] = memref.alloc(%[[D]])
// CHECK-NEXT: memref.copy %[[ARG]], %[[C]]
// CHECK-NEXT: cf.br ^bb3(%[[C]]
// CHECK: ^bb2(
// CHECK-NOT: memref.copy
// CHECK: ^bb3(%[[M:.*]]: memref<?xf32>):
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[M]]
func.func @condBranchDynamicType(%c: i1, %x: f32, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  cf.cond_br %c, ^bb1, ^bb2(%arg3 : index)
^bb1:
  cf.br ^bb3(%arg1 : memref<?xf32>)
^bb2(%0: index):
  %1 = memref.alloc(%0) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%1 : memref<?xf32>)
  cf.br ^bb3(%1 : memref<?xf32>)
^bb3(%2: memref<?xf32>):
  memref.copy %2, %arg2 : memref<?xf32> to memref<?xf32>
  return
}

// No copy at all: each predecessor hands its buffer over.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: ^bb1:
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc()
// CHECK: cf.br ^bb3(%[[B]]
// CHECK: ^bb2:
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: cf.br ^bb3(%[[A]]
// CHECK: ^bb3(%[[M:.*]]: memref<2xf32>):
// CHECK-NEXT: memref.copy %[[M]]
// CHECK-NEXT: memref.dealloc %[[M]]
func.func @branch(%c: i1, %out: memref<2xf32>) {
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %0 = memref.alloc() : memref<2xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%f1 : f32) outs(%1 : memref<2xf32>)
  cf.br ^bb3(%1 : memref<2xf32>)
^bb2:
  linalg.fill ins(%f2 : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  memref.copy %2, %out : memref<2xf32> to memref<2xf32>
  return
}

// One copy, of the argument; the block argument of bb5 is the allocation.
// CHECK-LABEL: func.func @condBranchDynamicTypeNested(
// CHECK: ^bb1:
// CHECK: memref.copy
// CHECK: ^bb2(
// CHECK-NOT: memref.copy
// CHECK: ^bb6(%[[M:.*]]: memref<?xf32>):
// CHECK: ^bb7(%[[N:.*]]: memref<?xf32>):
// CHECK-NEXT: memref.copy %[[N]]
// CHECK-NEXT: memref.dealloc %[[M]]
// CHECK-NEXT: return
func.func @condBranchDynamicTypeNested(%c: i1, %d: i1, %x: f32, %arg1: memref<?xf32>, %arg2: memref<?xf32>, %arg3: index) {
  cf.cond_br %c, ^bb1, ^bb2(%arg3: index)
^bb1:
  cf.br ^bb6(%arg1 : memref<?xf32>)
^bb2(%0: index):
  %1 = memref.alloc(%0) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%1 : memref<?xf32>)
  cf.cond_br %d, ^bb3, ^bb4
^bb3:
  cf.br ^bb5(%1 : memref<?xf32>)
^bb4:
  cf.br ^bb5(%1 : memref<?xf32>)
^bb5(%2: memref<?xf32>):
  cf.br ^bb6(%2 : memref<?xf32>)
^bb6(%3: memref<?xf32>):
  cf.br ^bb7(%3 : memref<?xf32>)
^bb7(%4: memref<?xf32>):
  memref.copy %4, %arg2 : memref<?xf32> to memref<?xf32>
  return
}

// Two predecessors with a buffer each.
// CHECK-LABEL: func.func @two_predecessors(
// CHECK-NOT: memref.copy %{{.*}}, %alloc
// CHECK: ^bb3(%[[M:.*]]: memref<2xf32>):
// CHECK-NEXT: memref.copy
// CHECK-NEXT: memref.dealloc %[[M]]
func.func @two_predecessors(%c: i1, %x: f32, %out: memref<2xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<2xf32>)
  cf.br ^bb3(%0 : memref<2xf32>)
^bb2:
  %1 = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%1 : memref<2xf32>)
  cf.br ^bb3(%1 : memref<2xf32>)
^bb3(%2: memref<2xf32>):
  memref.copy %2, %out : memref<2xf32> to memref<2xf32>
  return
}

// From one region to the next and out: no copy.
// CHECK-LABEL: func.func @inner_region_control_flow(
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @inner_region_control_flow(%n: index, %x: f32) -> memref<?x?xf32> {
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<?x?xf32>)
  %false = arith.constant false
  %1 = scf.while (%a = %0) : (memref<?x?xf32>) -> memref<?x?xf32> {
    scf.condition(%false) %a : memref<?x?xf32>
  } do {
  ^bb0(%b: memref<?x?xf32>):
    scf.yield %b : memref<?x?xf32>
  }
  return %1 : memref<?x?xf32>
}

// The same with an allocation of its own in a region: handed over, no copy.
// CHECK-LABEL: func.func @inner_region_control_flow_div(
// CHECK-NOT: memref.copy
// CHECK: scf.condition
// CHECK: ^bb0(%[[B:.*]]: memref<?x?xf32>
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: memref.alloc
// CHECK-NOT: memref.dealloc
func.func @inner_region_control_flow_div(%n: index, %x: f32) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc(%n, %n) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<?x?xf32>)
  %1:2 = scf.while (%a = %0, %i = %c0) : (memref<?x?xf32>, index) -> (memref<?x?xf32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %a, %i : memref<?x?xf32>, index
  } do {
  ^bb0(%b: memref<?x?xf32>, %i: index):
    %2 = memref.alloc(%n, %n) : memref<?x?xf32>
    linalg.fill ins(%x : f32) outs(%2 : memref<?x?xf32>)
    %j = arith.addi %i, %c1 : index
    scf.yield %2, %j : memref<?x?xf32>, index
  }
  return %1#0 : memref<?x?xf32>
}

// CHECK-LABEL: func.func @nested_region_control_flow(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: else
// CHECK-NEXT: %[[B:.*]] = memref.alloc
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NOT: memref.dealloc
func.func @nested_region_control_flow(%n: index, %m: index, %x: f32) -> memref<?x?xf32> {
  %0 = arith.cmpi eq, %n, %m : index
  %1 = memref.alloc(%n, %n) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%1 : memref<?x?xf32>)
  %2 = scf.if %0 -> (memref<?x?xf32>) {
    scf.yield %1 : memref<?x?xf32>
  } else {
    %3 = memref.alloc(%n, %m) : memref<?x?xf32>
    linalg.fill ins(%x : f32) outs(%3 : memref<?x?xf32>)
    scf.yield %1 : memref<?x?xf32>
  }
  return %2 : memref<?x?xf32>
}

// CHECK-LABEL: func.func @nested_region_own_alloc(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: else
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: %[[B:.*]] = memref.alloc
// CHECK: scf.yield %[[B]]
// CHECK-NOT: memref.dealloc
func.func @nested_region_own_alloc(%n: index, %m: index, %x: f32) -> memref<?x?xf32> {
  %0 = arith.cmpi eq, %n, %m : index
  %1 = memref.alloc(%n, %n) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%1 : memref<?x?xf32>)
  %2 = scf.if %0 -> (memref<?x?xf32>) {
    scf.yield %1 : memref<?x?xf32>
  } else {
    %3 = memref.alloc(%n, %m) : memref<?x?xf32>
    linalg.fill ins(%x : f32) outs(%3 : memref<?x?xf32>)
    scf.yield %3 : memref<?x?xf32>
  }
  return %2 : memref<?x?xf32>
}

// One copy before the loop, instead of four in it.
// CHECK-LABEL: func.func @loop_nested_if(
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[BUF:.*]], %[[C]]
// CHECK-NEXT: scf.for {{.*}} iter_args(%[[ITER:.*]] = %[[C]])
// CHECK: scf.if
// CHECK-NEXT: memref.dealloc %[[ITER]]
// CHECK-NEXT: %[[NEW:.*]] = memref.alloc()
// CHECK-NOT: memref.copy
// CHECK: scf.yield %[[NEW]]
// CHECK: scf.yield %[[ITER]]
// CHECK-NOT: memref.dealloc
// CHECK: memref.copy %[[R:.*]], %
// CHECK-NEXT: memref.dealloc %[[R]]
func.func @loop_nested_if(%lb: index, %ub: index, %step: index, %buf: memref<2xf32>, %res: memref<2xf32>, %x: f32) {
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %lb to %ub step %step iter_args(%iterBuf = %buf) -> memref<2xf32> {
    %1 = arith.cmpi eq, %i, %c2 : index
    %2 = scf.if %1 -> (memref<2xf32>) {
      %3 = memref.alloc() : memref<2xf32>
      linalg.fill ins(%x : f32) outs(%3 : memref<2xf32>)
      scf.yield %3 : memref<2xf32>
    } else {
      scf.yield %iterBuf : memref<2xf32>
    }
    scf.yield %2 : memref<2xf32>
  }
  memref.copy %0, %res : memref<2xf32> to memref<2xf32>
  return
}

// What the program frees itself stays as it is.
// CHECK-LABEL: func.func @dynamic_allocation(
// CHECK: memref.copy %[[A:.*]], %[[B:.*]] :
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return %[[B]]
func.func @dynamic_allocation(%n: index, %m: index, %x: f32) -> memref<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc(%n, %m) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%0 : memref<?x?xf32>)
  %1 = memref.dim %0, %c0 : memref<?x?xf32>
  %2 = memref.dim %0, %c1 : memref<?x?xf32>
  %3 = memref.alloc(%1, %2) : memref<?x?xf32>
  memref.copy %0, %3 : memref<?x?xf32> to memref<?x?xf32>
  memref.dealloc %0 : memref<?x?xf32>
  return %3 : memref<?x?xf32>
}

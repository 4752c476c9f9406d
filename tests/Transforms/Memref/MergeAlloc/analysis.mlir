// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{analysis-only}))' %s | FileCheck %s
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only free" %s 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only alignment=128" %s 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only planner=exact" %s 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only planner-options=size-first" %s 2>&1 | FileCheck %s --check-prefix=OPTIONS
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only in-place=false" %s 2>&1 | FileCheck %s --check-prefix=INPLACE
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only hoist-threads" %s 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc="analysis-only merge-always" %s 2>&1 | FileCheck %s --check-prefix=ALWAYS
// FREE: option 'free' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// ALIGN: option 'alignment' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// PLANNER: option 'planner' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// OPTIONS: option 'planner-options' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// INPLACE: option 'in-place' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// THREADS: option 'hoist-threads' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]
// ALWAYS: option 'merge-always' has no effect: 'analysis-only' plans nothing [TPUMEM-E018]

// A scope, and the first and last tick. The function has tick 1.

// CHECK-LABEL: func.func @straight(
// CHECK-SAME: __mergealloc_scope = 0 : i64
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 3, 5>} : memref<64xf32>
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 5, 6>} : memref<32xf32>
// Returned, and never accessed; an unused one is not removed.
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, -2, -2>} : memref<16xf32>
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, -1, -1>} : memref<8xf32>
func.func @straight() -> memref<16xf32> {
  %a = memref.alloc() : memref<64xf32>                            // 2
  "test.use"(%a) : (memref<64xf32>) -> ()                         // 3
  %b = memref.alloc() : memref<32xf32>                            // 4
  "test.use"(%a, %b) : (memref<64xf32>, memref<32xf32>) -> ()     // 5
  "test.use"(%b) : (memref<32xf32>) -> ()                         // 6
  %c = memref.alloc() : memref<16xf32>
  %d = memref.alloc() : memref<8xf32>
  return %c : memref<16xf32>
}

// -----

// Widened to the loop, when allocated outside; exact when inside.
// CHECK-LABEL: func.func @loops(
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 4, 9>} : memref<64xf32>
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 4, 9>} : memref<32xf32>
// CHECK: scf.for
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 8, 8>} : memref<16xf32>
func.func @loops(%lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<64xf32>                            // 2
  %b = memref.alloc() : memref<32xf32>                            // 3
  scf.for %i = %lb to %ub step %step {                            // 4
    "test.use"(%a) : (memref<64xf32>) -> ()                       // 5
    "test.use"(%b) : (memref<32xf32>) -> ()                       // 6
    %c = memref.alloc() : memref<16xf32>                          // 7
    "test.use"(%c) : (memref<16xf32>) -> ()                       // 8
  }                                                               // 9
  return
}

// -----

// All loops between count, not the nearest alone.
// CHECK-LABEL: func.func @nested_loops(
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 3, 7>} : memref<64xf32>
func.func @nested_loops(%lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<64xf32>                            // 2
  scf.for %i = %lb to %ub step %step {                            // 3
    scf.for %j = %lb to %ub step %step {                          // 4
      "test.use"(%a) : (memref<64xf32>) -> ()                     // 5
    }                                                             // 6
  }                                                               // 7
  return
}

// -----

// From the yield to after the branch; threads are a scope of their own.
// CHECK-LABEL: func.func @branch_and_threads(
// CHECK-SAME: __mergealloc_scope = 0 : i64
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 2, 7>} : memref<64xf32>
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 1, 10, 10>} : memref<8xf32>
// CHECK: __mergealloc_scope = 1 : i64
func.func @branch_and_threads(%p: i1, %other: memref<64xf32>) {
  %r = scf.if %p -> memref<64xf32> {                              // 2
    %a = memref.alloc() : memref<64xf32>                          // 3
    "test.use"(%a) : (memref<64xf32>) -> ()                       // 4
    scf.yield %a : memref<64xf32>                                 // 5
  } else {
    scf.yield %other : memref<64xf32>                             // 6
  }
  "test.use"(%r) : (memref<64xf32>) -> ()                         // 7
  scf.forall (%t) in (4) {                                        // 8
    %b = memref.alloc() : memref<8xf32>                           // 9
    "test.use"(%b) : (memref<8xf32>) -> ()                        // 10
  }
  return
}

// -----

// Views are no accesses, their accesses are; a dimension is none.
// CHECK-LABEL: func.func @views(
// CHECK: memref.alloc() {__mergealloc_lifetime = array<i64: 0, 5, 5>} : memref<64xf32>
func.func @views() -> index {
  %a = memref.alloc() : memref<64xf32>                            // 2
  %v = memref.subview %a[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
  %w = memref.subview %v[0] [16] [1] : memref<32xf32, strided<[1]>> to memref<16xf32, strided<[1]>>
  "test.use"(%w) : (memref<16xf32, strided<[1]>>) -> ()           // 5
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<64xf32>
  return %d : index
}

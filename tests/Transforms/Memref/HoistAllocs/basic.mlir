// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-hoist=assume-loops-run=false %s | FileCheck --check-prefix=STRICT %s

// It is not known whether the loop runs.
// CHECK-LABEL: func.func @loop(
// CHECK: memref.alloc() {alignment = 32 : i64} : memref<4xf32>
// CHECK-NEXT: scf.for
// STRICT-LABEL: func.func @loop(
// STRICT: scf.for
// STRICT-NEXT: memref.alloc()
func.func @loop(%l: index, %u: index, %s: index) {
  "test.before"() : () -> ()
  scf.for %i = %l to %u step %s {
    %a = memref.alloc() {alignment = 32 : i64} : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

// CHECK-LABEL: func.func @loop_that_runs(
// CHECK: memref.alloc()
// CHECK-NEXT: scf.for
// STRICT-LABEL: func.func @loop_that_runs(
// STRICT: memref.alloc()
// STRICT-NEXT: scf.for
func.func @loop_that_runs() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

// As numbers without sign, the lower bound is above the upper one.
// STRICT-LABEL: func.func @loop_without_sign(
// STRICT: scf.for
// STRICT-NEXT: memref.alloc()
func.func @loop_without_sign() {
  %l = arith.constant -4 : index
  %u = arith.constant 8 : index
  %s = arith.constant 1 : index
  scf.for unsigned %i = %l to %u step %s {
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

// STRICT-LABEL: func.func @affine_loops(
// STRICT: memref.alloc() : memref<4xf32>
// STRICT-NEXT: affine.for
// STRICT: affine.for
// STRICT-NEXT: memref.alloc() : memref<8xf32>
func.func @affine_loops(%n: index) {
  affine.for %i = 0 to 8 {
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    affine.for %j = 0 to %n {
      %b = memref.alloc() : memref<8xf32>
      "test.use"(%b) : (memref<8xf32>) -> ()
    }
  }
  return
}

// -----

// All loops at once, and no branch.
// CHECK-LABEL: func.func @nest(
// CHECK: scf.if
// CHECK-NEXT: %[[N:.*]] = memref.dim %{{.*}}, %{{.*}} : memref<?xf32>
// CHECK-NEXT: memref.alloc(%[[N]]) : memref<?xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.execute_region
func.func @nest(%c: i1, %x: memref<?xf32>, %l: index, %u: index, %s: index) {
  %c0 = arith.constant 0 : index
  scf.if %c {
    scf.for %i = %l to %u step %s {
      scf.for %j = %l to %u step %s {
        scf.execute_region {
          cf.br ^bb1
        ^bb1:
          %n = memref.dim %x, %c0 : memref<?xf32>
          %a = memref.alloc(%n) : memref<?xf32>
          "test.use"(%a) : (memref<?xf32>) -> ()
          scf.yield
        }
      }
    }
  }
  return
}

// -----

// What the sizes are computed from moves along, also what another allocation
// took along already.
// CHECK-LABEL: func.func @sizes(
// CHECK: "test.before"
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[N:.*]] = memref.dim %{{.*}}, %[[C0]] : memref<?xf32>
// CHECK-NEXT: %[[M:.*]] = arith.addi %[[N]], %[[N]] : index
// CHECK-NEXT: %[[A:.*]] = memref.alloc(%[[M]]) : memref<?xf32>
// CHECK-NEXT: %[[K:.*]] = memref.dim %[[A]], %[[C0]] : memref<?xf32>
// CHECK-NEXT: memref.alloc(%[[K]], %[[M]]) : memref<?x?xf32>
// CHECK-NEXT: scf.for
func.func @sizes(%x: memref<?xf32>, %l: index, %u: index, %s: index) {
  "test.before"() : () -> ()
  scf.for %i = %l to %u step %s {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %m = arith.addi %n, %n : index
    %a = memref.alloc(%m) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
    %k = memref.dim %a, %c0 : memref<?xf32>
    %b = memref.alloc(%k, %m) : memref<?x?xf32>
    "test.use"(%b, %i) : (memref<?x?xf32>, index) -> ()
  }
  return
}

// -----

// The condition of a while loop is always evaluated.
// STRICT-LABEL: func.func @while(
// STRICT-NEXT: memref.alloc() : memref<4xf32>
// STRICT-NEXT: scf.while
// STRICT-NEXT: "test.use"
// STRICT: scf.condition
// STRICT: do
// STRICT-NEXT: memref.alloc() : memref<8xf32>
// CHECK-LABEL: func.func @while(
// CHECK-NEXT: memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.alloc() : memref<8xf32>
// CHECK-NEXT: scf.while
func.func @while() {
  scf.while : () -> () {
    %a = memref.alloc() : memref<4xf32>
    %c = "test.use"(%a) : (memref<4xf32>) -> i1
    scf.condition(%c)
  } do {
    %b = memref.alloc() : memref<8xf32>
    "test.use"(%b) : (memref<8xf32>) -> ()
    scf.yield
  }
  return
}

// -----

// The one deallocation in the block goes after the loop that is left last.
// CHECK-LABEL: func.func @freed(
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: %[[B:.*]] = memref.alloc() : memref<8xf32>
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: "test.use"(%[[B]])
// CHECK-NEXT: }
// CHECK-NEXT: "test.use"(%[[A]])
// CHECK-NEXT: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: return
func.func @freed(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %a = memref.alloc() : memref<4xf32>
    scf.for %j = %l to %u step %s {
      %b = memref.alloc() : memref<8xf32>
      "test.use"(%b) : (memref<8xf32>) -> ()
      memref.dealloc %b : memref<8xf32>
    }
    "test.use"(%a) : (memref<4xf32>) -> ()
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// -----

// Views, branches that join and arguments of blocks after the allocation.
// CHECK-LABEL: func.func @aliases(
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: scf.for
func.func @aliases(%c: i1, %x: memref<2xf32, strided<[1]>>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %a = memref.alloc() : memref<4xf32>
    %v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
    %r = scf.if %c -> memref<2xf32, strided<[1]>> {
      scf.yield %v : memref<2xf32, strided<[1]>>
    } else {
      scf.yield %x : memref<2xf32, strided<[1]>>
    }
    "test.use"(%r) : (memref<2xf32, strided<[1]>>) -> ()
  }
  return
}

// -----

// A loop made of blocks that is left at its end.
// STRICT-LABEL: func.func @blocks(
// STRICT-NEXT: "test.before"
// STRICT-NEXT: memref.alloc()
// STRICT-NEXT: cf.br ^bb1
func.func @blocks(%c: i1) {
  "test.before"() : () -> ()
  cf.br ^bb1
^bb1:
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  "test.work"() : () -> ()
  cf.br ^bb4
^bb3:
  cf.br ^bb4
^bb4:
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1, ^bb5
^bb5:
  return
}

// -----

// One that is left at its start may not run at all.
// CHECK-LABEL: func.func @blocks_tested_first(
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: cf.br ^bb1
// STRICT-LABEL: func.func @blocks_tested_first(
// STRICT: ^bb2:
// STRICT-NEXT: memref.alloc()
func.func @blocks_tested_first(%c: i1) {
  cf.br ^bb1
^bb1:
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb1
^bb3:
  return
}

// -----

// Nested; to the block before the outer loop, over a loop that is over by then.
// CHECK-LABEL: func.func @nested_blocks(
// CHECK: scf.execute_region
// CHECK-NEXT: memref.alloc() : memref<4xf32>
// CHECK-NEXT: cf.br ^bb1
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @nested_blocks(%c: i1, %d: i1) {
  scf.execute_region {
    cf.br ^bb1
  ^bb1:
    "test.work"() : () -> ()
    cf.cond_br %c, ^bb1, ^bb2
  ^bb2:
    cf.br ^bb3
  ^bb3:
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    cf.cond_br %c, ^bb3, ^bb4
  ^bb4:
    cf.cond_br %d, ^bb2, ^bb5
  ^bb5:
    scf.yield
  }
  return
}

// -----

// The last buffer lives on after the loop.
// CHECK-LABEL: func.func @used_behind(
// CHECK-NEXT: memref.alloc()
// CHECK-NEXT: cf.br ^bb1
func.func @used_behind(%c: i1) {
  cf.br ^bb1
^bb1:
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1, ^bb2(%a : memref<4xf32>)
^bb2(%b: memref<4xf32>):
  "test.use"(%b) : (memref<4xf32>) -> ()
  return
}

// -----

// Nothing that is in no loop moves.
// CHECK-LABEL: func.func @straight(
// CHECK-NEXT: "test.before"
// CHECK-NEXT: memref.alloc()
func.func @straight() {
  "test.before"() : () -> ()
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}

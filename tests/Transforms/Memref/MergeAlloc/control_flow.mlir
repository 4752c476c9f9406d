// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s

// Only one of the branches runs: both may have the same bytes.
// CHECK-LABEL: func.func @exclusive_branches(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @exclusive_branches(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.if %p {
    "test.use"(%a) : (memref<64xf32>) -> ()
    "test.use"(%a) : (memref<64xf32>) -> ()
  } else {
    "test.use"(%b) : (memref<64xf32>) -> ()
    "test.use"(%b) : (memref<64xf32>) -> ()
  }
  return
}

// -----

// In a loop the other branch may follow: what it left behind matters.
// CHECK-LABEL: func.func @branches_in_a_loop(
// CHECK-NOT: memref.view
func.func @branches_in_a_loop(%p: i1, %lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.for %i = %lb to %ub step %step {
    %q = "test.condition"() : () -> i1
    scf.if %q {
      "test.use"(%a) : (memref<64xf32>) -> ()
    } else {
      "test.use"(%b) : (memref<64xf32>) -> ()
    }
  }
  return
}

// -----

// Both branches yield a buffer of their own: one place for the two.
// CHECK-LABEL: func.func @yielded_by_both_branches(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: scf.if
// CHECK: %[[A:.*]] = arith.constant [[#AT:]] : index
// CHECK: else
// CHECK: %[[B:.*]] = arith.constant [[#AT]] : index
func.func @yielded_by_both_branches(%p: i1) {
  %r = scf.if %p -> memref<64xf32> {
    %a = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    scf.yield %a : memref<64xf32>
  } else {
    %b = memref.alloc() : memref<64xf32>
    "test.use"(%b) : (memref<64xf32>) -> ()
    scf.yield %b : memref<64xf32>
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  "test.use"(%r) : (memref<64xf32>) -> ()
  return
}

// -----

// A while loop: what its condition reads is carried.
// CHECK-LABEL: func.func @while_loop(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @while_loop() {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.while : () -> () {
    %go = "test.read"(%a) : (memref<64xf32>) -> i1
    scf.condition(%go)
  } do {
    "test.use"(%b) : (memref<64xf32>) -> ()
    scf.yield
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @index_switch(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @index_switch(%i: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  %x = memref.alloc() : memref<64xf32>
  "test.use"(%x) : (memref<64xf32>) -> ()
  scf.index_switch %i
  case 0 {
    "test.use"(%a, %x) : (memref<64xf32>, memref<64xf32>) -> ()
    scf.yield
  }
  case 1 {
    "test.use"(%b, %x) : (memref<64xf32>, memref<64xf32>) -> ()
    scf.yield
  }
  default {
    "test.use"(%c, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// -----

// Branches of blocks exclude each other as well.
// CHECK-LABEL: func.func @diamond(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @diamond(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %x = memref.alloc() : memref<64xf32>
  "test.use"(%x) : (memref<64xf32>) -> ()
  cf.cond_br %p, ^left, ^right
^left:
  "test.use"(%a) : (memref<64xf32>) -> ()
  "test.use"(%a) : (memref<64xf32>) -> ()
  cf.br ^end
^right:
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%b) : (memref<64xf32>) -> ()
  cf.br ^end
^end:
  "test.use"(%x) : (memref<64xf32>) -> ()
  return
}

// -----

// The text has the blocks in another order than control: %a is alive in ^last,
// which stands before its use.
// CHECK-LABEL: func.func @out_of_order(
// CHECK-NOT: memref.view
func.func @out_of_order() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  cf.br ^first
^last:
  "test.use"(%a) : (memref<64xf32>) -> ()
  return
^first:
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  cf.br ^last
}

// -----

// Handed on by a branch to an argument of a block.
// CHECK-LABEL: func.func @block_argument(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @block_argument() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  cf.br ^next(%a : memref<64xf32>)
^next(%x: memref<64xf32>):
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%x) : (memref<64xf32>) -> ()
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// Made in one round of a loop of branches and used in the next, when the alloc
// has run again: it stays.
// CHECK-LABEL: func.func @outlives_its_alloc(
// CHECK: ^bb1(%[[BEFORE:.*]]: memref<64xf32>):
// CHECK-NEXT: %[[A:.*]] = memref.alloc() : memref<64xf32>
// CHECK: cf.cond_br %{{.*}}, ^bb1(%[[A]] :
func.func @outlives_its_alloc(%first: memref<64xf32>, %p: i1) {
  cf.br ^loop(%first : memref<64xf32>)
^loop(%before: memref<64xf32>):
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  "test.use"(%before) : (memref<64xf32>) -> ()
  cf.cond_br %p, ^loop(%a : memref<64xf32>), ^end
^end:
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  return
}

// -----

// From the first access of the loop on, not from the start of the loop; the
// last one in the loop body does not meet the first: 3 buffers in 2 places.
// CHECK-LABEL: func.func @local_in_nested_loops(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @local_in_nested_loops(%lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    %c = memref.alloc() : memref<64xf32>
    "test.use"(%a) : (memref<64xf32>) -> ()
    scf.for %j = %lb to %ub step %step {
      "test.use"(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
    }
    "test.use"(%b) : (memref<64xf32>) -> ()
    "test.use"(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  return
}

// -----

// An op of unknown control flow: all that is touched inside conflicts.
// CHECK-LABEL: func.func @unknown_regions(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @unknown_regions() {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.region"() ({
    "test.use"(%a) : (memref<64xf32>) -> ()
    "test.end"() : () -> ()
  }, {
    "test.use"(%b) : (memref<64xf32>) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s -o %t.1
// RUN: tpuc-opt --memref-deallocate %t.1 -o %t.2
// RUN: cmp %t.1 %t.2
// RUN: tpuc-opt --memref-verify-deallocation='strict leaks=error' %t.1 -o /dev/null

// In place or in a copy: a condition says which. It says nothing of who owns the
// buffer, though it looks like the flag that the pass makes. ExamplesTest runs
// these functions, too.

// CHECK-LABEL: func.func @argument(
// CHECK-SAME: %[[FLAG:.*]]: i1, %[[X:.*]]: memref<4xf32>, %
// CHECK: %[[R:.*]]:2 = scf.if %[[FLAG]] -> (memref<4xf32>, i1) {
// CHECK-NEXT: scf.yield %[[X]], %false
// CHECK: scf.yield %{{.*}}, %true
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @argument(%flag: i1, %x: memref<4xf32>, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %r = scf.if %flag -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %x, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  memref.store %y, %r[%c0] : memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// Nothing on the stack is freed.
// CHECK-LABEL: func.func @stack(
// CHECK: memref.alloca()
// CHECK: %[[R:.*]]:2 = scf.if
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
// CHECK-NOT: memref.dealloc
func.func @stack(%flag: i1, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = memref.alloca() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%x : memref<4xf32>)
  %r = scf.if %flag -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %x, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  memref.store %y, %r[%c0] : memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// Flag and buffer come from one block, and the buffer goes on living.
// CHECK-LABEL: func.func @block_argument(
// CHECK: ^bb3(%[[X:[^:]*]]: memref<4xf32>, %[[F:[^:]*]]: i1
// CHECK: %[[R:.*]]:2 = scf.if %[[F]] -> (memref<4xf32>, i1) {
// CHECK-NEXT: scf.yield %[[X]], %false
func.func @block_argument(%c: i1, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %true = arith.constant true
  %false = arith.constant false
  cf.cond_br %c, ^l, ^r
^l:
  cf.br ^j(%a, %true : memref<4xf32>, i1)
^r:
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  cf.br ^j(%b, %false : memref<4xf32>, i1)
^j(%x: memref<4xf32>, %flag: i1):
  %r = scf.if %flag -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %x, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  memref.store %y, %r[%c0] : memref<4xf32>
  memref.store %y, %a[%c0] : memref<4xf32>
  memref.store %y, %x[%c0] : memref<4xf32>
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// An inner and an outer buffer come out of a region under one name.
// CHECK-LABEL: func.func @region_select(
// CHECK: %[[R:.*]]:2 = scf.execute_region -> (memref<4xf32>, i1) {
// CHECK-NOT: arith.select
// CHECK: scf.if
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @region_select(%c: i1, %y: f32, %out: memref<4xf32>) {
  %o = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%o : memref<4xf32>)
  %r = scf.execute_region -> memref<4xf32> {
    %i = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%i : memref<4xf32>)
    %s = arith.select %c, %o, %i : memref<4xf32>
    scf.yield %s : memref<4xf32>
  }
  %z = arith.addf %y, %y : f32
  linalg.fill ins(%z : f32) outs(%r : memref<4xf32>)
  memref.copy %o, %out : memref<4xf32> to memref<4xf32>
  return
}

// The same with blocks.
// CHECK-LABEL: func.func @region_blocks(
// CHECK: %[[R:.*]]:2 = scf.execute_region -> (memref<4xf32>, i1) {
// CHECK: scf.if %[[R]]#1 {
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @region_blocks(%c: i1, %y: f32, %out: memref<4xf32>) {
  %o = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%o : memref<4xf32>)
  %r = scf.execute_region -> memref<4xf32> {
    %i = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%i : memref<4xf32>)
    cf.cond_br %c, ^a(%o : memref<4xf32>), ^a(%i : memref<4xf32>)
  ^a(%m: memref<4xf32>):
    scf.yield %m : memref<4xf32>
  }
  %z = arith.addf %y, %y : f32
  linalg.fill ins(%z : f32) outs(%r : memref<4xf32>)
  memref.copy %o, %out : memref<4xf32> to memref<4xf32>
  return
}

// The program frees what comes out of a branch; the pass sees to the other path.
// CHECK-LABEL: func.func @freed_at_times(
// CHECK: cf.cond_br
// CHECK: memref.dealloc
// CHECK: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @freed_at_times(%c: i1, %d: i1, %y: f32, %out: memref<4xf32>) {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  linalg.fill ins(%y : f32) outs(%r : memref<4xf32>)
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  cf.cond_br %d, ^free, ^end
^free:
  memref.dealloc %r : memref<4xf32>
  cf.br ^end
^end:
  return
}

// Two of what is lent are returned: a copy of each, and none of a copy.
// CHECK-LABEL: func.func @two_returned(
// CHECK: linalg.fill
// CHECK: linalg.fill
// CHECK-COUNT-2: memref.copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @two_returned(%c: i1, %d: i1, %y: f32) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %x = scf.if %c -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    %m = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%m : memref<4xf32>)
    scf.yield %m : memref<4xf32>
  }
  %r:2 = scf.if %d -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %a, %x : memref<4xf32>, memref<4xf32>
  } else {
    %m = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%m : memref<4xf32>)
    scf.yield %x, %m : memref<4xf32>, memref<4xf32>
  }
  %z = arith.addf %y, %y : f32
  linalg.fill ins(%z : f32) outs(%x : memref<4xf32>)
  return %r#0, %r#1 : memref<4xf32>, memref<4xf32>
}

// One buffer under two names: what is written through the one is read through
// the other, so there are no copies.
// CHECK-LABEL: func.func @two_names(
// CHECK: scf.if
// CHECK: scf.if
// CHECK-NEXT: scf.yield %[[Z:.*]], %[[Z]], %{{.*}}, %{{.*}} : memref<4xf32>, memref<4xf32>, i1, i1
// CHECK: memref.copy
// CHECK-NOT: memref.copy
func.func @two_names(%c: i1, %d: i1, %y: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  %z = scf.if %c -> memref<4xf32> {
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %b : memref<4xf32>
  }
  %r:2 = scf.if %d -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %z, %z : memref<4xf32>, memref<4xf32>
  } else {
    %p = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%p : memref<4xf32>)
    %q = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%q : memref<4xf32>)
    scf.yield %p, %q : memref<4xf32>, memref<4xf32>
  }
  %s = arith.addf %y, %y : f32
  linalg.fill ins(%s : f32) outs(%r#0 : memref<4xf32>)
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return
}

// It goes round a loop under two names, and may be replaced: the first name
// takes the duty of its predecessor along, the second one borrows.
// CHECK-LABEL: func.func @two_names_go_round(
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[M:.*]], %{{.*}} = %[[M]])
// CHECK: %[[S:.*]]:2 = scf.if
// CHECK: scf.if %[[S]]#1 {
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK: scf.yield %[[S]]#0, %[[S]]#0 : memref<4xf32>, memref<4xf32>
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @two_names_go_round(%c: i1, %n: index, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%m : memref<4xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %m, %b = %m) -> (memref<4xf32>, memref<4xf32>) {
    %x = memref.load %b[%c0] : memref<4xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %a[%c0] : memref<4xf32>
    %k = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%k : memref<4xf32>)
    %s = arith.select %c, %k, %b : memref<4xf32>
    memref.store %z, %s[%c1] : memref<4xf32>
    scf.yield %s, %s : memref<4xf32>, memref<4xf32>
  }
  memref.store %y, %r#0[%c0] : memref<4xf32>
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return
}

// The same with blocks, and the other one through a view.
// CHECK-LABEL: func.func @two_names_in_blocks(
// CHECK: ^[[HEAD:.*]](%{{.*}}: index, %[[A:.*]]: memref<4xf32>, %{{.*}}: memref<4xf32>):
// CHECK: %[[S:.*]]:2 = scf.if
// CHECK: scf.if %[[S]]#1 {
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK: cf.br ^[[HEAD]]
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @two_names_in_blocks(%c: i1, %n: index, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%m : memref<4xf32>)
  cf.br ^head(%c0, %m, %m : index, memref<4xf32>, memref<4xf32>)
^head(%i: index, %a: memref<4xf32>, %b: memref<4xf32>):
  %e = arith.cmpi slt, %i, %n : index
  cf.cond_br %e, ^body, ^end
^body:
  %x = memref.load %b[%c0] : memref<4xf32>
  %z = arith.addf %x, %y : f32
  memref.store %z, %a[%c0] : memref<4xf32>
  %k = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%k : memref<4xf32>)
  %s = arith.select %c, %k, %b : memref<4xf32>
  %w = memref.cast %s : memref<4xf32> to memref<?xf32>
  %v = memref.cast %w : memref<?xf32> to memref<4xf32>
  memref.store %z, %s[%c1] : memref<4xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %s, %v : index, memref<4xf32>, memref<4xf32>)
^end:
  memref.store %y, %a[%c0] : memref<4xf32>
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}

// The same in an scf.while; two conditions choose the same buffer twice.
// CHECK-LABEL: func.func @two_names_by_two_ifs(
// CHECK: ^{{.*}}(%{{.*}}: index, %{{.*}}: memref<4xf32>, %[[B:.*]]: memref<4xf32>):
// CHECK: %[[S:.*]]:2 = scf.if
// CHECK: scf.if %[[S]]#1 {
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc
func.func @two_names_by_two_ifs(%c: i1, %d: i1, %n: index, %y: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%m : memref<4xf32>)
  %r:3 = scf.while (%i = %c0, %a = %m, %b = %m) : (index, memref<4xf32>, memref<4xf32>) -> (index, memref<4xf32>, memref<4xf32>) {
    %e = arith.cmpi slt, %i, %n : index
    memref.store %y, %a[%c0] : memref<4xf32>
    scf.condition(%e) %i, %b, %a : index, memref<4xf32>, memref<4xf32>
  } do {
  ^bb0(%i: index, %a: memref<4xf32>, %b: memref<4xf32>):
    %x = memref.load %b[%c0] : memref<4xf32>
    %z = arith.addf %x, %y : f32
    %k = memref.alloc() : memref<4xf32>
    linalg.fill ins(%z : f32) outs(%k : memref<4xf32>)
    %s = scf.if %c -> memref<4xf32> {
      scf.yield %k : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    %t = scf.if %d -> memref<4xf32> {
      scf.yield %s : memref<4xf32>
    } else {
      scf.yield %s : memref<4xf32>
    }
    memref.store %z, %s[%c1] : memref<4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %s, %t : index, memref<4xf32>, memref<4xf32>
  }
  memref.store %y, %r#1[%c0] : memref<4xf32>
  memref.copy %r#2, %out : memref<4xf32> to memref<4xf32>
  return
}

// The results of an scf.if are one buffer through a view on one side.
// CHECK-LABEL: func.func @two_names_by_a_view(
// CHECK: memref.copy
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.dealloc
func.func @two_names_by_a_view(%c: i1, %d: i1, %y: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  %z = arith.select %c, %a, %b : memref<4xf32>
  %r:2 = scf.if %d -> (memref<4xf32>, memref<4xf32>) {
    %w = memref.cast %z : memref<4xf32> to memref<?xf32>
    %v = memref.cast %w : memref<?xf32> to memref<4xf32>
    scf.yield %v, %z : memref<4xf32>, memref<4xf32>
  } else {
    scf.yield %a, %b : memref<4xf32>, memref<4xf32>
  }
  %s = arith.addf %y, %y : f32
  linalg.fill ins(%s : f32) outs(%r#0 : memref<4xf32>)
  memref.copy %r#1, %out : memref<4xf32> to memref<4xf32>
  return
}

// A function that frees its argument by the text, but for a flag beside the
// name, takes nothing over.
func.func private @spares(%x: memref<4xf32>, %c: i1, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %false = arith.constant false
  %r, %own = scf.if %c -> (memref<4xf32>, i1) {
    %n = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%n : memref<4xf32>)
    scf.yield %n, %true : memref<4xf32>, i1
  } else {
    scf.yield %x, %false : memref<4xf32>, i1
  }
  memref.store %y, %r[%c0] : memref<4xf32>
  %v = memref.load %r[%c0] : memref<4xf32>
  scf.if %own {
    memref.dealloc %r : memref<4xf32>
  }
  return %v : f32
}
// By way of another function.
func.func private @spares_too(%x: memref<4xf32>, %c: i1, %y: f32) -> f32 {
  %v = call @spares(%x, %c, %y) : (memref<4xf32>, i1, f32) -> f32
  return %v : f32
}
// CHECK-LABEL: func.func @gives_to_who_spares(
// CHECK: %[[A:.*]] = memref.alloc
// CHECK: call @spares_too(%[[A]]
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @gives_to_who_spares(%c: i1, %y: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %v = call @spares_too(%a, %c, %y) : (memref<4xf32>, i1, f32) -> f32
  return %v : f32
}

// RUN: tpuc-opt --memref-deallocate --split-input-file %s -o %t.1 2>&1 | FileCheck %s
// RUN: tpuc-opt --memref-deallocate --split-input-file %t.1 -o %t.2 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: cmp %t.1 %t.2

// What a call returns may be new. The frees of this pass, under flags that say
// that it is something else, are no frees of it: neither when the function is
// looked at again, because something else is left, nor in a second run.

func.func private @elsewhere() -> memref<2xi32>
func.func @lent(%p: memref<?xmemref<2xi32>>, %c: i1, %i: index) -> i32 {
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: the function that is called is declared only
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: the function that is called is declared only
  %e = func.call @elsewhere() : () -> memref<2xi32>
  %k = memref.alloc() : memref<2xi32>
  memref.store %k, %p[%i] : memref<?xmemref<2xi32>>
  %r = scf.if %c -> memref<2xi32> {
    %a = memref.alloc() : memref<2xi32>
    scf.yield %a : memref<2xi32>
  } else {
    scf.yield %e : memref<2xi32>
  }
  %x = memref.load %r[%i] : memref<2xi32>
  memref.store %x, %r[%i] : memref<2xi32>
  return %x : i32
}

// -----

func.func private @takes(%m: memref<2xi32>, %c: i1) {
  scf.if %c {
    memref.dealloc %m : memref<2xi32>
  }
  return
}
func.func private @may_be_new(%x: memref<2xi32>, %c: i1, %n: index) -> memref<2xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.if %c -> memref<2xi32> {
    %a = memref.alloc() : memref<2xi32>
    scf.yield %a : memref<2xi32>
  } else {
    scf.yield %x : memref<2xi32>
  }
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%b = %r) -> memref<2xi32> {
    %k = memref.alloc() : memref<2xi32>
    scf.yield %k : memref<2xi32>
  }
  return %r : memref<2xi32>
}
func.func @replaces_it(%x: memref<2xi32>, %c: i1, %n: index, %y: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r = func.call @may_be_new(%x, %c, %n) : (memref<2xi32>, i1, index) -> memref<2xi32>
  memref.store %y, %x[%c0] : memref<2xi32>
  %t = memref.alloc() : memref<2xi32>
  func.call @takes(%t, %c) : (memref<2xi32>, i1) -> ()
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%b = %r) -> memref<2xi32> {
    %k = memref.alloc() : memref<2xi32>
    scf.yield %k : memref<2xi32>
  }
  return
}

// -----

// Handed on, but on one path only.
func.func private @elsewhere() -> memref<2xi32>
func.func @returned_on_one_path(%c: i1) -> memref<2xi32> {
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: the function that is called is declared only
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: the function that is called is declared only
  %e = call @elsewhere() : () -> memref<2xi32>
  cf.cond_br %c, ^a, ^b
^a:
  %a = memref.alloc() : memref<2xi32>
  return %a : memref<2xi32>
^b:
  return %e : memref<2xi32>
}

// -----

// Freed by the program, or returned: there is nothing to say.
// CHECK-NOT: remark: what is returned here
// AGAIN-NOT: remark: what is returned here
func.func private @elsewhere() -> memref<2xi32>
func.func @freed_or_returned(%c: i1, %x: memref<2xi32>) -> memref<2xi32> {
  %e = call @elsewhere() : () -> memref<2xi32>
  cf.cond_br %c, ^a, ^b
^a:
  memref.dealloc %e : memref<2xi32>
  return %x : memref<2xi32>
^b:
  return %e : memref<2xi32>
}

// -----

// Handed on by functions in sight: it is their callers', and lost there.
func.func private @elsewhere() -> memref<2xi32>
func.func private @wrap() -> memref<2xi32> {
  // CHECK-NOT: [[@LINE+1]]:{{[0-9]+}}: remark
  %e = func.call @elsewhere() : () -> memref<2xi32>
  return %e : memref<2xi32>
}
func.func private @wrap_with(%x: memref<2xi32>) -> (memref<2xi32>, memref<2xi32>) {
  %w = func.call @wrap() : () -> memref<2xi32>
  return %x, %w : memref<2xi32>, memref<2xi32>
}
func.func @drops_handed_on() {
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r = func.call @wrap() : () -> memref<2xi32>
  return
}
func.func @drops_the_second(%x: memref<2xi32>) {
  // CHECK: [[@LINE+2]]:10: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r:2 = func.call @wrap_with(%x) : (memref<2xi32>) -> (memref<2xi32>, memref<2xi32>)
  return
}

// -----

// It meets an allocation or an argument on its way.
func.func private @elsewhere() -> memref<2xi32>
func.func private @or_alloc(%c: i1) -> memref<2xi32> {
  %r = scf.if %c -> memref<2xi32> {
    %e = func.call @elsewhere() : () -> memref<2xi32>
    scf.yield %e : memref<2xi32>
  } else {
    // CHECK: [[@LINE+2]]:10: remark: is not freed by memref-deallocate
    // AGAIN: remark: is not freed by memref-deallocate
    %a = memref.alloc() : memref<2xi32>
    scf.yield %a : memref<2xi32>
  }
  return %r : memref<2xi32>
}
func.func private @or_argument(%x: memref<2xi32>, %c: i1) -> memref<2xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %e = func.call @elsewhere() : () -> memref<2xi32>
  return %e : memref<2xi32>
^b:
  return %x : memref<2xi32>
}
func.func @drops_either(%x: memref<2xi32>, %c: i1) {
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r = func.call @or_alloc(%c) : (i1) -> memref<2xi32>
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %s = func.call @or_argument(%x, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  return
}

// -----

// By whatever function was called.
func.func private @elsewhere() -> memref<2xi32>
func.func private @wrap_value(%f: () -> memref<2xi32>) -> memref<2xi32> {
  %e = func.call_indirect %f() : () -> memref<2xi32>
  return %e : memref<2xi32>
}
func.func @drops_by_value() {
  %f = func.constant @elsewhere : () -> memref<2xi32>
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r = func.call @wrap_value(%f) : (() -> memref<2xi32>) -> memref<2xi32>
  return
}

// -----

// Freed by the caller, or handed on by it: there is nothing to say.
// CHECK-NOT: remark: what is returned here
// AGAIN-NOT: remark: what is returned here
func.func private @elsewhere() -> memref<2xi32>
func.func private @wrap() -> memref<2xi32> {
  %e = func.call @elsewhere() : () -> memref<2xi32>
  return %e : memref<2xi32>
}
func.func @wrapped_freed_or_returned(%c: i1, %x: memref<2xi32>) -> memref<2xi32> {
  %e = call @wrap() : () -> memref<2xi32>
  cf.cond_br %c, ^a, ^b
^a:
  memref.dealloc %e : memref<2xi32>
  return %x : memref<2xi32>
^b:
  return %e : memref<2xi32>
}

// -----

// Through functions that call each other.
func.func private @elsewhere() -> memref<2xi32>
func.func private @round(%c: i1) -> memref<2xi32> {
  %r = scf.if %c -> memref<2xi32> {
    %a = func.call @and_round(%c) : (i1) -> memref<2xi32>
    scf.yield %a : memref<2xi32>
  } else {
    %e = func.call @elsewhere() : () -> memref<2xi32>
    scf.yield %e : memref<2xi32>
  }
  return %r : memref<2xi32>
}
func.func private @and_round(%c: i1) -> memref<2xi32> {
  %r = func.call @round(%c) : (i1) -> memref<2xi32>
  return %r : memref<2xi32>
}
func.func @drops_both(%c: i1) {
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %r = func.call @round(%c) : (i1) -> memref<2xi32>
  // CHECK: [[@LINE+2]]:8: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  // AGAIN: remark: what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else
  %s = func.call @and_round(%c) : (i1) -> memref<2xi32>
  return
}

// -----

// Nothing that is new goes round.
// CHECK-NOT: remark: what is returned here
// AGAIN-NOT: remark: what is returned here
func.func private @round(%x: memref<2xi32>, %c: i1) -> memref<2xi32> {
  %r = scf.if %c -> memref<2xi32> {
    %a = func.call @and_round(%x, %c) : (memref<2xi32>, i1) -> memref<2xi32>
    scf.yield %a : memref<2xi32>
  } else {
    scf.yield %x : memref<2xi32>
  }
  return %r : memref<2xi32>
}
func.func private @and_round(%x: memref<2xi32>, %c: i1) -> memref<2xi32> {
  %r = func.call @round(%x, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  return %r : memref<2xi32>
}
func.func @drops_an_argument(%x: memref<2xi32>, %c: i1) {
  %r = func.call @and_round(%x, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  return
}

// RUN: tpuc-opt --memref-verify-deallocation=leaks=ignore --split-input-file --verify-diagnostics %s -o /dev/null

// What a call returns may be its argument, or something else.
func.func private @pick(%x: memref<2xi32>, %c: i1) -> memref<2xi32> {
  %r = scf.if %c -> memref<2xi32> {
    scf.yield %x : memref<2xi32>
  } else {
    %n = memref.alloc() : memref<2xi32>
    scf.yield %n : memref<2xi32>
  }
  return %r : memref<2xi32>
}
func.func @both_freed(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  %r = func.call @pick(%m, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %r : memref<2xi32>
  // expected-remark @+1 {{a buffer may be freed that is free already}}
  memref.dealloc %m : memref<2xi32>
  return
}
func.func @used_under_the_other_name(%c: i1, %i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  %r = func.call @pick(%m, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %m : memref<2xi32>
  // expected-remark @+1 {{'memref.load' may use a buffer that was freed}}
  %x = memref.load %r[%i] : memref<2xi32>
  return %x : i32
}
func.func @used_before(%c: i1, %i: index) -> i32 {
  %m = memref.alloc() : memref<2xi32>
  %r = func.call @pick(%m, %c) : (memref<2xi32>, i1) -> memref<2xi32>
  %x = memref.load %r[%i] : memref<2xi32>
  memref.dealloc %m : memref<2xi32>
  return %x : i32
}

// -----

// One of two arguments, by both results: each of them, or both.
func.func private @two(%x: memref<2xi32>, %y: memref<2xi32>, %c: index) -> (memref<2xi32>, memref<2xi32>) {
  %r:2 = scf.index_switch %c -> memref<2xi32>, memref<2xi32>
  case 0 {
    scf.yield %x, %y : memref<2xi32>, memref<2xi32>
  }
  case 1 {
    scf.yield %x, %x : memref<2xi32>, memref<2xi32>
  }
  default {
    scf.yield %y, %x : memref<2xi32>, memref<2xi32>
  }
  return %r#0, %r#1 : memref<2xi32>, memref<2xi32>
}
// expected-note @+1 {{it is this one}}
func.func @frees_results(%y: memref<2xi32>, %c: index) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  %r:2 = func.call @two(%m, %y, %c) : (memref<2xi32>, memref<2xi32>, index) -> (memref<2xi32>, memref<2xi32>)
  // expected-remark @+2 {{freed, which the caller frees, too}}
  // expected-note @+1 {{freed here}}
  memref.dealloc %r#0 : memref<2xi32>
  // expected-remark @+2 {{freed, which the caller frees, too}}
  // expected-remark @+1 {{a buffer may be freed that is free already}}
  memref.dealloc %r#1 : memref<2xi32>
  return
}

// -----

// A flag beside the result says what it is.
func.func private @pick(%x: memref<2xi32>, %c: i1) -> (memref<2xi32>, i1) {
  %true = arith.constant true
  %false = arith.constant false
  %r, %own = scf.if %c -> (memref<2xi32>, i1) {
    scf.yield %x, %false : memref<2xi32>, i1
  } else {
    %n = memref.alloc() : memref<2xi32>
    scf.yield %n, %true : memref<2xi32>, i1
  }
  return %r, %own : memref<2xi32>, i1
}
func.func @freed_by_flag(%c: i1) {
  %m = memref.alloc() : memref<2xi32>
  %r:2 = func.call @pick(%m, %c) : (memref<2xi32>, i1) -> (memref<2xi32>, i1)
  scf.if %r#1 {
    memref.dealloc %r#0 : memref<2xi32>
  }
  memref.dealloc %m : memref<2xi32>
  return
}

// -----

// A block that was put on an edge to free something else shows no more than the
// branch before it...
func.func @on_edge(%c: i1, %d: i1, %i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  cf.cond_br %c, ^a, ^use
^a:
  // expected-note @+1 {{freed here}}
  memref.dealloc %m : memref<2xi32>
  %b = memref.alloc() : memref<2xi32>
  cf.cond_br %d, ^ret, ^edge
^ret:
  %y = memref.load %b[%i] : memref<2xi32>
  memref.dealloc %b : memref<2xi32>
  return %y : i32
^edge:
  memref.dealloc %b : memref<2xi32>
  cf.br ^use {tpu_memory.on_edge}
^use:
  // expected-remark @+1 {{'memref.load' may use a buffer that was freed}}
  %x = memref.load %m[%i] : memref<2xi32>
  memref.dealloc %m : memref<2xi32>
  return %x : i32
}

// ... unless what is freed there is the buffer itself.
func.func @freed_on_edge(%c: i1, %i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  cf.cond_br %c, ^edge, ^use
^edge:
  // expected-note @+1 {{freed here}}
  memref.dealloc %m : memref<2xi32>
  cf.br ^use {tpu_memory.on_edge}
^use:
  // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
  %x = memref.load %m[%i] : memref<2xi32>
  return %x : i32
}

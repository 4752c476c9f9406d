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

// -----

// One buffer as two arguments, of which one is freed.
func.func private @frees_first(%x: memref<2xi32>, %y: memref<2xi32>) -> memref<2xi32> {
  memref.dealloc %x : memref<2xi32>
  return %y : memref<2xi32>
}
func.func @given_back_free(%i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  // expected-error @+2 {{'func.call' uses a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  %r = func.call @frees_first(%m, %m) : (memref<2xi32>, memref<2xi32>) -> memref<2xi32>
  %x = memref.load %r[%i] : memref<2xi32>
  return %x : i32
}
func.func private @frees_both(%x: memref<2xi32>, %y: memref<2xi32>) {
  memref.dealloc %x : memref<2xi32>
  memref.dealloc %y : memref<2xi32>
  return
}
func.func @freed_twice_in_call() {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  %v = memref.cast %m : memref<2xi32> to memref<2xi32>
  // expected-error @+2 {{'func.call' uses a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  func.call @frees_both(%m, %v) : (memref<2xi32>, memref<2xi32>) -> ()
  return
}
// expected-note @+1 {{it is this one}}
func.func private @hands_on(%x: memref<2xi32>) {
  // expected-error @+2 {{'func.call' uses a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  func.call @frees_both(%x, %x) : (memref<2xi32>, memref<2xi32>) -> ()
  return
}
func.func private @frees_first_at_times(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1) {
  scf.if %c {
    memref.dealloc %x : memref<2xi32>
  }
  memref.dealloc %y : memref<2xi32>
  return
}
func.func @freed_twice_at_times(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  // expected-remark @+2 {{'func.call' may use a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  func.call @frees_first_at_times(%m, %m, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
}
func.func private @reads_second(%x: memref<2xi32>, %y: memref<2xi32>, %i: index) -> i32 {
  memref.dealloc %x : memref<2xi32>
  %r = memref.load %y[%i] : memref<2xi32>
  return %r : i32
}
func.func @read_in_call(%i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  // expected-error @+2 {{'func.call' uses a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  %r = func.call @reads_second(%m, %m, %i) : (memref<2xi32>, memref<2xi32>, index) -> i32
  return %r : i32
}

// -----

// One of two arguments is freed, and nothing is used then: nothing is wrong
// with them being one buffer.
func.func private @frees_one(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1) {
  scf.if %c {
    memref.dealloc %x : memref<2xi32>
  } else {
    memref.dealloc %y : memref<2xi32>
  }
  return
}
func.func private @through_another(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1) {
  func.call @frees_one(%y, %x, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
}
func.func @freed_once(%c: i1) {
  %m = memref.alloc() : memref<2xi32>
  func.call @through_another(%m, %m, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
}
func.func @used_behind(%c: i1, %i: index) -> i32 {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  // expected-note @+1 {{freed here}}
  func.call @frees_one(%m, %m, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
  %x = memref.load %m[%i] : memref<2xi32>
  return %x : i32
}

// -----

// What calls itself may free one and use the other.
func.func private @frees_in_the_end(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1) {
  cf.cond_br %c, ^again, ^end
^again:
  func.call @frees_in_the_end(%x, %y, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
^end:
  memref.dealloc %x : memref<2xi32>
  return
}
func.func @calls_circle(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<2xi32>
  // expected-remark @+2 {{'func.call' may use a buffer that was freed}}
  // expected-note @+1 {{freed here}}
  func.call @frees_in_the_end(%m, %m, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
}
func.func private @frees_in_the_end_alone(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1) {
  cf.cond_br %c, ^again, ^end
^again:
  func.call @frees_in_the_end_alone(%x, %x, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
^end:
  memref.dealloc %x : memref<2xi32>
  return
}
func.func @other_is_unused(%c: i1) {
  %m = memref.alloc() : memref<2xi32>
  func.call @frees_in_the_end_alone(%m, %m, %c) : (memref<2xi32>, memref<2xi32>, i1) -> ()
  return
}

// -----

// What is read before it is freed, or on paths that free nothing.
func.func private @reads_and_frees(%x: memref<2xi32>, %y: memref<2xi32>, %c: i1, %i: index) -> i32 {
  %r = memref.load %y[%i] : memref<2xi32>
  scf.if %c {
    memref.dealloc %x : memref<2xi32>
  } else {
    %s = memref.load %y[%i] : memref<2xi32>
    memref.dealloc %x : memref<2xi32>
  }
  return %r : i32
}
func.func @read_before(%c: i1, %i: index) -> i32 {
  %m = memref.alloc() : memref<2xi32>
  %r = func.call @reads_and_frees(%m, %m, %c, %i) : (memref<2xi32>, memref<2xi32>, i1, index) -> i32
  return %r : i32
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --memref-hoist=remarks %s -o %t
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file %s -o %t.before
// RUN: diff %t %t.before

// Every reason for which an allocation stays in its loop. Nothing moves.

func.func @yielded(%l: index, %u: index, %s: index, %x: memref<4xf32>) -> memref<4xf32> {
  %r = scf.for %i = %l to %u step %s iter_args(%b = %x) -> memref<4xf32> {
    // expected-remark @+1 {{allocation stays in a loop: a loop hands it on, at 'scf.for'}}
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    scf.yield %a : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// -----

func.func @view_yielded(%l: index, %u: index, %s: index, %x: memref<2xf32, strided<[1]>>) {
  %r = scf.for %i = %l to %u step %s iter_args(%b = %x) -> memref<2xf32, strided<[1]>> {
    // expected-remark @+1 {{a loop hands it on, at 'scf.for'}}
    %a = memref.alloc() : memref<4xf32>
    %v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
    scf.yield %v : memref<2xf32, strided<[1]>>
  }
  return
}

// -----

func.func @carried_by_blocks(%c: i1, %x: memref<4xf32>) {
  cf.br ^bb1(%x : memref<4xf32>)
^bb1(%b: memref<4xf32>):
  // expected-remark @+1 {{it may still be in use when its allocation runs again}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1(%a : memref<4xf32>), ^bb2
^bb2:
  return
}

// -----

func.func @stored(%m: memref<?xmemref<4xf32>>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    // expected-remark @+1 {{'memref.store' may store it where others find it}}
    %a = memref.alloc() : memref<4xf32>
    memref.store %a, %m[%i] : memref<?xmemref<4xf32>>
  }
  return
}

// -----

func.func @unknown(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    // expected-remark @+1 {{it may live on in a result of 'test.keep'}}
    %a = memref.alloc() : memref<4xf32>
    %p = "test.keep"(%a) : (memref<4xf32>) -> index
  }
  return
}

// -----

func.func @not_in_each(%c: i1, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    scf.if %c {
      // expected-remark @+1 {{not every iteration allocates it}}
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

func.func @not_in_each_of_blocks(%c: i1, %d: i1) {
  cf.br ^bb1
^bb1:
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  // expected-remark @+1 {{not every iteration allocates it}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb3
^bb3:
  cf.cond_br %d, ^bb1, ^bb4
^bb4:
  return
}

// -----

func.func @size(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %n = arith.addi %i, %s : index
    // expected-remark @+1 {{its size is computed in the loop}}
    %a = memref.alloc(%n) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// A division by zero must not happen before its time.
func.func @size_of_a_division(%n: index, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    "test.may_end_the_program"() : () -> ()
    %m = arith.divsi %u, %n : index
    // expected-remark @+1 {{its size is computed in the loop}}
    %a = memref.alloc(%m) : memref<?xf32>
    "test.use"(%a) : (memref<?xf32>) -> ()
  }
  return
}

// -----

func.func @freed_on_two_paths(%c: i1, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    // expected-remark @+1 {{it is not freed at one place in its block}}
    %a = memref.alloc() : memref<4xf32>
    scf.if %c {
      memref.dealloc %a : memref<4xf32>
    } else {
      "test.use"(%a) : (memref<4xf32>) -> ()
      memref.dealloc %a : memref<4xf32>
    }
  }
  return
}

// -----

func.func @freed_as_a_view(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    // expected-remark @+1 {{it is not freed at one place in its block}}
    %a = memref.alloc() : memref<4xf32>
    %v = memref.cast %a : memref<4xf32> to memref<?xf32>
    memref.dealloc %v : memref<?xf32>
  }
  return
}

// -----

func.func @freed_in_blocks(%c: i1) {
  cf.br ^bb1
^bb1:
  // expected-remark @+1 {{it is freed in a loop made of blocks}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  return
}

// -----

func.func @two_entries(%c: i1, %d: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // expected-remark @+1 {{its loop can be entered at several blocks}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb2
^bb2:
  cf.cond_br %d, ^bb1, ^bb3
^bb3:
  return
}

// -----

// The branch before the loop may lead elsewhere.
func.func @guarded(%c: i1, %d: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // expected-remark @+1 {{no block always runs once before its loop}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %d, ^bb1, ^bb2
^bb2:
  return
}

// -----

// Threads need one each; so do the iterations of a loop around them.
func.func @threads(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    scf.forall (%t) in (8) {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
    scf.parallel (%t) = (%l) to (%u) step (%s) {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

// Whoever made the scope wanted it to be small.
func.func @scope(%l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    memref.alloca_scope {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

func.func @unknown_regions(%l: index, %u: index, %s: index) {
  "test.regions"() ({
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

// No memory of the heap, or an allocation with contents.
func.func @others(%x: memref<4xf32>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %a = memref.alloca() : memref<4xf32>
    %b = bufferization.clone %x : memref<4xf32> to memref<4xf32>
    "test.use"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  }
  return
}

// -----

// Its last use is in a block that is never reached, its size comes round.
func.func @unreachable(%x: memref<4xf32>) {
  cf.br ^bb1
^bb1:
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb3
^bb2:
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  %n = arith.addi %m, %m : index
  %m = arith.addi %n, %n : index
  %b = memref.alloc(%m) : memref<?xf32>
  cf.br ^bb3
^bb3:
  return
}

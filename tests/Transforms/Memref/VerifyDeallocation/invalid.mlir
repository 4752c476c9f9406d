// RUN: tpuc-opt --memref-verify-deallocation='leaks=error' --split-input-file --verify-diagnostics %s

func.func @used(%x: f32) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}

// -----

// Through a view, in a branch, after a branch.
func.func @used_view(%c: i1, %d: i1, %x: f32) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  %v = memref.cast %a : memref<4xf32> to memref<?xf32>
  cf.cond_br %c, ^l, ^r
^l:
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  cf.br ^e
^r:
  memref.dealloc %v : memref<?xf32>
  cf.br ^e
^e:
  scf.if %d {
    // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
    linalg.fill ins(%x : f32) outs(%v : memref<?xf32>)
  }
  return
}

// -----

func.func @returned() -> memref<4xf32> {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'func.return' uses a buffer that was freed [TPUMEM-E019]}}
  return %a : memref<4xf32>
}

// -----

// Used in a parallel loop.
func.func @used_inside(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.reduce
  }
  return
}

// -----

func.func @twice() {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

// The flag says that the buffer is handed on, but it is only lent.
func.func @wrong_flag(%c: i1) {
  %true = arith.constant true
  // expected-note @+1 {{allocated here}}
  %lent = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^own, ^lend
^own:
  %a = memref.alloc() : memref<4xf32>
  cf.br ^join(%a, %true : memref<4xf32>, i1)
^lend:
  cf.br ^join(%lent, %true : memref<4xf32>, i1)
^join(%m: memref<4xf32>, %own: i1):
  scf.if %own {
    // expected-note @+1 {{freed here}}
    memref.dealloc %m : memref<4xf32>
  }
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %lent : memref<4xf32>
  return
}

// -----

// Both of what may be freed here were freed before.
func.func @twice_select(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{allocated here}}
  %b = memref.alloc() : memref<4xf32>
  %r = scf.if %c -> memref<4xf32> {
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
    memref.dealloc %b : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    memref.dealloc %a : memref<4xf32>
    memref.dealloc %b : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

func.func @leak() {
  // expected-error @+1 {{this buffer is never freed [TPUMEM-E021]}}
  %a = memref.alloc() : memref<4xf32>
  return
}

// -----

func.func private @use(memref<4xf32>)

// Nothing frees what an iteration replaces.
func.func @leak_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> memref<4xf32> {
    func.call @use(%b) : (memref<4xf32>) -> ()
    // expected-error @+1 {{this buffer is never freed [TPUMEM-E021]}}
    %x = memref.alloc() : memref<4xf32>
    // expected-note @+1 {{nothing holds it after this}}
    func.call @use(%x) : (memref<4xf32>) -> ()
    scf.yield %b : memref<4xf32>
  }
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

// One side forgets it; nothing but that block has to run.
func.func @leak_on_one_side(%c: i1, %x: f32) {
  // expected-error @+1 {{this buffer is not freed on every path [TPUMEM-E021]}}
  %a = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^l, ^r
^l:
  memref.dealloc %a : memref<4xf32>
  cf.br ^e
^r:
  // expected-note @+1 {{nothing holds it after this}}
  cf.br ^e
^e:
  return
}

// -----

func.func @make() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}
func.func @passes_on() -> memref<4xf32> {
  %a = func.call @make() : () -> memref<4xf32>
  return %a : memref<4xf32>
}
func.func @leak_of_result() {
  // expected-error @+1 {{this buffer is never freed [TPUMEM-E021]}}
  %a = func.call @passes_on() : () -> memref<4xf32>
  return
}

// -----

func.func @used_transposed(%x: f32) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<2x4xf32>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<2x4xf32> to memref<4x2xf32, strided<[1, 4]>>
  linalg.fill ins(%x : f32) outs(%t : memref<4x2xf32, strided<[1, 4]>>)
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<2x4xf32>
  // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
  linalg.fill ins(%x : f32) outs(%t : memref<4x2xf32, strided<[1, 4]>>)
  return
}

// -----

func.func @transposed_leaks(%x: f32) {
  // expected-error @+1 {{this buffer is never freed [TPUMEM-E021]}}
  %a = memref.alloc() : memref<2x4xf32>
  %t = memref.transpose %a (i, j) -> (j, i) : memref<2x4xf32> to memref<4x2xf32, strided<[1, 4]>>
  // expected-note @+1 {{nothing holds it after this}}
  linalg.fill ins(%x : f32) outs(%t : memref<4x2xf32, strided<[1, 4]>>)
  return
}

// -----

// Under the name that a function gave back.
func.func private @id(%m: memref<4xi32>) -> memref<4xi32> {
  return %m : memref<4xi32>
}
func.func private @again(%m: memref<4xi32>, %p: memref<4xi32>) -> (memref<4xi32>, memref<4xi32>) {
  %r = call @id(%m) : (memref<4xi32>) -> memref<4xi32>
  return %p, %r : memref<4xi32>, memref<4xi32>
}
func.func @given_back(%x: memref<4xi32>) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  %r:2 = call @again(%a, %x) : (memref<4xi32>, memref<4xi32>) -> (memref<4xi32>, memref<4xi32>)
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xi32>
  // expected-error @+1 {{a buffer is freed that is free already}}
  memref.dealloc %r#1 : memref<4xi32>
  return
}

// -----

// By a constant that names the function.
func.func private @sink(%m: memref<4xi32>) {
  memref.dealloc %m : memref<4xi32>
  return
}
func.func private @source() -> memref<4xi32> {
  %m = memref.alloc() : memref<4xi32>
  return %m : memref<4xi32>
}
func.func @indirect() {
  %f = func.constant @sink : (memref<4xi32>) -> ()
  %g = func.constant @source : () -> memref<4xi32>
  // expected-note @+1 {{allocated here}}
  %a = call_indirect %g() : () -> memref<4xi32>
  // expected-note @+1 {{freed here}}
  call_indirect %f(%a) : (memref<4xi32>) -> ()
  // expected-error @+1 {{a buffer is freed that is free already}}
  memref.dealloc %a : memref<4xi32>
  // expected-error @+1 {{this buffer is never freed}}
  %b = call_indirect %g() : () -> memref<4xi32>
  return
}

// -----

func.func @old_behind_realloc() {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{freed here}}
  %r = memref.realloc %a : memref<4xi32> to memref<8xi32>
  // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
  %x = memref.load %a[%c0] : memref<4xi32>
  memref.dealloc %r : memref<8xi32>
  return
}

// -----

func.func @reallocated_and_freed_twice() {
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{allocated here}}
  %r = memref.realloc %a : memref<4xi32> to memref<8xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %r : memref<8xi32>
  // expected-error @+1 {{a buffer is freed that is free already}}
  memref.dealloc %r : memref<8xi32>
  return
}

// -----

func.func @reallocated_and_left() {
  %a = memref.alloc() : memref<4xi32>
  // expected-error @+1 {{this buffer is never freed}}
  %r = memref.realloc %a : memref<4xi32> to memref<8xi32>
  return
}

// -----

// Who takes an address out of it or puts one in does not hold the box itself.
func.func @a_box(%x: memref<4xi32>, %i: index) {
  // expected-error @+1 {{this buffer is never freed}}
  %read = memref.alloc() : memref<2xmemref<4xi32>>
  // expected-note @+1 {{nothing holds it after this}}
  %a = memref.load %read[%i] : memref<2xmemref<4xi32>>
  // expected-error @+1 {{this buffer is never freed}}
  %written = memref.alloc() : memref<2xmemref<4xi32>>
  // expected-note @+1 {{nothing holds it after this}}
  memref.store %x, %written[%i] : memref<2xmemref<4xi32>>
  return
}

// -----

// What is free already is looked for inside a loop, too, which is stepped over
// as long as it is not.
func.func @used_in_a_nest(%l: index, %u: index, %x: f32) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %l to %u step %u {
    scf.for %j = %l to %u step %u {
      memref.store %x, %a[%l] : memref<4xf32>
    }
  }
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  scf.for %i = %l to %u step %u {
    scf.for %j = %l to %u step %u {
      %v = memref.cast %a : memref<4xf32> to memref<?xf32>
      // expected-error @+1 {{'memref.store' uses a buffer that was freed [TPUMEM-E019]}}
      memref.store %x, %v[%l] : memref<?xf32>
    }
  }
  return
}

// -----

// Through views, too, what is freed or kept in a region is seen.
func.func private @holds(memref<?xf32>, memref<1xmemref<?xf32>>)
func.func @freed_in_a_region(%box: memref<1xmemref<?xf32>>) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  scf.execute_region {
    %w = memref.cast %b : memref<4xf32> to memref<?xf32>
    func.call @holds(%w, %box) : (memref<?xf32>, memref<1xmemref<?xf32>>) -> ()
    scf.yield
  }
  scf.execute_region {
    %v = memref.cast %a : memref<4xf32> to memref<?xf32>
    // expected-note @+1 {{freed here}}
    memref.dealloc %v : memref<?xf32>
    scf.yield
  }
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

// What a function that calls itself frees may be what its own call gave back:
// the argument. On every path that ends it is returned, or freed on the way.
func.func private @given_or_freed(%a: memref<4xi32>, %more: i1) -> memref<4xi32> {
  cf.cond_br %more, ^again, ^end
^end:
  return %a : memref<4xi32>
^again:
  %last = arith.constant false
  %r = call @given_or_freed(%a, %last) : (memref<4xi32>, i1) -> memref<4xi32>
  memref.dealloc %r : memref<4xi32>
  %x = memref.alloc() : memref<4xi32>
  return %x : memref<4xi32>
}
func.func @freed_again(%more: i1) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{freed here}}
  %r = call @given_or_freed(%m, %more) : (memref<4xi32>, i1) -> memref<4xi32>
  memref.dealloc %r : memref<4xi32>
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %m : memref<4xi32>
  return
}

// -----

// The same by way of another function, which frees its argument always.
func.func private @gives_or_hands_on(%a: memref<4xi32>, %more: i1) -> memref<4xi32> {
  cf.cond_br %more, ^again, ^end
^end:
  return %a : memref<4xi32>
^again:
  call @frees(%a, %more) : (memref<4xi32>, i1) -> ()
  %x = memref.alloc() : memref<4xi32>
  return %x : memref<4xi32>
}
func.func private @frees(%a: memref<4xi32>, %more: i1) {
  %r = call @gives_or_hands_on(%a, %more) : (memref<4xi32>, i1) -> memref<4xi32>
  memref.dealloc %r : memref<4xi32>
  return
}
func.func @given_away(%more: i1) {
  %m = memref.alloc() : memref<4xi32>
  call @frees(%m, %more) : (memref<4xi32>, i1) -> ()
  return
}
func.func @freed_by_another(%more: i1) {
  // expected-note @+1 {{allocated here}}
  %m = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{freed here}}
  call @frees(%m, %more) : (memref<4xi32>, i1) -> ()
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %m : memref<4xi32>
  return
}

// -----

// What is loaded is followed from there on.
func.func @loaded(%box: memref<2xmemref<4xi32>>, %i: index) {
  // expected-remark @+2 {{what is loaded here is followed under this name alone, not from where it was stored}}
  // expected-note @+1 {{it is this one}}
  %a = memref.load %box[%i] : memref<2xmemref<4xi32>>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xi32>
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %a : memref<4xi32>
  return
}

// -----

// So is what comes from out of sight, and is freed here.
func.func private @given() -> memref<4xf32>
func.func @from_elsewhere(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = call @given() : () -> memref<4xf32>
  %b = call @given() : () -> memref<4xf32>
  %v = memref.cast %a : memref<4xf32> to memref<?xf32>
  scf.for %i = %c0 to %n step %n {
    linalg.fill ins(%x : f32) outs(%v : memref<?xf32>)
  }
  // expected-note @+1 {{freed here}}
  memref.dealloc %v : memref<?xf32>
  memref.dealloc %b : memref<4xf32>
  // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}

// -----

// Each result is the operand beside it.
func.func @distinct(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  %d:2 = memref.distinct_objects %a, %b : memref<4xi32>, memref<4xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xi32>
  // expected-error @+1 {{'memref.load' uses a buffer that was freed [TPUMEM-E019]}}
  %v = memref.load %d#0[%c0] : memref<4xi32>
  memref.dealloc %d#1 : memref<4xi32>
  return %v : i32
}

// -----

// It uses it in its first block, be it by another name, or a function that it
// calls there.
func.func private @reads(%m: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.cast %m : memref<4xf32> to memref<?xf32>
  %x = memref.load %v[%c0] : memref<?xf32>
  return %x : f32
}
func.func private @reads_too(%m: memref<4xf32>) -> f32 {
  %x = call @reads(%m) : (memref<4xf32>) -> f32
  return %x : f32
}
func.func @given_on() -> f32 {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'func.call' uses a buffer that was freed [TPUMEM-E019]}}
  %x = call @reads_too(%a) : (memref<4xf32>) -> f32
  return %x : f32
}

// -----

// An assertion says nothing of other paths.
func.func @asserted(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  cf.assert %c, "right"
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %a : memref<4xf32>
  return
}

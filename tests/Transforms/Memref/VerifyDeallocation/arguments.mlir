// RUN: tpuc-opt --memref-verify-deallocation='leaks=error' --split-input-file --verify-diagnostics %s

// Frees of what a function got from its caller, or that is not on the heap.

// expected-note @+1 {{it is this one}}
func.func @joined(%flag: i1, %x: memref<4xf32>) {
  %r = scf.if %flag -> memref<4xf32> {
    scf.yield %x : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %x, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  // expected-error @+1 {{the caller's buffer is freed, but not on every path [TPUMEM-E020]}}
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

// The same through blocks.
// expected-note @+1 {{it is this one}}
func.func @joined_blocks(%flag: i1, %x: memref<4xf32>) {
  %n = memref.alloc() : memref<4xf32>
  cf.cond_br %flag, ^a, ^b
^a:
  memref.dealloc %n : memref<4xf32>
  cf.br ^j(%x : memref<4xf32>)
^b:
  cf.br ^j(%n : memref<4xf32>)
^j(%r: memref<4xf32>):
  // expected-error @+1 {{the caller's buffer is freed, but not on every path [TPUMEM-E020]}}
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

// It may be that the caller knows.
// expected-note @+1 {{it is this one}}
func.func @always(%x: memref<4xf32>) {
  // expected-remark @+1 {{the caller's buffer may be freed, which the caller frees, too}}
  memref.dealloc %x : memref<4xf32>
  return
}

// -----

// It does here.
func.func private @takes(%c: i1, %x: memref<4xf32>) {
  scf.if %c {
    memref.dealloc %x : memref<4xf32>
  } else {
    memref.dealloc %x : memref<4xf32>
  }
  return
}
func.func private @passes_on(%c: i1, %x: memref<4xf32>) {
  call @takes(%c, %x) : (i1, memref<4xf32>) -> ()
  return
}
func.func @gives_away(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  call @passes_on(%c, %a) : (i1, memref<4xf32>) -> ()
  return
}

// -----

// And here it does not.
func.func private @takes(%x: memref<4xf32>) {
  memref.dealloc %x : memref<4xf32>
  return
}
func.func @frees_again() {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  call @takes(%a) : (memref<4xf32>) -> ()
  // expected-error @+1 {{a buffer is freed that is free already [TPUMEM-E020]}}
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

// A function that calls itself frees on every path that ends.
func.func private @takes(%c: i1, %d: i1, %x: memref<4xf32>) {
  cf.cond_br %c, ^again, ^free
^again:
  call @takes(%d, %c, %x) : (i1, i1, memref<4xf32>) -> ()
  return
^free:
  memref.dealloc %x : memref<4xf32>
  return
}
func.func @uses_later(%c: i1, %d: i1, %y: f32) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  call @takes(%c, %d, %a) : (i1, i1, memref<4xf32>) -> ()
  // expected-error @+1 {{'linalg.fill' uses a buffer that was freed [TPUMEM-E019]}}
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  return
}

// -----

memref.global "private" @g : memref<4xf32> = dense<0.0>
func.func @one_of_two(%flag: i1) {
  // expected-note @+1 {{it is this one}}
  %s = memref.alloca() : memref<4xf32>
  // expected-note @+1 {{it is this one}}
  %g = memref.get_global @g : memref<4xf32>
  %r = arith.select %flag, %s, %g : memref<4xf32>
  // expected-remark @+1 {{a buffer may be freed that was not allocated on the heap}}
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

func.func @on_the_stack(%flag: i1) {
  // expected-note @+1 {{it is this one}}
  %s = memref.alloca() : memref<4xf32>
  %r = scf.if %flag -> memref<4xf32> {
    scf.yield %s : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  // expected-error @+1 {{a buffer is freed that was not allocated on the heap [TPUMEM-E020]}}
  memref.dealloc %r : memref<4xf32>
  return
}

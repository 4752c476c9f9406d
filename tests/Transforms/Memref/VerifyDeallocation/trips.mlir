// RUN: tpuc-opt --memref-verify-deallocation --split-input-file --verify-diagnostics %s -o /dev/null

// A loop that does not run frees nothing: what only its body frees is not freed
// on every path, be it freed twice or used afterwards on the others.
func.func @freed_in_body_alone(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+2 {{this buffer may not be freed on every path}}
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{nothing holds it after this}}
  scf.for %i = %c0 to %n step %c1 {
    // expected-remark @+2 {{a buffer may be freed that is free already}}
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
  }
  return
}
func.func @used_afterwards(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+2 {{this buffer is not freed on every path}}
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+2 {{a buffer is freed that is free already}}
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
  }
  // expected-error @+2 {{'linalg.fill' uses a buffer that was freed}}
  // expected-note @+1 {{nothing holds it after this}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return
}
func.func @while(%c: i1) {
  // expected-remark @+2 {{this buffer is not freed on every path}}
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  scf.while : () -> () {
    // expected-note @+1 {{nothing holds it after this}}
    scf.condition(%c)
  } do {
    // expected-error @+2 {{a buffer is freed that is free already}}
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
    scf.yield
  }
  return
}
func.func @on_one_side(%c: i1, %x: f32) {
  // expected-remark @+1 {{this buffer is not freed on every path}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{nothing holds it after this}}
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  } else {
    memref.dealloc %a : memref<4xf32>
  }
  return
}
func.func @returned_on_one_side(%c: i1, %x: f32, %z: memref<4xf32>) -> memref<4xf32> {
  // expected-remark @+1 {{this buffer is not freed on every path}}
  %a = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^l, ^r
^l:
  // expected-note @+1 {{nothing holds it after this}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return %z : memref<4xf32>
^r:
  return %a : memref<4xf32>
}

// -----

// How often it runs is known: never...
func.func @freed_behind() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %c1 to %c0 step %c1 {
    memref.dealloc %a : memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  return
}
func.func @freed_behind_threads(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c0) step (%c1, %c1) {
    memref.dealloc %a : memref<4xf32>
    scf.reduce
  }
  scf.forall (%i) in (0) {
    memref.dealloc %a : memref<4xf32>
  }
  memref.dealloc %a : memref<4xf32>
  return
}
func.func @never() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-remark @+1 {{this buffer is never freed}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{nothing holds it after this}}
  scf.for %i = %c0 to %c0 step %c1 {
    memref.dealloc %a : memref<4xf32>
  }
  return
}
func.func @never_while() {
  %false = arith.constant false
  // expected-remark @+1 {{this buffer is never freed}}
  %a = memref.alloc() : memref<4xf32>
  scf.while : () -> () {
    // expected-note @+1 {{nothing holds it after this}}
    scf.condition(%false)
  } do {
    memref.dealloc %a : memref<4xf32>
    scf.yield
  }
  return
}
func.func @handed_through(%x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %c0 to %c0 step %c1 iter_args(%m = %a) -> memref<4xf32> {
    memref.dealloc %m : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  linalg.fill ins(%x : f32) outs(%r : memref<4xf32>)
  memref.dealloc %r : memref<4xf32>
  return
}

// ... once...
func.func @once() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// ... or more often.
func.func @twice() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    // expected-remark @+2 {{a buffer may be freed that is free already}}
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// -----

// Without a sign -1 is the largest number, and the loop runs.
func.func @unsigned() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %last = arith.constant -1 : i32
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  scf.for unsigned %i = %c0 to %last step %c1 : i32 {
    %b = memref.alloc() : memref<4xf32>
    memref.dealloc %b : memref<4xf32>
    // expected-error @+1 {{a buffer is freed that is free already}}
    memref.dealloc %a : memref<4xf32>
  }
  return
}

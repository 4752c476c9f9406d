// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// Whatever may be left allocated has a remark.

func.func private @elsewhere() -> memref<4xf32>
func.func @unseen(%f: () -> memref<4xf32>, %x: f32) {
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: the function that is called is declared only}}
  %a = call @elsewhere() : () -> memref<4xf32>
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: nobody knows which function is called}}
  %b = call_indirect %f() : () -> memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %c = call @elsewhere() : () -> memref<4xf32>
  memref.dealloc %c : memref<4xf32>
  return
}

// -----

// A constant says which one it is.
func.func private @makes() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}
func.func private @frees(%a: memref<4xf32>) {
  memref.dealloc %a : memref<4xf32>
  return
}
func.func @seen() {
  %f = func.constant @makes : () -> memref<4xf32>
  %g = func.constant @frees : (memref<4xf32>) -> ()
  %a = call_indirect %f() : () -> memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call_indirect %g(%b) : (memref<4xf32>) -> ()
  return
}

// -----

// Who knows what it does.
func.func @given_away(%f: (memref<4xf32>) -> ()) {
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{nobody holds it after this}}
  call_indirect %f(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// The region may not run.
func.func @freed_in_a_region(%c0: index, %c1: index, %n: index) {
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %a = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nobody holds it after this}}
  "test.region"() ({
    memref.dealloc %a : memref<8xi32>
    "test.end"() : () -> ()
  }) : () -> ()
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %b = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nobody holds it after this}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %z = arith.cmpi eq, %i, %c1 : index
    scf.if %z {
      memref.dealloc %b : memref<8xi32>
    }
  }
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %c = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nobody holds it after this}}
  scf.forall (%i) in (%n) {
    memref.dealloc %c : memref<8xi32>
  }
  return
}

// -----

func.func @reallocated() {
  // expected-remark @+1 {{it may live on in a result of 'memref.realloc'}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+2 {{here}}
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %r = memref.realloc %a : memref<4xi32> to memref<8xi32>
  return
}

// -----

// What a function hands on itself its callers get, and nobody frees.
func.func private @freed_or_returned(%c: i1) -> memref<4xi32> {
  %false = arith.constant false
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi32>
  %lent:2 = scf.if %c -> (memref<4xi32>, i1) {
    scf.yield %a, %false : memref<4xi32>, i1
  } else {
    %z = memref.alloc() : memref<4xi32>
    scf.yield %z, %true : memref<4xi32>, i1
  }
  scf.if %lent#1 {
    memref.dealloc %lent#0 : memref<4xi32>
  }
  %r = scf.if %c -> memref<4xi32> {
    memref.dealloc %a : memref<4xi32>
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  } else {
    scf.yield %a : memref<4xi32>
  }
  return %r : memref<4xi32>
}
func.func @gets_it(%c: i1) {
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %r = call @freed_or_returned(%c) : (i1) -> memref<4xi32>
  return
}

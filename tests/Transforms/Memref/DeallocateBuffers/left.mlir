// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// Whatever may be left allocated has a remark.

func.func private @elsewhere() -> memref<4xf32>
func.func @unseen(%f: () -> memref<4xf32>, %x: f32) {
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: the function that is called is declared only}}
  %a = call @elsewhere() : () -> memref<4xf32>
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: it is not known which function is called}}
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
  // expected-note @+1 {{nothing holds it after this}}
  call_indirect %f(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// The region may not run.
func.func @freed_in_a_region(%c0: index, %c1: index, %n: index) {
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %a = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nothing holds it after this}}
  "test.region"() ({
    memref.dealloc %a : memref<8xi32>
    "test.end"() : () -> ()
  }) : () -> ()
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %b = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nothing holds it after this}}
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %z = arith.cmpi eq, %i, %c1 : index
    scf.if %z {
      memref.dealloc %b : memref<8xi32>
    }
  }
  // expected-remark @+1 {{is not freed by memref-deallocate: the program frees it itself, but not on every path}}
  %c = memref.alloc() : memref<8xi32>
  // expected-note @+1 {{nothing holds it after this}}
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

// What a function hands on itself its callers get, and nothing frees.
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

// -----

// So it is where they get something else at times.
func.func private @freed_or_given_back(%x: memref<4xi32>, %c: i1) -> memref<4xi32> {
  %r = scf.if %c -> memref<4xi32> {
    memref.dealloc %x : memref<4xi32>
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  } else {
    scf.yield %x : memref<4xi32>
  }
  return %r : memref<4xi32>
}
func.func private @hands_it_on(%x: memref<4xi32>, %c: i1) -> memref<4xi32> {
  %r = call @freed_or_given_back(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  return %r : memref<4xi32>
}
func.func @drops_it(%x: memref<4xi32>, %c: i1) {
  // expected-remark @+1 {{what is returned here is not freed by memref-deallocate: it may be new, or a buffer of something else}}
  %r = call @hands_it_on(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  return
}
func.func @frees_it(%x: memref<4xi32>, %c: i1, %d: i1) {
  %r = call @hands_it_on(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  cf.br ^end(%r : memref<4xi32>)
^end(%s: memref<4xi32>):
  memref.dealloc %s : memref<4xi32>
  return
}

// -----

// That somebody may know an argument by its address does not free what else is
// returned.
func.func private @address(%x: memref<4xi32>, %c: i1) -> memref<4xi32> {
  %r = scf.if %c -> memref<4xi32> {
    // expected-remark @+1 {{is not freed by memref-deallocate: it is returned where the caller may see the same buffer under another name}}
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  } else {
    scf.yield %x : memref<4xi32>
  }
  %i = memref.extract_aligned_pointer_as_index %x : memref<4xi32> -> index
  "test.use"(%i) : (index) -> ()
  // expected-note @+1 {{here}}
  return %r : memref<4xi32>
}
func.func @calls_address(%x: memref<4xi32>, %c: i1) {
  %r = call @address(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  return
}

// -----

func.func @handle_of_argument(%x: memref<4xi32>, %c: i1) -> (memref<4xi32>, i64) {
  // expected-remark @+1 {{is not freed by memref-deallocate: it is returned where the caller may see the same buffer under another name}}
  %m = memref.alloc() : memref<4xi32>
  %r = arith.select %c, %m, %x : memref<4xi32>
  %w = "test.handle"(%x) : (memref<4xi32>) -> i64
  // expected-note @+1 {{here}}
  return %r, %w : memref<4xi32>, i64
}

// -----

func.func @handle_of_phi(%x: memref<4xi32>, %n: index, %c: i1) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x) -> (memref<4xi32>, memref<4xi32>) {
    %l = "test.handle"(%a) : (memref<4xi32>) -> i64
    %s = arith.select %c, %a, %b : memref<4xi32>
    // expected-remark @+1 {{is not freed by memref-deallocate: it is returned where the caller may see the same buffer under another name}}
    %m = memref.alloc() : memref<4xi32>
    scf.yield %a, %m : memref<4xi32>, memref<4xi32>
  }
  %r = arith.select %c, %k#0, %k#1 : memref<4xi32>
  // expected-note @+1 {{here}}
  return %r : memref<4xi32>
}

// -----

memref.global "private" @global : memref<4xi32> = dense<7>
func.func @handle_of_global(%c: i1) -> memref<4xi32> {
  %k = memref.get_global @global : memref<4xi32>
  cf.cond_br %c, ^a, ^b(%k : memref<4xi32>)
^a:
  // expected-remark @+1 {{is not freed by memref-deallocate: it is returned where the caller may see the same buffer under another name}}
  %m = memref.alloc() : memref<4xi32>
  cf.br ^b(%m : memref<4xi32>)
^b(%r: memref<4xi32>):
  %w = "test.handle"(%k) : (memref<4xi32>) -> i64
  // expected-note @+1 {{here}}
  return %r : memref<4xi32>
}

// -----

func.func @handle_before_loop(%n: index, %k: memref<4xi32>) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = "test.handle"(%k) : (memref<4xi32>) -> i64
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %k) -> memref<4xi32> {
    // expected-remark @+1 {{is not freed by memref-deallocate: it is returned where the caller may see the same buffer under another name}}
    %m = memref.alloc() : memref<4xi32>
    memref.copy %b, %m : memref<4xi32> to memref<4xi32>
    scf.yield %m : memref<4xi32>
  }
  // expected-note @+1 {{here}}
  return %r : memref<4xi32>
}

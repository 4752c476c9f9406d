// RUN: tpuc-opt --memref-verify-deallocation=leaks=error --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// An op that is not registered and last in its block gets what it takes, and
// control leads from it to its successors.

func.func @handed_out() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  "custom.return"(%a) : (memref<4xf32>) -> ()
}

// -----

func.func @yielded() {
  %r = "custom.region"() ({
    %a = memref.alloc() : memref<4xf32>
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> memref<4xf32>
  return
}

// -----

func.func @passed_on(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  "custom.br"(%a)[^bb1] : (memref<4xf32>) -> ()
^bb1(%b: memref<4xf32>):
  "custom.use"(%b) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @freed_and_handed_out() -> memref<4xf32> {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'custom.return' uses a buffer that was freed}}
  "custom.return"(%a) : (memref<4xf32>) -> ()
}

// -----

func.func @freed_and_yielded() {
  %r = "custom.region"() ({
    // expected-note @+1 {{allocated here}}
    %a = memref.alloc() : memref<4xf32>
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xf32>
    // expected-error @+1 {{'custom.yield' uses a buffer that was freed}}
    "custom.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> memref<4xf32>
  return
}

// -----

func.func @freed_and_passed_on(%c: i1) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'custom.cond_br' uses a buffer that was freed}}
  "custom.cond_br"(%c, %a)[^bb1, ^bb2] : (i1, memref<4xf32>) -> ()
^bb1:
  return
^bb2:
  return
}

// -----

func.func @used_behind_a_branch() {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  "custom.br"()[^bb1] : () -> ()
^bb1:
  // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
  %f = memref.load %a[%c0] : memref<4xf32>
  return
}

// -----

func.func @used_by_an_end() {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  "custom.region"() ({
    // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
    %f = memref.load %a[%c0] : memref<4xf32>
    "custom.yield"(%f) : (f32) -> ()
  }) : () -> ()
}

// -----

// What it gives its callers is not known.
func.func @makes(%c: i1, %x: memref<4xf32>) -> memref<4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
^b:
  "custom.return"(%x) : (memref<4xf32>) -> ()
}
func.func @calls(%c: i1, %x: memref<4xf32>) {
  %a = call @makes(%c, %x) : (i1, memref<4xf32>) -> memref<4xf32>
  "custom.use"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// What it may become is not what others become that end the same region.
func.func @ends_beside(%c: i1) {
  %true = arith.constant true
  // expected-remark @+1 {{this buffer may not be freed on every path}}
  %a = memref.alloc() : memref<4xf32>
  %r = scf.execute_region -> i1 {
    cf.cond_br %c, ^a, ^b
  ^a:
    scf.yield %true : i1
  ^b:
    "custom.yield"(%c) : (i1) -> ()
  }
  // expected-note @+1 {{nothing holds it after this}}
  scf.if %r {
    memref.dealloc %a : memref<4xf32>
  }
  return
}

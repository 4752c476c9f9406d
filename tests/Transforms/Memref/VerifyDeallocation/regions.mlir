// RUN: tpuc-opt --memref-verify-deallocation='leaks=error' --allow-unregistered-dialect --split-input-file --verify-diagnostics %s

// Regions of parallel and unknown ops: they may run, once or more, or not, and
// what is in them is followed like everything else.

func.func @yielded_inside(%c: i1, %n: index) {
  // expected-error @+1 {{this buffer is never freed}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{nothing holds it after this}}
  scf.parallel (%i) = (%n) to (%n) step (%n) {
    %q = scf.if %c -> memref<4xi32> {
      scf.yield %a : memref<4xi32>
    } else {
      scf.yield %a : memref<4xi32>
    }
    scf.reduce
  }
  return
}

// -----

func.func @selected_inside(%c: i1) {
  // expected-error @+1 {{this buffer is never freed}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{nothing holds it after this}}
  "test.region"() ({
    %q = arith.select %c, %a, %a : memref<4xi32>
    "test.use"(%q) : (memref<4xi32>) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

// Between blocks, out of several regions.
func.func @blocks_inside(%c: i1) {
  // expected-error @+1 {{this buffer is never freed}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{nothing holds it after this}}
  "test.region"() ({
    cf.cond_br %c, ^one(%a : memref<4xi32>), ^two
  ^one(%m: memref<4xi32>):
    "test.use"(%m) : (memref<4xi32>) -> ()
    cf.br ^two
  ^two:
    "test.end"() : () -> ()
  }, {
    "test.use"(%a) : (memref<4xi32>) -> ()
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

// The end of the region may hand it out.
func.func @handed_out(%c: i1) {
  %a = memref.alloc() : memref<4xi32>
  %r = "test.region"() ({
    %q = arith.select %c, %a, %a : memref<4xi32>
    "test.end"(%q) : (memref<4xi32>) -> ()
  }) : () -> memref<4xi32>
  return
}

// -----

func.func @unknown_use_behind_free(%n: index, %s: index) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xi32>
  scf.parallel (%i) = (%n) to (%n) step (%s) {
    // expected-remark @+1 {{'test.use' may use a buffer that was freed}}
    "test.use"(%a) : (memref<4xi32>) -> ()
    scf.reduce
  }
  return
}

// -----

// Free and use in one region.
func.func @use_behind_free_inside() {
  %c0 = arith.constant 0 : index
  // expected-note @+2 {{allocated here}}
  // expected-error @+1 {{this buffer is not freed on every path}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{nothing holds it after this}}
  "test.region"() ({
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xi32>
    // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
    %f = memref.load %a[%c0] : memref<4xi32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

// A region without an end: it may run again, and if it does not, the next free
// is one too many.
func.func @no_end() {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  "test.region"() ({
    // expected-error @+2 {{a buffer is freed that is free already}}
    // expected-note @+1 {{freed here}}
    memref.dealloc %a : memref<4xi32>
    %b = memref.alloc() : memref<4xi32>
    memref.dealloc %b : memref<4xi32>
  }) : () -> ()
  // expected-error @+1 {{a buffer is freed that is free already}}
  memref.dealloc %a : memref<4xi32>
  return
}

// -----

// A function that frees, called in parallel.
func.func private @frees(%m: memref<4xi32>) {
  memref.dealloc %m : memref<4xi32>
  return
}
func.func @freed_by_a_call_inside(%n: index) {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  scf.forall (%i) in (%n) {
    // expected-error @+2 {{'func.call' uses a buffer that was freed}}
    // expected-note @+1 {{freed here}}
    func.call @frees(%a) : (memref<4xi32>) -> ()
  }
  // expected-error @+1 {{a buffer is freed that is free already}}
  memref.dealloc %a : memref<4xi32>
  return
}

// -----

func.func @in_a_kernel(%s: index) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xi32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xi32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %s, %gy = %s, %gz = %s)
      threads(%tx, %ty, %tz) in (%lx = %s, %ly = %s, %lz = %s) {
    // expected-error @+1 {{'memref.load' uses a buffer that was freed}}
    %f = memref.load %a[%c0] : memref<4xi32>
    gpu.terminator
  }
  return
}

// -----

// What runs later may still need it.
func.func @later() {
  %a = memref.alloc() : memref<4xi32>
  %t = async.execute {
    "test.use"(%a) : (memref<4xi32>) -> ()
    async.yield
  }
  return
}

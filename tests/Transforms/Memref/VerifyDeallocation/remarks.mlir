// RUN: tpuc-opt --allow-unregistered-dialect --memref-verify-deallocation %s -o /dev/null 2>&1 | FileCheck %s
// RUN: not tpuc-opt --allow-unregistered-dialect --memref-verify-deallocation=strict=true %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: tpuc-opt --allow-unregistered-dialect --memref-verify-deallocation=leaks=ignore %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=IGNORE
// RUN: tpuc-opt --allow-unregistered-dialect --memref-verify-deallocation='leaks=ignore max-worlds=1' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=FEW

// IGNORE-NOT: freed on every path

// Two conditions that exclude each other, as a reader sees.
// CHECK: remark: this buffer may not be freed on every path
// CHECK: [[#@LINE+14]]:3: note: nothing holds it after this
// CHECK: [[#@LINE+15]]:5: remark: a buffer may be freed that is free already
// CHECK: [[#@LINE+10]]:5: note: freed here
// CHECK: [[#@LINE+5]]:8: note: allocated here
// STRICT: error: a buffer may be freed that is free already [TPUMEM-E020]
// IGNORE: remark: a buffer may be freed that is free already
func.func @correlated(%x: index, %y: index) {
  // The allocation.
  %a = memref.alloc() : memref<4xf32>
  %c = arith.cmpi eq, %x, %y : index
  %d = arith.cmpi ne, %x, %y : index
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  scf.if %d {
    // The second one.
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// A loop that runs once, as nobody sees.
// CHECK: remark: this buffer may not be freed on every path
// CHECK: remark: a buffer may be freed that is free already
// STRICT: error: a buffer may be freed that is free already [TPUMEM-E020]
// IGNORE: remark: a buffer may be freed that is free already
func.func @once(%n: index) {
  %c1 = arith.constant 1 : index
  %end = arith.addi %n, %c1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %n to %end step %c1 {
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// CHECK: remark: this buffer may not be freed on every path
// CHECK: remark: 'linalg.fill' may use a buffer that was freed
// STRICT: error: 'linalg.fill' may use a buffer that was freed [TPUMEM-E019]
// IGNORE: remark: 'linalg.fill' may use a buffer that was freed
func.func @passed_on(%i: index, %j: index, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  %c = arith.cmpi eq, %i, %j : index
  %d = arith.cmpi ne, %i, %j : index
  cf.cond_br %c, ^l, ^r
^l:
  memref.dealloc %a : memref<4xf32>
  cf.br ^e
^r:
  cf.br ^e
^e:
  cf.cond_br %d, ^use, ^out
^use:
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.dealloc %a : memref<4xf32>
  cf.br ^out
^out:
  return
}

// Each thread frees, if there are two.
// CHECK: remark: a buffer may be freed that is free already
func.func @threads(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.dealloc %a : memref<4xf32>
    scf.reduce
  }
  return
}

// Freed on one side, used in a parallel loop under another condition.
// CHECK: remark: this buffer may not be freed on every path
// CHECK: remark: 'linalg.fill' may use a buffer that was freed
func.func @correlated_inside(%x: index, %y: index, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %c = arith.cmpi eq, %x, %y : index
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  scf.parallel (%i) = (%c0) to (%x) step (%c1) {
    %d = arith.cmpi ne, %x, %y : index
    scf.if %d {
      linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
    }
    scf.reduce
  }
  return
}

// It is not known what the op does with it.
// CHECK: remark: 'test.unknown' may use a buffer that was freed
// CHECK-NOT: remark:
func.func @unknown_op() {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  "test.unknown"(%a) : (memref<4xf32>) -> ()
  return
}

// Each of six conditions matters later: more than 32 worlds.
// FEW: [[#@LINE+3]]:8: remark: what becomes of this buffer is not decided: it has more than 1 worlds
// FEW-NOT: not decided
func.func @many(%c: i1, %d: i1, %e: i1, %f: i1, %g: i1, %h: i1, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %d {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %e {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %f {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %g {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %h {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %d {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %e {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %f {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %g {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  scf.if %h {
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  }
  memref.dealloc %a : memref<4xf32>
  return
}

// A flag that changes in a loop is not the one that went in...
// CHECK: [[#@LINE+6]]:8: remark: this buffer may not be freed on every path
func.func @lost_in_loop(%n: index) {
  %t = arith.constant true
  %f = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %t) -> i1 {
    scf.yield %f : i1
  }
  scf.if %r {
    memref.dealloc %m : memref<4xi32>
  }
  return
}

// ... nor one that swaps with another...
// CHECK: [[#@LINE+6]]:8: remark: this buffer may not be freed on every path
func.func @swapped(%n: index) {
  %t = arith.constant true
  %f = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %t, %p = %f) -> (i1, i1) {
    scf.yield %p, %q : i1, i1
  }
  scf.if %r#0 {
    memref.dealloc %m : memref<4xi32>
  }
  return
}

// ... nor what an iteration hands on the condition of the next.
// CHECK: [[#@LINE+8]]:10: remark: this buffer may not be freed on every path
// CHECK: [[#@LINE+14]]:7: remark: a buffer may be freed that is free already
func.func private @more() -> i1
func.func @of_the_last_iteration(%n: index) {
  %f = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %f) -> i1 {
    %m = memref.alloc() : memref<4xi32>
    %g = func.call @more() : () -> i1
    scf.if %g {
      memref.dealloc %m : memref<4xi32>
    }
    scf.if %q {
    } else {
      memref.dealloc %m : memref<4xi32>
    }
    scf.yield %g : i1
  }
  return
}

// Nothing waits for what was started before the buffer is freed.
// CHECK: [[#@LINE+6]]:8: remark: 'async.execute' may use a buffer that was freed
// CHECK: [[#@LINE+9]]:3: note: freed here
// CHECK: [[#@LINE+3]]:8: note: allocated here
// STRICT: error: 'async.execute' may use a buffer that was freed [TPUMEM-E019]
func.func @at_work(%p: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %t = async.execute {
    memref.copy %p, %a : memref<4xf32> to memref<4xf32>
    async.yield
  }
  memref.dealloc %a : memref<4xf32>
  async.await %t : !async.token
  return
}

// A function that uses it under a condition may do so here.
// CHECK: remark: 'func.call' may use a buffer that was freed
// STRICT: error: 'func.call' may use a buffer that was freed [TPUMEM-E019]
func.func private @perhaps(%m: memref<4xf32>, %c: i1, %x: f32) {
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  }
  return
}
func.func @given_on(%c: i1, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  call @perhaps(%a, %c, %x) : (memref<4xf32>, i1, f32) -> ()
  return
}

// A function starts it, through another one, and neither of them waits.
// CHECK: remark: 'func.call' may use a buffer that was freed
// STRICT: error: 'func.call' may use a buffer that was freed [TPUMEM-E019]
func.func private @start(%m: memref<4xf32>, %p: memref<4xf32>) {
  %t = async.execute {
    memref.copy %p, %m : memref<4xf32> to memref<4xf32>
    async.yield
  }
  return
}
func.func private @start_too(%m: memref<4xf32>, %p: memref<4xf32>) {
  call @start(%m, %p) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @at_work_elsewhere(%p: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  call @start_too(%a, %p) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  return
}

// Nobody knows which function is called, nor whether it uses it.
// CHECK: remark: 'func.call_indirect' may use a buffer that was freed
// STRICT: error: 'func.call_indirect' may use a buffer that was freed [TPUMEM-E019]
func.func @given_to_some(%f: (memref<4xf32>) -> ()) {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  call_indirect %f(%a) : (memref<4xf32>) -> ()
  return
}

// Who takes it over frees it as well, and so does a realloc.
// CHECK: remark: 'memref.dma_start' may use a buffer that was freed
// CHECK: remark: 'memref.dma_start' may use a buffer that was freed
func.func private @take(%m: memref<4xf32>) {
  memref.dealloc %m : memref<4xf32>
  return
}
func.func @taken_over_early(%p: memref<4xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xf32>
  memref.dma_start %p[%c0], %a[%c0], %c4, %tag[%c0] : memref<4xf32>, memref<4xf32>, memref<1xi32>
  call @take(%a) : (memref<4xf32>) -> ()
  memref.dma_wait %tag[%c0], %c4 : memref<1xi32>
  return
}
func.func @reallocated_early(%p: memref<?xf32>, %tag: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dma_start %p[%c0], %a[%c0], %n, %tag[%c0] : memref<?xf32>, memref<?xf32>, memref<1xi32>
  %b = memref.realloc %a(%n) : memref<?xf32> to memref<?xf32>
  memref.dma_wait %tag[%c0], %n : memref<1xi32>
  memref.dealloc %b : memref<?xf32>
  return
}

// The function reads one of two: which one is not known where it is called.
// CHECK: remark: 'func.call' may use a buffer that was freed
func.func private @read_one(%c: i1, %p: memref<4xf32>, %q: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %r = arith.select %c, %p, %q : memref<4xf32>
  %v = memref.load %r[%c0] : memref<4xf32>
  return %v : f32
}
func.func @given_with_another(%c: i1, %q: memref<4xf32>) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %v = call @read_one(%c, %a, %q) : (i1, memref<4xf32>, memref<4xf32>) -> f32
  return %v : f32
}

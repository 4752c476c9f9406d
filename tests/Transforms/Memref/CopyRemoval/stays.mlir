// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --copy-removal=remarks %s | FileCheck %s

// Every reason for which a copy stays. C1 to C6 are executed by ConditionsTest.

// No CHECK but this: as many copies are left as there are remarks.
// CHECK: memref.copy

func.func @target_elsewhere(%a: memref<4xf32>, %b: memref<4xf32>) {
  // expected-remark @+1 {{copy stays: no reuse of the source, its target is not allocated in its block; no reuse of the target, its source is not allocated in its block}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @target_in_another_block(%a: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  scf.if %c {
    // expected-remark @+1 {{its target is not allocated in its block}}
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  }
  return %b : memref<4xf32>
}

// -----

func.func @target_used_before(%a: memref<4xf32>) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  "test.use"(%b) : (memref<4xf32>) -> ()
  // expected-remark @+1 {{no reuse of the source, its target is used before it}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %b : memref<4xf32>
}

// -----

func.func @other_space(%a: memref<4xf32>) -> memref<4xf32, 1> {
  %b = memref.alloc() : memref<4xf32, 1>
  // expected-remark @+1 {{no reuse of the source, its source is of another layout or memory space}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32, 1>
  memref.dealloc %a : memref<4xf32>
  return %b : memref<4xf32, 1>
}

// -----

func.func @target_of_other_space(%a: memref<4xf32, 1>, %x: f32) {
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  // expected-remark @+1 {{no reuse of the target, its target is of another layout or memory space}}
  memref.copy %b, %a : memref<4xf32> to memref<4xf32, 1>
  return
}

// -----

func.func @alignment_of_an_argument(%a: memref<4xf32>) -> memref<4xf32> {
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  // expected-remark @+1 {{no reuse of the source, its source may not be aligned to 64 bytes}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %b : memref<4xf32>
}

// -----

func.func @alignment_of_a_target(%a: memref<4xf32>, %x: f32) {
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  // expected-remark @+1 {{no reuse of the target, its target may not be aligned to 64 bytes}}
  memref.copy %b, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @source_not_freed(%a: memref<4xf32>) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{its target goes elsewhere at 'func.return', and its source is not freed after it}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  // expected-note @+1 {{here}}
  return %b : memref<4xf32>
}

// -----

func.func @source_written(%a: memref<4xf32>, %i: index, %x: f32) -> memref<4xf32> {
  %b = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{no reuse of the source, 'memref.store' may write or free the source while both are in use}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  // expected-note @+1 {{here}}
  memref.store %x, %a[%i] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %b : memref<4xf32>
}

// -----

func.func @target_written(%a: memref<4xf32>, %i: index, %x: f32) -> f32 {
  %b = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{no reuse of the source, 'memref.store' may write or free the target while both are in use}}
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  // expected-note @+1 {{here}}
  memref.store %x, %b[%i] : memref<4xf32>
  %v = memref.load %b[%i] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
}

// -----

func.func @source_leaves(%t: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  // expected-remark @+1 {{no reuse of the target, its source goes elsewhere at 'func.return'}}
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  // expected-note @+1 {{here}}
  return %a : memref<4xf32>
}

// -----

// An op that nothing is known about may reach what the function was given.
func.func @unknown_op(%t: memref<4xf32>, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  // expected-note @+1 {{here}}
  "test.unknown"() : () -> ()
  // expected-remark @+1 {{'test.unknown' may touch the target while the source is made}}
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

func.func @target_is_chosen_later(%x: f32, %p: memref<4xf32>, %q: memref<4xf32>) {
  %f = memref.alloc() : memref<i1>
  "test.make"(%f) : (memref<i1>) -> ()
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %c = memref.load %f[] : memref<i1>
  %t = arith.select %c, %p, %q : memref<4xf32>
  // expected-remark @+1 {{its target is not there when its source is first used}}
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @threads(%x: f32, %t: memref<4xf32>) {
  // expected-note @+1 {{here}}
  scf.forall (%i) in (4) {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    // expected-remark @+1 {{no reuse of the target, other threads of 'scf.forall' may have source or target}}
    memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

func.func @threads_read(%t: memref<4xf32>) {
  // expected-note @+1 {{here}}
  scf.forall (%i) in (4) {
    %b = memref.alloc() : memref<4xf32>
    // expected-remark @+1 {{no reuse of the source, other threads of 'scf.forall' may have source or target}}
    memref.copy %t, %b : memref<4xf32> to memref<4xf32>
    "test.use"(%b) : (memref<4xf32>) -> ()
  }
  return
}

// -----

func.func @asynchronous(%a: memref<4xf32>, %x: f32) {
  %b = memref.alloc() : memref<4xf32>
  %token = async.execute {
    linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
    async.yield
  }
  async.await %token : !async.token
  // expected-remark @+1 {{no reuse of the target, an asynchronous op may be at work on it}}
  memref.copy %b, %a : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Deallocation by hand is left to who does it.
func.func @manual(%a: memref<4xf32>, %x: f32) {
  %b = memref.alloc() {bufferization.manual_deallocation} : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  // expected-remark @+1 {{its source is not allocated in its block}}
  memref.copy %b, %a : memref<4xf32> to memref<4xf32>
  memref.dealloc %b {bufferization.manual_deallocation} : memref<4xf32>
  return
}

// -----

// A kernel is run by many threads: nothing is even looked at.
gpu.module @kernels {
  gpu.func @kernel(%a: memref<4xf32>, %x: f32) kernel {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
    memref.copy %b, %a : memref<4xf32> to memref<4xf32>
    gpu.return
  }
}

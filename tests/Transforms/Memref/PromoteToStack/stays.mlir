// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --memref-promote-to-stack=remarks %s | FileCheck %s

// Every reason for which a buffer stays on the heap.
// CHECK-NOT: memref.alloca()
// CHECK-NOT: memref.alloca(%

func.func @large() {
  // expected-remark @+1 {{buffer stays on the heap: it is not known to be small}}
  %a = memref.alloc() : memref<257xf32>
  "test.use"(%a) : (memref<257xf32>) -> ()
  return
}

// -----

func.func @dynamic(%n: index) {
  // expected-remark @+1 {{it is not known to be small}}
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  return
}

// -----

func.func @freed() {
  // expected-remark @+1 {{it is freed}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  return
}

// -----

func.func @returned() -> memref<4xf32> {
  // expected-remark @+1 {{it is returned by 'func.return'}}
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// -----

// One iteration after the other would take more of the stack.
func.func @in_a_loop(%lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    // expected-remark @+1 {{it is allocated again and again in a loop, at 'scf.for'}}
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

func.func @in_a_branch_in_a_loop(%c: i1, %lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    scf.if %c {
      // expected-remark @+1 {{it is allocated again and again in a loop, at 'scf.for'}}
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

func.func @in_threads() {
  scf.forall (%i) in (8) {
    // expected-remark @+1 {{it is allocated again and again in a loop, at 'scf.forall'}}
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

func.func @in_a_loop_of_blocks(%c: i1) {
  cf.br ^bb1
^bb1:
  // expected-remark @+1 {{it is allocated again and again in a loop, at 'cf.cond_br'}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  return
}

// -----

// The scope is around the loop, not in it.
func.func @loop_in_a_scope(%c: i1) {
  memref.alloca_scope {
    scf.execute_region {
      cf.br ^bb1
    ^bb1:
      // expected-remark @+1 {{it is allocated again and again in a loop, at 'cf.cond_br'}}
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
      cf.cond_br %c, ^bb1, ^bb2
    ^bb2:
      scf.yield
    }
  }
  return
}

// -----

func.func @leaves_by_a_branch(%c: i1, %x: memref<4xf32>, %out: memref<4xf32>) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  cf.br ^bb3(%x : memref<4xf32>)
^bb2:
  // expected-remark @+1 {{'cf.br' hands it on}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.br ^bb3(%a : memref<4xf32>)
^bb3(%b: memref<4xf32>):
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func @leaves_by_a_yield(%c: i1, %x: memref<4xf32>, %out: memref<4xf32>) {
  %r = scf.if %c -> memref<4xf32> {
    // expected-remark @+1 {{'scf.yield' hands it on}}
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  memref.copy %r, %out : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A view of it leaves.
func.func @view_leaves(%c: i1, %x: memref<2xf32, strided<[1]>>) {
  // expected-remark @+1 {{'cf.br' hands it on}}
  %a = memref.alloc() : memref<4xf32>
  %v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  cf.br ^bb1(%v : memref<2xf32, strided<[1]>>)
^bb1(%b: memref<2xf32, strided<[1]>>):
  "test.use"(%b) : (memref<2xf32, strided<[1]>>) -> ()
  return
}

// -----

func.func @stored(%m: memref<memref<4xf32>>) {
  // expected-remark @+1 {{'memref.store' may store it where others find it}}
  %a = memref.alloc() : memref<4xf32>
  memref.store %a, %m[] : memref<memref<4xf32>>
  return
}

// -----

func.func @other_memories(%x: f32, %i: index) {
  // expected-remark @+1 {{its memory space is not that of the stack}}
  %a = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
  memref.store %x, %a[%i] : memref<4xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{its memory space is not that of the stack}}
  %b = memref.alloc() : memref<4xf32, 1>
  memref.store %x, %b[%i] : memref<4xf32, 1>
  // expected-remark @+1 {{its memory space is not that of the stack}}
  %c = memref.alloc() : memref<4xf32, "dram">
  memref.store %x, %c[%i] : memref<4xf32, "dram">
  return
}

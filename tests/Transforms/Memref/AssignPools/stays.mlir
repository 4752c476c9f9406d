// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --tpu-assign-pools=remarks %s | FileCheck %s

// Every reason for which a buffer is left alone; merge-alloc's first.

// CHECK-LABEL: func.func @types(
// CHECK-COUNT-5: memref.alloc
func.func @types(%n: index, %b: memref<4xf32>, %i: index) {
  // expected-remark @+1 {{buffer stays: its size is known at run time only}}
  %0 = memref.alloc(%n) : memref<?xf32>
  // expected-remark @+1 {{buffer stays: its layout is not the identity}}
  %1 = memref.alloc() : memref<4x4xf32, affine_map<(i, j) -> (j, i)>>
  // expected-remark @+1 {{buffer stays: its memory space is not that of the pools}}
  %2 = memref.alloc() : memref<4xf32, 3>
  // expected-remark @+1 {{buffer stays: its size in bytes is not known}}
  %3 = memref.alloc() : memref<4xmemref<4xf32>>
  // expected-remark @+1 {{buffer stays: its size in bytes is not known}}
  %4 = memref.alloc() : memref<4611686018427387904x4xf32>
  return
}

// -----

// CHECK-LABEL: func.func @escapes(
// CHECK-COUNT-4: memref.alloc
func.func @escapes(%box: memref<1xmemref<4xf32>>, %i: index) -> memref<4xf32> {
  // expected-remark @+1 {{buffer stays: it is returned by 'func.return'}}
  %0 = memref.alloc() : memref<4xf32>
  // expected-remark @+1 {{buffer stays: 'memref.store' may store it where others find it}}
  %1 = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  memref.store %1, %box[%i] : memref<1xmemref<4xf32>>
  // expected-note @+1 {{here}}
  scf.forall (%t) in (4) {
    // expected-remark @+1 {{buffer stays: it is allocated inside 'scf.forall', which runs in parallel}}
    %2 = memref.alloc() : memref<4xf32>
    "test.use"(%2) : (memref<4xf32>) -> ()
  }
  // expected-remark @+1 {{buffer stays: it becomes a tensor in 'bufferization.to_tensor'}}
  %3 = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %tensor = bufferization.to_tensor %3 : memref<4xf32> to tensor<4xf32>
  // expected-note @+1 {{here}}
  return %0 : memref<4xf32>
}

// -----

// What a callee does with it, however deep.

// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-LABEL: func.func @freed_with_others(
// expected-remark @+1 {{pool 'workspace': 1 buffer of 16 bytes in 16 bytes, lower bound 16}}
module {
memref.global "private" @box : memref<1xmemref<4xf32>> = uninitialized
func.func private @keep(%x: memref<4xf32>, %i: index) {
  %box = memref.get_global @box : memref<1xmemref<4xf32>>
  // expected-note @+1 {{here}}
  memref.store %x, %box[%i] : memref<1xmemref<4xf32>>
  return
}
func.func private @pass_on(%x: memref<4xf32>, %i: index) {
  %v = memref.cast %x : memref<4xf32> to memref<?xf32>
  %w = memref.cast %v : memref<?xf32> to memref<4xf32>
  call @keep(%w, %i) : (memref<4xf32>, index) -> ()
  return
}
func.func private @free(%x: memref<4xf32>) {
  memref.dealloc %x : memref<4xf32>
  return
}
func.func private @elsewhere(memref<4xf32>)
func.func @main(%i: index) {
  // expected-remark @+1 {{buffer stays: 'memref.store' may store it where others find it}}
  %a = memref.alloc() : memref<4xf32>
  call @keep(%a, %i) : (memref<4xf32>, index) -> ()
  // expected-remark @+1 {{buffer stays: 'memref.store' may store it where others find it}}
  %b = memref.alloc() : memref<4xf32>
  call @pass_on(%b, %i) : (memref<4xf32>, index) -> ()
  // expected-remark @+1 {{buffer stays: 'func.call' may free it}}
  %c = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  call @free(%c) : (memref<4xf32>) -> ()
  %d = memref.alloc() : memref<4xf32>
  call @elsewhere(%d) : (memref<4xf32>) -> ()
  return
}
}

// -----

// One dealloc for a buffer that is planned and one that is not.

func.func @freed_with_others(%p: i1, %n: index) {
  // expected-remark @+1 {{buffer stays: 'memref.dealloc' frees it or a buffer that cannot be merged with it}}
  %a = memref.alloc() : memref<4xf32>
  %v = memref.cast %a : memref<4xf32> to memref<?xf32>
  // expected-remark @+1 {{buffer stays: its size is known at run time only}}
  %b = memref.alloc(%n) : memref<?xf32>
  %c = arith.select %p, %v, %b : memref<?xf32>
  "test.use"(%c) : (memref<?xf32>) -> ()
  // expected-note @+1 {{here}}
  memref.dealloc %c : memref<?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @recursive(
// CHECK: memref.alloc
// CHECK-LABEL: func.func private @called_by_it(
// CHECK: memref.alloc
// expected-note @+1 {{here}}
func.func @recursive(%p: i1) {
  // expected-remark @+1 {{buffer stays: its function calls itself, by way of others or directly}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  scf.if %p {
    func.call @recursive(%p) : (i1) -> ()
  }
  // expected-note @+1 {{here}}
  call @called_by_it() : () -> ()
  return
}
func.func private @called_by_it() {
  // expected-remark @+1 {{buffer stays: 'recursive' calls its function, and its function calls itself}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func private @named(
// CHECK: memref.alloc
// CHECK-LABEL: func.func @takes_address(
// CHECK-NOT: memref.alloc
// expected-remark @+1 {{pool 'workspace'}}
module {
func.func private @named() {
  // expected-remark @+1 {{buffer stays: its function is named by 'func.constant'}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}
func.func @takes_address() {
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  // expected-note @+1 {{here}}
  %f = func.constant @named : () -> ()
  call_indirect %f() : () -> ()
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}
}

// -----

// CHECK-LABEL: func.func private @by_threads(
// CHECK: memref.alloc
func.func private @by_threads() {
  // expected-remark @+1 {{buffer stays: its function is called inside 'scf.parallel', which runs in parallel}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}
func.func @parallel(%n: index, %zero: index, %one: index) {
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    // expected-note @+1 {{here}}
    func.call @by_threads() : () -> ()
  }
  call @by_threads() : () -> ()
  return
}

// -----

// Candidates that mean nothing where nothing is planned stay.

// CHECK-LABEL: func.func @candidates(
// CHECK: memref.alloc() {candidate_pools = ["a"]}
func.func @candidates() -> memref<4xf32> {
  // expected-remark @+1 {{buffer stays: it is returned by 'func.return'}}
  %a = memref.alloc() {candidate_pools = ["a"]} : memref<4xf32>
  // expected-note @+1 {{here}}
  return %a : memref<4xf32>
}

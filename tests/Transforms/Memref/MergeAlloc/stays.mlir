// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(merge-alloc{remarks memory-spaces=default,7}))' %s -o /dev/null

// Every reason for which a buffer is left alone.

func.func @dynamic(%n: index) {
  // expected-remark @+1 {{buffer stays: its size is known at run time only}}
  %a = memref.alloc(%n) : memref<?xf32>
  "test.use"(%a) : (memref<?xf32>) -> ()
  return
}

// -----

func.func @layout() {
  // expected-remark @+1 {{buffer stays: its layout is not the identity}}
  %a = memref.alloc() : memref<4x4xf32, affine_map<(i, j) -> (j, i)>>
  "test.use"(%a) : (memref<4x4xf32, affine_map<(i, j) -> (j, i)>>) -> ()
  return
}

// -----

func.func @element_size(%b: memref<4xf32>, %i: index) {
  // expected-remark @+1 {{buffer stays: its size in bytes is not known}}
  %a = memref.alloc() : memref<4xmemref<4xf32>>
  memref.store %b, %a[%i] : memref<4xmemref<4xf32>>
  return
}

// -----

func.func @more_than_63_bits() {
  // expected-remark @+1 {{buffer stays: its size in bytes is not known}}
  %a = memref.alloc() : memref<4611686018427387904x4xf32>
  "test.use"(%a) : (memref<4611686018427387904x4xf32>) -> ()
  return
}

// -----

// expected-remark @+1 {{memory space '7': 1 buffer of 16 bytes stays apart: nothing to save}}
func.func @memory_space() {
  // expected-remark @+1 {{buffer stays: its memory space is not among those to merge}}
  %a = memref.alloc() : memref<4xf32, 3>
  "test.use"(%a) : (memref<4xf32, 3>) -> ()
  %b = memref.alloc() : memref<4xf32, 7>
  "test.use"(%b) : (memref<4xf32, 7>) -> ()
  return
}

// -----

func.func @unknown_region() {
  // expected-note @+1 {{here}}
  "test.region"() ({
    // expected-remark @+1 {{buffer stays: it is allocated inside 'test.region', whose control flow is not known}}
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }) : () -> ()
  return
}

// -----

func.func @returned() -> memref<2xf32, strided<[1]>> {
  // expected-remark @+1 {{buffer stays: it is returned by 'func.return'}}
  %a = memref.alloc() : memref<4xf32>
  %v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  // expected-note @+1 {{here}}
  return %v : memref<2xf32, strided<[1]>>
}

// -----

func.func @returned_by_a_scope() {
  // expected-note @+1 {{here}}
  %r = memref.alloca_scope -> (memref<4xf32>) {
    // expected-remark @+1 {{buffer stays: it is returned by 'memref.alloca_scope'}}
    %a = memref.alloc() : memref<4xf32>
    memref.alloca_scope.return %a : memref<4xf32>
  }
  "test.use"(%r) : (memref<4xf32>) -> ()
  memref.dealloc %r : memref<4xf32>
  return
}

// -----

func.func @loop_yield(%lb: index, %ub: index, %step: index, %first: memref<4xf32>) {
  // expected-note @+1 {{here}}
  %r = scf.for %i = %lb to %ub step %step iter_args(%x = %first) -> memref<4xf32> {
    // expected-remark @+1 {{buffer stays: a loop hands it on, at 'scf.for'}}
    %b = memref.alloc() : memref<4xf32>
    "test.use"(%b, %x) : (memref<4xf32>, memref<4xf32>) -> ()
    scf.yield %b : memref<4xf32>
  }
  "test.use"(%r) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @loop_yield_of_an_outer_buffer(%lb: index, %ub: index, %step: index) {
  // expected-remark @+1 {{buffer stays: a loop hands it on, at 'scf.yield'}}
  %a = memref.alloc() : memref<4xf32>
  %r = scf.for %i = %lb to %ub step %step iter_args(%x = %a) -> memref<4xf32> {
    "test.use"(%x) : (memref<4xf32>) -> ()
    // expected-note @+1 {{here}}
    scf.yield %x : memref<4xf32>
  }
  "test.use"(%r) : (memref<4xf32>) -> ()
  return
}

// -----

// expected-note @+1 {{here}}
func.func @outlives(%first: memref<4xf32>, %p: i1) {
  cf.br ^loop(%first : memref<4xf32>)
^loop(%before: memref<4xf32>):
  // expected-remark @+1 {{buffer stays: it may still be in use when its allocation runs again}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a, %before) : (memref<4xf32>, memref<4xf32>) -> ()
  cf.cond_br %p, ^loop(%a : memref<4xf32>), ^end
^end:
  return
}

// -----

func.func @stored(%box: memref<1xmemref<4xf32>>, %i: index) {
  // expected-remark @+1 {{buffer stays: 'memref.store' may store it where others find it}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  memref.store %a, %box[%i] : memref<1xmemref<4xf32>>
  return
}

// -----

func.func @pointer() -> index {
  // expected-remark @+1 {{buffer stays: its address is taken by 'memref.extract_aligned_pointer_as_index'}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  return %p : index
}

// -----

func.func @metadata() {
  // expected-remark @+1 {{buffer stays: its address is taken by 'memref.extract_strided_metadata'}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %base, %offset, %size, %stride = memref.extract_strided_metadata %a : memref<4xf32> -> memref<f32>, index, index, index
  "test.use"(%base) : (memref<f32>) -> ()
  return
}

// -----

func.func @tensor() -> tensor<4xf32> {
  // expected-remark @+1 {{buffer stays: it becomes a tensor in 'bufferization.to_tensor'}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %t = bufferization.to_tensor %a : memref<4xf32> to tensor<4xf32>
  return %t : tensor<4xf32>
}

// -----

func.func @unknown_result() {
  // expected-remark @+1 {{buffer stays: it may live on in a result of 'test.address'}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %p = "test.address"(%a) : (memref<4xf32>) -> i64
  "test.jump"(%p) : (i64) -> ()
  return
}

// -----

func.func @unknown_yield() {
  // expected-remark @+1 {{buffer stays: 'test.yield' hands it on to an unknown place}}
  %a = memref.alloc() : memref<4xf32>
  %r = "test.region"() ({
    // expected-note @+1 {{here}}
    "test.yield"(%a) : (memref<4xf32>) -> ()
  }) : () -> memref<4xf32>
  "test.use"(%r) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @asynchronous() {
  // expected-remark @+1 {{buffer stays: 'async.execute' may still be at work on it after it is done}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{here}}
  %token = async.execute {
    "test.use"(%a) : (memref<4xf32>) -> ()
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

func.func @asynchronous_kernel_op() {
  %t = gpu.wait async
  // expected-remark @+1 {{buffer stays: 'gpu.memset' may still be at work on it after it is done}}
  %a = memref.alloc() : memref<4xf32>
  %f = arith.constant 0.0 : f32
  // expected-note @+1 {{here}}
  %d = gpu.memset async [%t] %a, %f : memref<4xf32>, f32
  gpu.wait [%d]
  return
}

// -----

func.func @freed() {
  // expected-remark @+1 {{buffer stays: 'memref.realloc' frees it}}
  %a = memref.alloc() : memref<4xf32>
  // expected-remark @+2 {{buffer stays: 'memref.realloc' allocates it, not 'memref.alloc'}}
  // expected-note @+1 {{here}}
  %b = memref.realloc %a : memref<4xf32> to memref<8xf32>
  "test.use"(%b) : (memref<8xf32>) -> ()
  return
}

// -----

func.func @freed_with_ownership(%p: i1) {
  // expected-remark @+1 {{buffer stays: 'bufferization.dealloc' frees it}}
  %a = memref.alloc() : memref<4xf32>
  "test.use"(%a) : (memref<4xf32>) -> ()
  // expected-note @+1 {{here}}
  bufferization.dealloc (%a : memref<4xf32>) if (%p)
  return
}

// -----

func.func @freed_with_others(%p: i1, %other: memref<4xf32>) {
  // expected-remark @+1 {{buffer stays: 'memref.dealloc' frees it or a buffer that cannot be merged with it}}
  %a = memref.alloc() : memref<4xf32>
  %s = arith.select %p, %a, %other : memref<4xf32>
  "test.use"(%s) : (memref<4xf32>) -> ()
  // expected-note @+1 {{here}}
  memref.dealloc %s : memref<4xf32>
  return
}

// -----

func.func @removed() {
  // expected-remark @+1 {{buffer removed: it is never accessed}}
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}

// What is not executed here: devices, threads, tensors, layouts, ops that nothing
// knows.

func.func @cloned(%c: i1, %arg: memref<2xf32>, %out: memref<2xf32>) {
  %a = memref.alloc() : memref<2xf32>
  %m = scf.if %c -> memref<2xf32> {
    %k = bufferization.clone %arg : memref<2xf32> to memref<2xf32>
    scf.yield %k : memref<2xf32>
  } else {
    linalg.exp ins(%arg : memref<2xf32>) outs(%a : memref<2xf32>)
    %k = bufferization.clone %a : memref<2xf32> to memref<2xf32>
    scf.yield %k : memref<2xf32>
  }
  memref.copy %m, %out : memref<2xf32> to memref<2xf32>
  memref.dealloc %m : memref<2xf32>
  return
}

func.func @clone_of_a_clone(%arg: memref<?xf32>) -> memref<?xf32> {
  %a = bufferization.clone %arg : memref<?xf32> to memref<?xf32>
  %b = bufferization.clone %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return %b : memref<?xf32>
}

func.func @tensors_between(%t: tensor<4xf32>, %out: memref<4xf32>) -> tensor<4xf32> {
  %m = bufferization.to_buffer %t : tensor<4xf32> to memref<4xf32>
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%m : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  %r = bufferization.to_tensor %a : memref<4xf32> to tensor<4xf32>
  return %r : tensor<4xf32>
}

func.func @tensors_in_a_loop(%n: index, %t: tensor<4xf32>) -> tensor<4xf32> {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %k = %i to %n step %one iter_args(%p = %t) -> tensor<4xf32> {
    %m = bufferization.to_buffer %p : tensor<4xf32> to memref<4xf32>
    %a = memref.alloc() : memref<4xf32>
    linalg.exp ins(%m : memref<4xf32>) outs(%a : memref<4xf32>)
    %q = bufferization.to_tensor %a : memref<4xf32> to tensor<4xf32>
    scf.yield %q : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A symbol in the layout.
func.func @operands_for_symbols(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc(%n)[%n] : memref<?xf32, affine_map<(d0)[s0] -> (d0 * s0)>>
  memref.store %x, %a[%i] : memref<?xf32, affine_map<(d0)[s0] -> (d0 * s0)>>
  %b = memref.alloc()[%n] : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  memref.store %x, %b[%i] : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  %v = memref.load %b[%i] : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>
  return %v : f32
}

func.func @spaces(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32, 1>
  memref.store %x, %a[%i] : memref<4xf32, 1>
  %b = memref.alloc() : memref<4xf32, "near">
  memref.store %x, %b[%i] : memref<4xf32, "near">
  %d = memref.alloc() : memref<4xf32, 1>
  memref.copy %b, %d : memref<4xf32, "near"> to memref<4xf32, 1>
  %e = memref.memory_space_cast %d : memref<4xf32, 1> to memref<4xf32>
  %m = scf.if %c -> memref<4xf32> {
    scf.yield %e : memref<4xf32>
  } else {
    %f = memref.alloc() : memref<4xf32>
    memref.copy %a, %f : memref<4xf32, 1> to memref<4xf32>
    scf.yield %f : memref<4xf32>
  }
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

func.func @launches(%n: index, %x: f32, %out: memref<16xf32>) {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%lx = %n, %ly = %n, %lz = %n) {
    %s = memref.alloc() : memref<16xf32, #gpu.address_space<private>>
    %v = memref.load %a[%tx] : memref<16xf32>
    memref.store %v, %s[%tx] : memref<16xf32, #gpu.address_space<private>>
    %w = memref.load %s[%tx] : memref<16xf32, #gpu.address_space<private>>
    memref.store %w, %out[%tx] : memref<16xf32>
    gpu.terminator
  }
  return
}

func.func @device_memory(%n: index, %host: memref<?xf32>) {
  %t = gpu.wait async
  %a, %u = gpu.alloc async [%t] (%n) : memref<?xf32>
  %v = gpu.memcpy async [%u] %a, %host : memref<?xf32>, memref<?xf32>
  %h = memref.alloc(%n) : memref<?xf32>
  %w = gpu.memcpy async [%v] %h, %a : memref<?xf32>, memref<?xf32>
  %d = gpu.dealloc async [%w] %a : memref<?xf32>
  gpu.wait [%d]
  memref.copy %h, %host : memref<?xf32> to memref<?xf32>
  return
}

func.func @asynchronous(%x: f32, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %token = async.execute {
    %b = memref.alloc() : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %out : memref<4xf32> to memref<4xf32>
    async.yield
  }
  async.await %token : !async.token
  return
}

func.func @asynchronous_value(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %token, %f = async.execute -> !async.value<memref<4xf32>> {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
    async.yield %b : memref<4xf32>
  }
  %m = async.await %f : !async.value<memref<4xf32>>
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

func.func @atomic_and_generic(%x: f32, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %o = memref.atomic_rmw addf %x, %a[%i] : (f32, memref<4xf32>) -> f32
  %g = memref.generic_atomic_rmw %a[%i] : memref<4xf32> {
  ^bb0(%current: f32):
    %s = arith.addf %current, %o : f32
    memref.atomic_yield %s : f32
  }
  memref.store %g, %out[%i] : memref<4xf32>
  return
}

func.func @pointers(%x: f32) -> index {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  %b = memref.alloc() : memref<4xf32>
  %base, %offset, %size, %stride = memref.extract_strided_metadata %b : memref<4xf32> -> memref<f32>, index, index, index
  memref.store %x, %base[] : memref<f32>
  return %p : index
}

func.func @memrefs_of_memrefs(%c: i1, %x: f32, %box: memref<2xmemref<4xf32>>) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  scf.if %c {
    memref.store %a, %box[%i] : memref<2xmemref<4xf32>>
  }
  %b = memref.alloc() : memref<4xf32>
  memref.store %x, %b[%i] : memref<4xf32>
  %m = memref.load %box[%i] : memref<2xmemref<4xf32>>
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

func.func @nobody_knows(%c: i1, %x: f32) -> memref<4xf32> {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  "test.writes"(%a) : (memref<4xf32>) -> ()
  %b = "test.forwards"(%a) : (memref<4xf32>) -> memref<4xf32>
  %d = "test.region"(%b) ({
  ^bb0(%p: memref<4xf32>):
    %e = memref.alloc() : memref<4xf32>
    memref.copy %p, %e : memref<4xf32> to memref<4xf32>
    "test.yield"(%e) : (memref<4xf32>) -> ()
  }) : (memref<4xf32>) -> memref<4xf32>
  return %d : memref<4xf32>
}

func.func private @elsewhere(memref<4xf32>) -> memref<4xf32>
func.func private @reads_elsewhere(memref<4xf32>)

func.func @calls_elsewhere(%x: f32) -> memref<4xf32> {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  %b = call @elsewhere(%a) : (memref<4xf32>) -> memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  memref.store %x, %d[%i] : memref<4xf32>
  call @reads_elsewhere(%d) : (memref<4xf32>) -> ()
  return %b : memref<4xf32>
}

func.func @by_value(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %f = func.constant @reads_elsewhere : (memref<4xf32>) -> ()
  %a = memref.alloc() : memref<4xf32>
  memref.store %x, %a[%i] : memref<4xf32>
  call_indirect %f(%a) : (memref<4xf32>) -> ()
  %v = memref.load %a[%i] : memref<4xf32>
  return %v : f32
}

func.func @threads(%n: index, %x: f32, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  omp.parallel {
    %t = memref.alloc() : memref<8xf32>
    memref.copy %a, %t : memref<8xf32> to memref<8xf32>
    %v = memref.load %t[%i] : memref<8xf32>
    memref.store %v, %out[%i] : memref<8xf32>
    omp.terminator
  }
  return
}

module @inner {
  func.func @in_a_module_of_its_own(%x: f32, %out: memref<4xf32>) {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    %b = memref.alloc() : memref<4xf32>
    linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
    memref.copy %b, %out : memref<4xf32> to memref<4xf32>
    return
  }
}

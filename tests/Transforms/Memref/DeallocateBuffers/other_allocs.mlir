// RUN: tpuc-opt --memref-deallocate %s 2>&1 >/dev/null | FileCheck %s --implicit-check-not=remark:
// RUN: tpuc-opt --merge-alloc=remarks %s 2>&1 >/dev/null | FileCheck %s --check-prefix=MERGE
// RUN: tpuc-opt --memref-promote-to-stack=remarks %s 2>&1 >/dev/null | FileCheck %s --check-prefix=STACK
// RUN: tpuc-opt --tpu-assign-pools=remarks %s 2>&1 >/dev/null | FileCheck %s --check-prefix=POOLS

// What else than memref.alloc allocates stays, and a remark says so.

func.func private @use(memref<4xf32>)

// CHECK: [[@LINE+5]]:8: remark: is not freed by memref-deallocate: 'memref.dealloc' is not known to free what 'gpu.alloc' allocates
// MERGE: [[@LINE+4]]:8: remark: buffer stays: 'gpu.alloc' allocates it, not 'memref.alloc'
// STACK: [[@LINE+3]]:8: remark: buffer stays on the heap: 'gpu.alloc' allocates it, not 'memref.alloc'
// POOLS: [[@LINE+2]]:8: remark: buffer stays: 'gpu.alloc' allocates it, not 'memref.alloc'
func.func @a_gpu_allocates() {
  %a = gpu.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK: [[@LINE+4]]:12: remark: is not freed by memref-deallocate: 'memref.dealloc' is not known to free what 'gpu.alloc' allocates
// MERGE: [[@LINE+3]]:12: remark: buffer stays: 'gpu.alloc'
func.func @asynchronously() {
  %t = gpu.wait async
  %a, %u = gpu.alloc async [%t] () : memref<4xf32>
  gpu.wait [%u]
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// The program frees it.
func.func @a_gpu_frees() {
  %a = gpu.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  gpu.dealloc %a : memref<4xf32>
  return
}

// This is freed like others, but never merged.
// MERGE: [[@LINE+3]]:8: remark: buffer stays: 'bufferization.clone' allocates it, not 'memref.alloc'
// STACK: [[@LINE+2]]:8: remark: buffer stays on the heap: 'bufferization.clone' allocates it, not 'memref.alloc'
func.func @a_clone(%x: memref<4xf32>) {
  %a = bufferization.clone %x : memref<4xf32> to memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// Nothing to free here.
func.func @on_the_stack() {
  %a = memref.alloca() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// Without one of these no pool is planned.
func.func @plain() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc=remarks %s 2>%t | FileCheck --check-prefix=ALONE %s
// RUN: FileCheck --check-prefix=REMARK %s < %t
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc --gpu-pack-shared-memory %s | FileCheck --check-prefixes=BOTH,FIRST %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory --merge-alloc %s | FileCheck --check-prefixes=BOTH,LAST %s

// merge-alloc leaves workgroup memory of kernels alone: it knows nothing of
// barriers. Memory that each thread has for itself it merges, before or after.

// REMARK-COUNT-2: remark: buffer stays: the threads of a workgroup share it; 'gpu-pack-shared-memory' packs it, with barriers
// REMARK: remark: memory space 'default': 2 buffers of 32 bytes share 16 bytes
// REMARK-COUNT-2: remark: buffer stays: the threads of a workgroup share it

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>
!p = memref<4xf32>

gpu.module @m {
// ALONE-LABEL: gpu.func @kernel(
// ALONE: memref.alloc() {alignment = 64 : i64} : memref<16xi8>
// ALONE-COUNT-2: memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// ALONE-NOT: gpu.barrier
// ALONE: gpu.return
// BOTH-LABEL: gpu.func @kernel(
// FIRST: memref.alloc() {{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
// FIRST: memref.alloc() {{.*}} : memref<16xi8>
// LAST: memref.alloc() {{.*}} : memref<16xi8>
// LAST: memref.alloc() {{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
// BOTH: "test.a"
// BOTH: gpu.barrier
// BOTH-NEXT: "test.b"
  gpu.func @kernel() kernel {
    %a = memref.alloc() : !t
    %p = memref.alloc() : !p
    "test.a"(%a, %p) : (!t, !p) -> ()
    %b = memref.alloc() : !t
    %q = memref.alloc() : !p
    "test.b"(%b, %q) : (!t, !p) -> ()
    gpu.return
  }
}

// -----

!t = memref<64xf32, #gpu.address_space<workgroup>>

// ALONE-LABEL: func.func @launch(
// ALONE-COUNT-2: memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
// ALONE-NOT: gpu.barrier
// BOTH-LABEL: func.func @launch(
// BOTH: memref.alloc() {{.*}} : memref<256xi8, #gpu.address_space<workgroup>>
// BOTH: gpu.barrier
func.func @launch(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
    %b = memref.alloc() : !t
    "test.b"(%b) : (!t) -> ()
    gpu.terminator
  }
  return
}

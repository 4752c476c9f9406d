// RUN: tpuc-opt --gpu-pack-shared-memory=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t
// RUN: tpuc-opt --pass-pipeline='builtin.module(gpu.module(gpu.func(gpu-pack-shared-memory)))' %s | FileCheck --check-prefix=ALONE %s

// What a function that the kernel calls frees is memory of its own.

gpu.module @kernels {
  func.func @sink(%x: memref<64xf32, #gpu.address_space<workgroup>>) {
    memref.dealloc %x : memref<64xf32, #gpu.address_space<workgroup>>
    return
  }

  func.func @reader(%x: memref<64xf32, #gpu.address_space<workgroup>>) {
    return
  }

  // CHECK-LABEL: gpu.func @freed
  // CHECK-NOT: memref.view
  // CHECK: memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK: memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  // CHECK: gpu.return
  // REMARK: remark: buffer stays: 'func.call' may free it
  // REMARK: remark: buffer stays: 'func.call' may free it
  gpu.func @freed() kernel {
    %a = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    func.call @sink(%a) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
    %b = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    func.call @sink(%b) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
    gpu.return
  }

  // CHECK-LABEL: gpu.func @read
  // CHECK: memref.view
  // CHECK: memref.view
  // ALONE-LABEL: gpu.func @read
  // ALONE-NOT: memref.view
  // ALONE: gpu.return
  // REMARK-NOT: stays
  gpu.func @read() kernel {
    %a = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    func.call @reader(%a) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
    %b = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    func.call @reader(%b) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
    gpu.return
  }
}

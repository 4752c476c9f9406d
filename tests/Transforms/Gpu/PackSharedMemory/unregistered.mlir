// RUN: tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=remarks --verify-diagnostics %s | FileCheck %s

// What an op takes that ends its block, but does not say where it leads, keeps
// memory of its own.

#shared = #gpu.address_space<workgroup>

gpu.module @kernels {
  // expected-remark @+4 {{buffer stays: it is returned by 'custom.return'}}
  // CHECK-LABEL: gpu.func @function_ends(
  // CHECK-SAME: %[[A:arg[0-9]+]] : memref<16xf32, #gpu.address_space<workgroup>>
  // expected-remark @+1 {{workgroup memory: 2 buffers of 128 bytes share 64 bytes}}
  gpu.func @function_ends() workgroup(%a: memref<16xf32, #shared>, %b: memref<16xf32, #shared>, %c: memref<16xf32, #shared>) kernel {
    "custom.write"(%a) : (memref<16xf32, #shared>) -> ()
    gpu.barrier
    "custom.write"(%b) : (memref<16xf32, #shared>) -> ()
    gpu.barrier
    "custom.write"(%c) : (memref<16xf32, #shared>) -> ()
    // CHECK: "custom.return"(%[[A]])
    // expected-note @+1 {{here}}
    "custom.return"(%a) : (memref<16xf32, #shared>) -> ()
  }
}

// RUN: not tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=alignment=48 %s 2>&1 | FileCheck --check-prefix=ALIGN %s
// RUN: not tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=capacity=-7 %s 2>&1 | FileCheck --check-prefix=NEGATIVE %s
// RUN: not tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=strategy=magic %s 2>&1 | FileCheck --check-prefix=STRATEGY %s
// RUN: tpuc-opt --allow-unregistered-dialect --verify-diagnostics --gpu-pack-shared-memory=capacity=512 %s
// RUN: tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=capacity=656 %s -o /dev/null

// ALIGN: error: option 'alignment' is 48, expected a power of two from 1 to 2^31 [TPUMEM-E018]
// NEGATIVE: error: option 'capacity': -7 is no number of bytes [TPUMEM-E018]
// STRATEGY: error: unknown strategy 'magic'; strategies: auto, best-fit, {{.*}} [TPUMEM-E016]

#ws = #gpu.address_space<workgroup>

gpu.module @m {
  // expected-error @+1 {{'gpu.func' op does not fit: its workgroup memory needs 656 B, has 512 B, over by 144 B [TPUMEM-E001]}}
  gpu.func @too_much() workgroup(
      // expected-note @+1 {{256 B in use there}}
      %a: memref<64xf32, #ws>,
      // expected-note @+1 {{192 B in use there}}
      %b: memref<48xf32, #ws>,
      // expected-note @+1 {{128 B in use there}}
      %c: memref<32xf32, #ws>,
      %d: memref<32xf32, #ws>,
      // expected-note @+1 {{80 B that cannot be packed: its layout is not the identity}}
      %s: memref<20xf32, strided<[1], offset: 4>, #ws>) kernel {
    // expected-note @+1 {{most is in use here: 576 B, so no layout can fit}}
    "test.use"(%a, %b, %c) : (memref<64xf32, #ws>, memref<48xf32, #ws>, memref<32xf32, #ws>) -> ()
    "test.use"(%d) : (memref<32xf32, #ws>) -> ()
    gpu.return
  }
}

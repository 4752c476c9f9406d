// RUN: tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=remarks %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: not tpuc-opt --allow-unregistered-dialect --gpu-pack-shared-memory=capacity=512 %s 2>&1 | FileCheck --check-prefix=ERROR %s

// The examples of tpu_mlir/docs/passes/SharedMemory.md.

!tile = memref<64xf32, #gpu.address_space<workgroup>>

// REMARK: remark: workgroup memory: 3 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// ERROR: error: 'gpu.func' op does not fit: its workgroup memory needs 1.0 KiB (1,024 B), has 512 B, over by 512 B [TPUMEM-E001]
// ERROR: note: most is in use here: 1.0 KiB, so no layout can fit
// ERROR-COUNT-4: note: 256 B in use there
// CHECK-LABEL: gpu.func @gemm(
// CHECK-SAME: workgroup(%[[BYTES:.*]] : memref<512xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[A:.*]] = memref.view %[[BYTES]][%[[C0]]][]
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK-NEXT: %[[B:.*]] = memref.view %[[BYTES]][%[[C256]]][]
// CHECK: %[[OUT:.*]] = memref.view %[[BYTES]]
// CHECK: scf.for
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "copy"(%[[A]], %[[B]])
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "multiply"(%[[A]], %[[B]])
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "transpose"(%[[OUT]])
gpu.module @kernels {
gpu.func @gemm(%tiles: index) workgroup(%a: !tile, %b: !tile, %out: !tile) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %tiles step %c1 {
    gpu.barrier
    "copy"(%a, %b) : (!tile, !tile) -> ()
    gpu.barrier
    "multiply"(%a, %b) : (!tile, !tile) -> ()
  }
  "transpose"(%out) : (!tile) -> ()
  gpu.return
}

gpu.func @too_much(%tiles: index) workgroup(%a: !tile, %b: !tile, %c: !tile, %d: !tile) kernel {
  "use"(%a, %b, %c, %d) : (!tile, !tile, !tile, !tile) -> ()
  gpu.return
}
}

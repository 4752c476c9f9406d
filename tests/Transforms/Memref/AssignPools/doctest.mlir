// RUN: tpuc-opt --tpu-assign-pools="pools=name=sram,size=256,align=16,cost=1;name=dram,cost=10" %s | FileCheck %s
// RUN: tpuc-opt --tpu-assign-pools %s | FileCheck --check-prefix=ONE %s

// The example of tpu_mlir/docs/passes/AssignPools.md.

// CHECK-LABEL: func.func private @op(
// CHECK-SAME: %[[X:[^:]*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<64xf32>, %[[S:[^:]*]]: memref<256xi8> {tpu.pool = "sram", tpu.pool_alignment = 16 : i64}) attributes {tpu.pool_arguments = ["sram"]} {
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[S]][%[[C0]]][] : memref<256xi8> to memref<64xf32>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[S]][%[[C0]]][] : memref<256xi8> to memref<64xf32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[^:]*]]: memref<64xf32>, %[[Y:[^:]*]]: memref<64xf32>, %[[S:[^:]*]]: memref<256xi8> {tpu.pool = "sram", tpu.pool_alignment = 16 : i64}, %[[D:[^:]*]]: memref<256xi8> {tpu.pool = "dram", tpu.pool_alignment = 64 : i64}) attributes {tpu.pool_arguments = ["sram", "dram"]} {
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[A:.*]] = memref.view %[[D]][%[[C0]]][] : memref<256xi8> to memref<64xf32>
// CHECK: call @op(%[[X]], %[[A]], %[[S]])
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[B:.*]] = memref.view %[[D]][%[[C0]]][] : memref<256xi8> to memref<64xf32>
// CHECK: call @op(%[[A]], %[[B]], %[[S]])
// CHECK: call @op(%[[B]], %[[Y]], %[[S]])

// ONE: memref.global "private" @tpu_workspace : memref<512xi8> = uninitialized
// ONE: func.func @main(%{{[^:]*}}: memref<64xf32>, %{{[^:]*}}: memref<64xf32>) {
func.func private @op(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  %u = memref.alloc() : memref<64xf32>
  linalg.exp ins(%t : memref<64xf32>) outs(%u : memref<64xf32>)
  memref.copy %u, %y : memref<64xf32> to memref<64xf32>
  return
}
func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  call @op(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  call @op(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @op(%b, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

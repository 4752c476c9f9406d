// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{remarks}))' %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=WHY %s < %t.remarks
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{alignment=0}))' %s -o /dev/null 2>&1 | FileCheck --check-prefix=ZERO %s

// Each function is one that a planner of memref.allocs is known to get wrong.

// D1. %a is carried round the outer loop, though only the first inner loop
// touches it; %b, of the second, must not get its bytes. %c comes later.
// CHECK-LABEL: func.func @d1_carried_round_two_loops(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[A_AT:.*]]][]
// CHECK: %[[B:.*]] = memref.view %[[ARENA]][%[[B_AT:.*]]][]
// CHECK: "test.use"(%[[A]])
// CHECK: "test.use"(%[[B]])
func.func @d1_carried_round_two_loops(%lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.for %i = %lb to %ub step %step {
    scf.for %j = %lb to %ub step %step {
      "test.use"(%a) : (memref<64xf32>) -> ()
    }
    scf.for %j = %lb to %ub step %step {
      "test.use"(%b) : (memref<64xf32>) -> ()
    }
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// D2. A view has no layout: such a buffer stays.
// CHECK-LABEL: func.func @d2_layout(
// CHECK: memref.alloc() : memref<64xf32, strided<[2]>>
// CHECK: memref.alloc() : memref<64xf32, strided<[2]>>
// WHY: remark: buffer stays: its layout is not the identity
// WHY: remark: buffer stays: its layout is not the identity
func.func @d2_layout() {
  %a = memref.alloc() : memref<64xf32, strided<[2]>>
  "test.use"(%a) : (memref<64xf32, strided<[2]>>) -> ()
  %b = memref.alloc() : memref<64xf32, strided<[2]>>
  "test.use"(%b) : (memref<64xf32, strided<[2]>>) -> ()
  return
}

// -----

// D3. No dealloc of a view is left; the allocation is freed once, at the end.
// CHECK-LABEL: func.func @d3_dealloc(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64, bufferization.manual_deallocation} : memref<256xi8>
// CHECK-NOT: memref.dealloc
// CHECK: "test.end"
// CHECK-NEXT: memref.dealloc %[[ARENA]] {bufferization.manual_deallocation} : memref<256xi8>
// CHECK-NEXT: return
func.func @d3_dealloc() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  "test.end"() : () -> ()
  return
}

// -----

// D4. 4 x 8 bytes, and 3 vectors that take 16 each.
// CHECK-LABEL: func.func @d4_index_and_vectors(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<48xi8>
func.func @d4_index_and_vectors() {
  %a = memref.alloc() : memref<4xindex>
  "test.use"(%a) : (memref<4xindex>) -> ()
  %b = memref.alloc() : memref<3xvector<4xf32>>
  "test.use"(%b) : (memref<3xvector<4xf32>>) -> ()
  return
}

// -----

// D5. An i12 takes two bytes: 200 each, not 100. Both are alive at once.
// CHECK-LABEL: func.func @d5_odd_widths(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<456xi8>
func.func @d5_odd_widths() {
  %a = memref.alloc() : memref<100xi12>
  %b = memref.alloc() : memref<100xi12>
  "test.use"(%a, %b) : (memref<100xi12>, memref<100xi12>) -> ()
  %c = memref.alloc() : memref<100xi12>
  "test.use"(%c) : (memref<100xi12>) -> ()
  return
}

// -----

// D6. Branches are followed: %a dies in the one block, %b is born in another.
// CHECK-LABEL: func.func @d6_unstructured(
// CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK: ^bb1:
// CHECK: memref.view %[[ARENA]]
func.func @d6_unstructured(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  cf.br ^bb2
^bb2:
  return
}

// -----

// CHECK-LABEL: func.func @d6_empty_buffer(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @d6_empty_buffer() {
  %z = memref.alloc() : memref<0xf32>
  "test.use"(%z) : (memref<0xf32>) -> ()
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  return
}

// -----

// All threads may be anywhere in the kernel: %a and %b conflict, %c does not.
// CHECK-LABEL: func.func @d6_kernel_with_outer_buffers(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: gpu.launch
func.func @d6_kernel_with_outer_buffers() {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    "test.use"(%a) : (memref<64xf32>) -> ()
    "test.use"(%b) : (memref<64xf32>) -> ()
    gpu.terminator
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// D7. is in threads.mlir: it needs hoisting.

// D8. What nothing accesses costs nothing.
// CHECK-LABEL: func.func @d8_unused(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// WHY: remark: buffer removed: it is never accessed
func.func @d8_unused() {
  %dead = memref.alloc() : memref<1024xf32>
  %view = memref.subview %dead[0] [4] [1] : memref<1024xf32> to memref<4xf32, strided<[1]>>
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  return
}

// -----

// Nor does what cannot be removed: its bytes are not touched.
// CHECK-LABEL: func.func @d8_dimension_only(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NOT: memref.alloc
func.func @d8_dimension_only(%i: index) -> (index, index) {
  %dead = memref.alloc() : memref<32xf32>
  %alike = memref.alloc() : memref<64xf32>
  %m = memref.dim %dead, %i : memref<32xf32>
  %n = memref.dim %alike, %i : memref<64xf32>
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  return %m, %n : index, index
}

// -----

// D9. The copy goes on after it was started: its buffers stay.
// CHECK-LABEL: func.func @d9_asynchronous_copy(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-COUNT-3: memref.alloc() : memref<
// WHY: remark: buffer stays: 'memref.dma_start' may still be at work on it after it is done
// WHY: remark: buffer stays: 'memref.dma_start' may still be at work on it after it is done
// WHY: remark: buffer stays: 'memref.dma_start' may still be at work on it after it is done
func.func @d9_asynchronous_copy(%i: index, %n: index) {
  %from = memref.alloc() : memref<64xf32>
  %to = memref.alloc() : memref<64xf32, 1>
  %tag = memref.alloc() : memref<1xi32>
  "test.use"(%from) : (memref<64xf32>) -> ()
  memref.dma_start %from[%i], %to[%i], %n, %tag[%i] : memref<64xf32>, memref<64xf32, 1>, memref<1xi32>
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  memref.dma_wait %tag[%i], %n : memref<1xi32>
  "test.use"(%to) : (memref<64xf32, 1>) -> ()
  return
}

// -----

// D10. A loop made of branches: %a is carried round it, %b is touched in it.
// CHECK-LABEL: func.func @d10_loop_of_branches(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @d10_loop_of_branches(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  scf.execute_region {
    cf.br ^loop
  ^loop:
    "test.use"(%a) : (memref<64xf32>) -> ()
    cf.br ^more
  ^more:
    "test.use"(%b) : (memref<64xf32>) -> ()
    cf.cond_br %p, ^loop, ^end
  ^end:
    scf.yield
  }
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// D11. Whatever an op may keep is in use for good.
// CHECK-LABEL: func.func @d11_result_of_an_unknown_op(
// CHECK-NEXT: memref.alloc() : memref<64xf32>
// WHY: remark: buffer stays: it may live on in a result of 'test.alias'
func.func @d11_result_of_an_unknown_op() {
  %a = memref.alloc() : memref<64xf32>
  %alias = "test.alias"(%a) : (memref<64xf32>) -> memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%alias) : (memref<64xf32>) -> ()
  return
}

// -----

// A use without rank is a use: %a and %b are alive at once.
// CHECK-LABEL: func.func @d11_unranked(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8>
func.func @d11_unranked() {
  %a = memref.alloc() : memref<64xf32>
  %u = memref.cast %a : memref<64xf32> to memref<*xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%u) : (memref<*xf32>) -> ()
  "test.use"(%b) : (memref<64xf32>) -> ()
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @d11_tensor(
// CHECK-NEXT: memref.alloc() : memref<64xf32>
// WHY: remark: buffer stays: it becomes a tensor in 'bufferization.to_tensor'
func.func @d11_tensor() {
  %a = memref.alloc() : memref<64xf32>
  %t = bufferization.to_tensor %a : memref<64xf32> to tensor<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%t) : (tensor<64xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @d11_stored(
// CHECK-NEXT: memref.alloc() : memref<64xf32>
// WHY: remark: buffer stays: 'memref.store' may store it where others find it
func.func @d11_stored(%box: memref<1xmemref<64xf32>>, %i: index) {
  %a = memref.alloc() : memref<64xf32>
  memref.store %a, %box[%i] : memref<1xmemref<64xf32>>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  "test.use"(%box) : (memref<1xmemref<64xf32>>) -> ()
  return
}

// -----

// D12. is in threads.mlir, D13 below.
// ZERO: error: option 'alignment' is 0, expected a power of two from 1 to 2^31 [TPUMEM-E018]

// D14. is in determinism.test.

// D15. Both sides of a select are in use when its result is, though this tool
// registers no models for that.
// CHECK-LABEL: func.func @d15_select(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<768xi8>
func.func @d15_select(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  "test.use"(%b) : (memref<64xf32>) -> ()
  %s = arith.select %p, %a, %b : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%c) : (memref<64xf32>) -> ()
  "test.use"(%s) : (memref<64xf32>) -> ()
  %d = memref.alloc() : memref<64xf32>
  "test.use"(%d) : (memref<64xf32>) -> ()
  return
}

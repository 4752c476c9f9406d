// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect %s 2>&1 | FileCheck %s

// What somebody else may still hold when its last use in sight is over stays
// allocated, and a remark says who.

func.func private @keep(memref<4xf32>, memref<2xmemref<4xf32>>)
func.func private @reads(memref<4xf32>)

// CHECK: [[@LINE+4]]:8: remark: is not freed by memref-deallocate: {{.*}}'func.call'
// CHECK-LABEL: func.func @a_call_stores_it(
// CHECK-NOT: memref.dealloc
func.func @a_call_stores_it(%box: memref<2xmemref<4xf32>>) {
  %a = memref.alloc() : memref<4xf32>
  call @keep(%a, %box) : (memref<4xf32>, memref<2xmemref<4xf32>>) -> ()
  return
}

// A callee that gets nothing to keep it in only reads and writes.
// CHECK-LABEL: func.func @a_call_reads_it(
// CHECK: call @reads
// CHECK-NEXT: memref.dealloc
func.func @a_call_reads_it() {
  %a = memref.alloc() : memref<4xf32>
  call @reads(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @an_address(
// CHECK-NOT: memref.dealloc
func.func @an_address() -> index {
  %a = memref.alloc() : memref<4xf32>
  %i = "test.address"(%a) : (memref<4xf32>) -> index
  return %i : index
}

// CHECK-LABEL: func.func @stored(
// CHECK-NOT: memref.dealloc
func.func @stored(%box: memref<2xmemref<4xf32>>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  memref.store %a, %box[%c0] : memref<2xmemref<4xf32>>
  return
}

// Other ops that allocate have results of their own.
// CHECK-LABEL: func.func @a_clone(
// CHECK: %[[A:.*]] = memref.alloc()
// CHECK: %[[B:.*]] = bufferization.clone %[[A]]
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: "test.use"(%[[B]])
// CHECK-NEXT: memref.dealloc %[[B]]
func.func @a_clone(%x: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = bufferization.clone %a : memref<4xf32> to memref<4xf32>
  "test.use"(%b) : (memref<4xf32>) -> ()
  return
}

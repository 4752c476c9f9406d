// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s

// A chain of four layers: three intermediate results in the bytes of two, the
// returned one is left alone.
// CHECK-LABEL: func.func @mlp(
func.func @mlp(%x: memref<128x128xf32>, %y: memref<128x128xf32>) -> memref<128x128xf32> {
  // CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<131072xi8>
  // CHECK-NEXT: %[[A:.*]] = arith.constant [[#OFF:]] : index
  // CHECK-NEXT: %[[A0:.*]] = memref.view %[[ARENA]][%[[A]]][] : memref<131072xi8> to memref<128x128xf32>
  // CHECK-NEXT: linalg.matmul {{.*}} outs(%[[A0]] :
  %a0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%x, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%a0: memref<128x128xf32>)
  // CHECK-NEXT: %[[B:.*]] = arith.constant [[#sub(65536,OFF)]] : index
  // CHECK-NEXT: %[[B0:.*]] = memref.view %[[ARENA]][%[[B]]][]
  // CHECK-NEXT: linalg.matmul ins(%[[A0]], %{{.*}}) outs(%[[B0]] :
  %b0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%b0: memref<128x128xf32>)
  // CHECK-NEXT: %[[C:.*]] = arith.constant [[#OFF]] : index
  // CHECK-NEXT: %[[C0:.*]] = memref.view %[[ARENA]][%[[C]]][]
  // CHECK-NEXT: linalg.matmul ins(%[[B0]], %{{.*}}) outs(%[[C0]] :
  %c0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%b0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%c0: memref<128x128xf32>)
  // CHECK-NEXT: %[[D0:.*]] = memref.alloc() : memref<128x128xf32>
  // CHECK-NEXT: linalg.matmul ins(%[[C0]], %{{.*}}) outs(%[[D0]] :
  %d0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%c0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%d0: memref<128x128xf32>)
  // CHECK-NEXT: return %[[D0]]
  return %d0 : memref<128x128xf32>
}

// -----

// In the loop both are used alternately: apart. After it there is room.
// CHECK-LABEL: func.func @loop(
func.func @loop(%lb: index, %ub: index, %step: index) {
  // CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
  %e = memref.alloc() : memref<8x64xf32>
  %f = memref.alloc() : memref<8x64xf32>
  // CHECK-DAG: %[[E0:.*]] = arith.constant [[#E:]] : index
  // CHECK-DAG: memref.view %[[ARENA]][%[[E0]]]
  // CHECK-DAG: %[[F0:.*]] = arith.constant [[#sub(2048,E)]] : index
  // CHECK-DAG: memref.view %[[ARENA]][%[[F0]]]
  // CHECK: scf.for
  scf.for %i = %lb to %ub step %step {
    "test.use"(%e) : (memref<8x64xf32>) -> ()
    "test.use"(%f) : (memref<8x64xf32>) -> ()
  }
  %h = memref.alloc() : memref<8x64xf32>
  "test.use"(%h) : (memref<8x64xf32>) -> ()
  return
}

// -----

// Allocated in the loop and not carried: exact, both in the same bytes.
// CHECK-LABEL: func.func @local(
func.func @local(%lb: index, %ub: index, %step: index) {
  // CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
  // CHECK: scf.for
  scf.for %i = %lb to %ub step %step {
    // CHECK: memref.view %[[ARENA]]
    // CHECK: memref.view %[[ARENA]]
    %g = memref.alloc() : memref<8x64xf32>
    %h = memref.alloc() : memref<8x64xf32>
    "test.use"(%g) : (memref<8x64xf32>) -> ()
    "test.use"(%h) : (memref<8x64xf32>) -> ()
  }
  // CHECK-NOT: memref.alloc
  return
}

// -----

// A transposed view is the same storage: what is used until then is apart, what
// comes after shares it.
// CHECK-LABEL: func.func @transposed_view(
func.func @transposed_view() {
  // CHECK-NEXT: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4096xi8>
  // CHECK-NEXT: %[[A:.*]] = arith.constant [[#OFF:]] : index
  // CHECK-NEXT: %[[A0:.*]] = memref.view %[[ARENA]][%[[A]]][] : memref<4096xi8> to memref<16x32xf32>
  // CHECK-NEXT: "test.use"(%[[A0]])
  %a = memref.alloc() : memref<16x32xf32>
  "test.use"(%a) : (memref<16x32xf32>) -> ()
  // CHECK-NEXT: %[[T:.*]] = memref.transpose %[[A0]]
  %t = memref.transpose %a (i, j) -> (j, i) : memref<16x32xf32> to memref<32x16xf32, strided<[1, 32]>>
  // CHECK-NEXT: %[[B:.*]] = arith.constant [[#sub(2048,OFF)]] : index
  // CHECK-NEXT: %[[B0:.*]] = memref.view %[[ARENA]][%[[B]]][]
  %b = memref.alloc() : memref<16x32xf32>
  "test.use"(%b) : (memref<16x32xf32>) -> ()
  // CHECK: "test.use"(%[[T]])
  "test.use"(%t) : (memref<32x16xf32, strided<[1, 32]>>) -> ()
  // CHECK-NEXT: %[[C:.*]] = arith.constant [[#OFF]] : index
  // CHECK-NEXT: memref.view %[[ARENA]][%[[C]]][]
  %c = memref.alloc() : memref<16x32xf32>
  "test.use"(%c) : (memref<16x32xf32>) -> ()
  "test.use"(%b) : (memref<16x32xf32>) -> ()
  return
}

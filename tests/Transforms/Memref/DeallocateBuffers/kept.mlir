// RUN: tpuc-opt --memref-deallocate --allow-unregistered-dialect %s 2>&1 | FileCheck %s

// What something else may still hold when its last use in sight is over stays
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

// A select of more buffers than a name can stand for: it becomes an owner, that
// is a branch. Of two buffers one is freed at once.
// CHECK-LABEL: func.func @one_of_many(
// CHECK-NOT: arith.select
// CHECK-COUNT-16: memref.dealloc
// CHECK: memref.load
// CHECK-NEXT: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func @one_of_many(%c: i1, %i: index) -> f32 {
  %a0 = memref.alloc() : memref<4xf32>
  %a1 = memref.alloc() : memref<4xf32>
  %a2 = memref.alloc() : memref<4xf32>
  %a3 = memref.alloc() : memref<4xf32>
  %a4 = memref.alloc() : memref<4xf32>
  %a5 = memref.alloc() : memref<4xf32>
  %a6 = memref.alloc() : memref<4xf32>
  %a7 = memref.alloc() : memref<4xf32>
  %a8 = memref.alloc() : memref<4xf32>
  %s1 = arith.select %c, %a0, %a1 : memref<4xf32>
  %s2 = arith.select %c, %s1, %a2 : memref<4xf32>
  %s3 = arith.select %c, %s2, %a3 : memref<4xf32>
  %s4 = arith.select %c, %s3, %a4 : memref<4xf32>
  %s5 = arith.select %c, %s4, %a5 : memref<4xf32>
  %s6 = arith.select %c, %s5, %a6 : memref<4xf32>
  %s7 = arith.select %c, %s6, %a7 : memref<4xf32>
  %s8 = arith.select %c, %s7, %a8 : memref<4xf32>
  %v = memref.load %s8[%i] : memref<4xf32>
  return %v : f32
}

// What is stored may be written under another name: a copy would not see it.
// CHECK-LABEL: func.func @stored_and_joined(
// CHECK: memref.alloc
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK: memref.copy %{{.*}}#0, %{{.*}}
// CHECK: scf.if %{{.*}}#1
// CHECK: return
func.func @stored_and_joined(%c: i1, %box: memref<1xmemref<4xi32>>, %out: memref<4xi32>, %k: i32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi32>
  memref.store %a, %box[%c0] : memref<1xmemref<4xi32>>
  %r = scf.if %c -> memref<4xi32> {
    scf.yield %a : memref<4xi32>
  } else {
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  }
  %b = memref.load %box[%c0] : memref<1xmemref<4xi32>>
  memref.store %k, %b[%c0] : memref<4xi32>
  memref.copy %r, %out : memref<4xi32> to memref<4xi32>
  return
}

// A memref of memrefs goes nowhere when addresses are put into it or taken out.
// CHECK-LABEL: func.func @a_box(
// CHECK: %[[BOX:.*]] = memref.alloc()
// CHECK: memref.store %{{.*}}, %[[BOX]]
// CHECK: %[[A:.*]] = memref.load %[[BOX]]
// CHECK-NEXT: memref.dealloc %[[BOX]]
// CHECK-NEXT: memref.store %{{.*}}, %[[A]]
// CHECK-NOT: memref.dealloc
func.func @a_box(%x: memref<4xi32>, %i: index, %v: i32) {
  %box = memref.alloc() : memref<2xmemref<4xi32>>
  memref.store %x, %box[%i] : memref<2xmemref<4xi32>>
  %a = memref.load %box[%i] : memref<2xmemref<4xi32>>
  memref.store %v, %a[%i] : memref<4xi32>
  return
}

func.func private @start(%p: memref<4xf32>, %q: memref<4xf32>) {
  %t = async.execute {
    memref.copy %p, %q : memref<4xf32> to memref<4xf32>
    async.yield
  }
  return
}

// CHECK-LABEL: func.func @started(
// CHECK-NOT: memref.dealloc
func.func @started(%p: memref<4xf32>, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @start(%a, %p) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

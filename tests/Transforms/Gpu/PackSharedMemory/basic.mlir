// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory=remarks %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory="strategy=first-fit-decreasing alignment=1" %s | FileCheck --check-prefix=PUBLISHED %s

#ws = #gpu.address_space<workgroup>

// Attributions become one attribution; other arguments stay where they are.
// REMARK: remark: workgroup memory: 3 buffers of 640 bytes share 384 bytes, lower bound 384; barriers added: 1
// CHECK-LABEL: gpu.func @attributions(
// CHECK-SAME: %[[X:.*]]: index) workgroup(%[[BYTES:.*]] : memref<384xi8, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME: private(%[[P:.*]] : memref<4xf32, #gpu.address_space<private>>) kernel {
// CHECK-DAG: %[[A:.*]] = memref.view %[[BYTES]][%{{.*}}][] : {{.*}} to memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-DAG: %[[B:.*]] = memref.view %[[BYTES]][%{{.*}}][] : {{.*}} to memref<32xf32, #gpu.address_space<workgroup>>
// CHECK: "test.use"(%[[A]], %[[B]])
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.use"(%[[C:.*]], %[[B]])
// CHECK-NEXT: "test.use"(%[[P]], %[[X]])
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @attributions(%x: index) workgroup(%a: memref<64xf32, #ws>, %b: memref<32xf32, #ws>, %c: memref<64xf32, #ws>)
      private(%p: memref<4xf32, #gpu.address_space<private>>) kernel {
    "test.use"(%a, %b) : (memref<64xf32, #ws>, memref<32xf32, #ws>) -> ()
    "test.use"(%c, %b) : (memref<64xf32, #ws>, memref<32xf32, #ws>) -> ()
    "test.use"(%p, %x) : (memref<4xf32, #gpu.address_space<private>>, index) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// Allocations become one allocation at the start; their deallocations, one.
// CHECK-LABEL: gpu.func @allocs() kernel {
// CHECK-NEXT: %[[BYTES:.*]] = memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// CHECK: memref.view %[[BYTES]]
// CHECK: "test.use"
// CHECK-NEXT: %{{.*}} = arith.constant 0 : index
// CHECK-NEXT: %[[B:.*]] = memref.view %[[BYTES]]
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.use"(%[[B]])
// CHECK-NEXT: memref.dealloc %[[BYTES]]
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @allocs() kernel {
    %a = memref.alloc() : memref<64xf32, #ws>
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32, #ws>
    memref.dealloc %a : memref<64xf32, #ws>
    "test.use"(%b) : (memref<64xf32, #ws>) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// CHECK-LABEL: func.func @launch(
// CHECK: gpu.launch
// CHECK-SAME: workgroup(%[[BYTES:.*]] : memref<256xi8, #gpu.address_space<workgroup>>)
// CHECK: "test.use"
// CHECK: gpu.barrier
// CHECK: "test.use"
func.func @launch(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)
             workgroup(%a : memref<64xf32, #ws>, %b : memref<64xf32, #ws>) {
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    "test.use"(%b) : (memref<64xf32, #ws>) -> ()
    gpu.terminator
  }
  return
}

// -----

#ws = #gpu.address_space<workgroup>

// Nothing to save: not a byte of the module changes.
// REMARK: remark: workgroup memory: 2 buffers of 384 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @together(
// CHECK-SAME: ) workgroup(%[[A:.*]] : memref<64xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<32xf32, #gpu.address_space<workgroup>>) kernel {
// CHECK-NEXT: "test.use"(%[[A]], %[[B]])
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @together() workgroup(%a: memref<64xf32, #ws>, %b: memref<32xf32, #ws>) kernel {
    "test.use"(%a, %b) : (memref<64xf32, #ws>, memref<32xf32, #ws>) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// What is said of attributions stays with them. Strided memory stays.
// REMARK: remark: buffer stays: its layout is not the identity
// CHECK-LABEL: gpu.func @attributes(
// CHECK-SAME: ) workgroup(%[[S:.*]] : memref<4x4xf32, strided<[8, 1]>, #gpu.address_space<workgroup>> {test.say = 2 : i64}, %{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {llvm.align = 128 : i64}) kernel
// CHECK: "test.use"(%[[S]])
gpu.module @m {
  gpu.func @attributes() workgroup(%a: memref<64xf32, #ws> {llvm.align = 128 : i64}, %s: memref<4x4xf32, strided<[8, 1]>, #ws> {test.say = 2 : i64}, %b: memref<64xf32, #ws>) kernel {
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    "test.use"(%b) : (memref<64xf32, #ws>) -> ()
    "test.use"(%s) : (memref<4x4xf32, strided<[8, 1]>, #ws>) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// An attribution that nothing uses takes no bytes.
// CHECK-LABEL: gpu.func @unused(
// CHECK-SAME: ) workgroup(%{{.*}} : memref<256xi8, #gpu.address_space<workgroup>> {{.*}}) kernel
gpu.module @m {
  gpu.func @unused() workgroup(%a: memref<64xf32, #ws>, %u: memref<32xf32, #ws>) kernel {
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// A function that kernels call: who knows which threads do.
// REMARK: remark: workgroup memory stays: the function is no kernel
// CHECK-LABEL: gpu.func @called(
// CHECK-SAME: ) workgroup(%{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>, %{{.*}} : memref<64xf32, #gpu.address_space<workgroup>>) {
// CHECK-NOT: gpu.barrier
gpu.module @m {
  gpu.func @called() workgroup(%a: memref<64xf32, #ws>, %b: memref<64xf32, #ws>) {
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    "test.use"(%b) : (memref<64xf32, #ws>) -> ()
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// Nothing is used: nothing is left.
// CHECK-LABEL: gpu.func @all_unused() kernel {
// CHECK-NEXT: gpu.return
gpu.module @m {
  gpu.func @all_unused() workgroup(%a: memref<64xf32, #ws>, %u: memref<32xf32, #ws>) kernel {
    gpu.return
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// A use that control never reaches, ahead of the allocation.
// CHECK-LABEL: gpu.func @unreachable(
// CHECK: gpu.return
gpu.module @m {
  gpu.func @unreachable() workgroup(%b: memref<64xf32, #ws>) kernel {
    "test.use"(%b) : (memref<64xf32, #ws>) -> ()
    gpu.return
  ^dead:
    "test.use"(%a) : (memref<64xf32, #ws>) -> ()
    cf.br ^more
  ^more:
    %a = memref.alloc() : memref<64xf32, #ws>
    cf.br ^dead
  }
}

// -----

#ws = #gpu.address_space<workgroup>

// Strategies by name. Sizes 10, 5, 8, 4, 6, 12 bytes, in use for steps 1-5, 2-6, 1-3, 4-7, 3-8, 5-9: each buffer at
// the lowest place that the larger ones leave.
// PUBLISHED-LABEL: gpu.func @published(
// PUBLISHED-SAME: memref<37xi8, #gpu.address_space<workgroup>>
// PUBLISHED: constant 12 : index
// PUBLISHED: constant 28 : index
// PUBLISHED: constant 0 : index
// PUBLISHED: constant 33 : index
// PUBLISHED: constant 22 : index
// PUBLISHED: constant 0 : index
gpu.module @m {
  gpu.func @published() workgroup(%a: memref<10xi8, #ws>, %b: memref<5xi8, #ws>, %c: memref<8xi8, #ws>,
      %d: memref<4xi8, #ws>, %e: memref<6xi8, #ws>, %f: memref<12xi8, #ws>) kernel {
    "test.1"(%a, %c) : (memref<10xi8, #ws>, memref<8xi8, #ws>) -> ()
    "test.2"(%a, %b, %c) : (memref<10xi8, #ws>, memref<5xi8, #ws>, memref<8xi8, #ws>) -> ()
    "test.3"(%c, %e) : (memref<8xi8, #ws>, memref<6xi8, #ws>) -> ()
    "test.4"(%d) : (memref<4xi8, #ws>) -> ()
    "test.5"(%a, %f) : (memref<10xi8, #ws>, memref<12xi8, #ws>) -> ()
    "test.6"(%b) : (memref<5xi8, #ws>) -> ()
    "test.7"(%d) : (memref<4xi8, #ws>) -> ()
    "test.8"(%e) : (memref<6xi8, #ws>) -> ()
    "test.9"(%f) : (memref<12xi8, #ws>) -> ()
    gpu.return
  }
}

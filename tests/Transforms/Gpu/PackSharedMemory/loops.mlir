// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {

// %a is written before the loop and read early in its body, %b is used later in it: %a is needed again.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @read_early(
// CHECK-SAME: workgroup(%{{.*}} : memref<64xf32, {{.*}}>, %{{.*}} : memref<64xf32, {{.*}}>)
gpu.func @read_early(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "test.write"(%a) : (!t) -> ()
  scf.for %i = %c0 to %n step %c1 {
    "test.read"(%a) : (!t) -> ()
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// Two inner loops of one outer loop: both are carried round the outer one.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @inner_loops(
gpu.func @inner_loops(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      "test.a"(%a) : (!t) -> ()
    }
    scf.for %j = %c0 to %n step %c1 {
      "test.b"(%b) : (!t) -> ()
    }
  }
  gpu.return
}

// A tile for the loop, a buffer for the epilogue.
// REMARK: 3 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @epilogue(
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: "test.load"
// CHECK: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.store"
gpu.func @epilogue(%n: index) workgroup(%a: !t, %b: !t, %c: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    "test.load"(%a, %b) : (!t, !t) -> ()
  }
  "test.store"(%c) : (!t) -> ()
  gpu.return
}

// In front of the loop, not in it.
// REMARK: 3 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @prologue(
// CHECK: "test.first"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @prologue(%n: index) workgroup(%a: !t, %b: !t, %c: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  "test.first"(%c) : (!t) -> ()
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      "test.load"(%a, %b) : (!t, !t) -> ()
    }
  }
  gpu.return
}

// Made in each iteration: %a and %b take turns, also from one iteration to the next.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 2
// CHECK-LABEL: gpu.func @turns(
// CHECK-NEXT: %[[BYTES:.*]] = memref.alloc() {alignment = 16 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: "test.a"
// CHECK: gpu.barrier
// CHECK-NEXT: "test.b"
// CHECK-NEXT: }
gpu.func @turns(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
    %b = memref.alloc() : !t
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// With the barriers that are there, one at each change.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 0
// CHECK-LABEL: gpu.func @turns_are_safe(
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @turns_are_safe(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
    gpu.barrier
    %b = memref.alloc() : !t
    "test.b"(%b) : (!t) -> ()
    gpu.barrier
  }
  gpu.return
}

// One barrier in the body is on the way to the next iteration only.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @half(
// CHECK: "test.a"
// CHECK: gpu.barrier
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.barrier
gpu.func @half(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
    %b = memref.alloc() : !t
    "test.b"(%b) : (!t) -> ()
    gpu.barrier
  }
  gpu.return
}

// Of an allocation in a loop all iterations get the same bytes: %a shares with itself.
// REMARK: 2 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @itself(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: "test.a"
gpu.func @itself(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.alloc() : memref<128xf32, #ws>
  "test.x"(%x) : (memref<128xf32, #ws>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
  }
  gpu.return
}

// A loop of branches.
// REMARK: 3 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @branches(
// CHECK: gpu.barrier
// CHECK-NEXT: "test.c"
// CHECK: gpu.return
gpu.func @branches(%n: index) workgroup(%a: !t, %b: !t, %c: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  "test.ab"(%a, %b) : (!t, !t) -> ()
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^head(%next : index), ^exit
^exit:
  "test.c"(%c) : (!t) -> ()
  gpu.return
}

}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {

// Some threads are in one branch while others are in the other.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @both_at_once(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @both_at_once(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %tid = gpu.thread_id x
  %c = arith.cmpi ult, %tid, %n : index
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
  } else {
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// In one branch, one after the other: no barrier can be put in between.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @no_place(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @no_place(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %tid = gpu.thread_id x
  %c = arith.cmpi ult, %tid, %n : index
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// What is loaded may be different for each thread.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @loaded(
gpu.func @loaded(%m: memref<i1>) workgroup(%a: !t, %b: !t) kernel {
  %c = memref.load %m[] : memref<i1>
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// In two branches, with a barrier between them, at the latest in front of the second.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @two_branches(
// CHECK: scf.if
// CHECK-NEXT: "test.a"
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NEXT: "test.b"
// CHECK-NEXT: }
// CHECK-NEXT: gpu.return
gpu.func @two_branches(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %tid = gpu.thread_id x
  %c = arith.cmpi ult, %tid, %n : index
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
  }
  scf.if %c {
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// Each thread goes round as often as it likes.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @trips(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @trips() workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tid = gpu.thread_id x
  scf.for %i = %c0 to %tid step %c1 {
    "test.a"(%a) : (!t) -> ()
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// Made where not all threads come.
// REMARK: remark: buffer stays: it is allocated where not all threads of the workgroup are known to come
// CHECK-LABEL: gpu.func @made_inside(
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @made_inside() kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tid = gpu.thread_id x
  scf.for %i = %c0 to %tid step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
  }
  gpu.return
}

// A barrier that is there says that all come, although %n comes from memory.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @all_come(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: "test.a"
// CHECK-NEXT: gpu.barrier
// CHECK: "test.b"
gpu.func @all_come(%m: memref<index>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.load %m[] : memref<index>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    "test.a"(%a) : (!t) -> ()
    gpu.barrier
    %b = memref.alloc() : !t
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// A value that goes round a loop and changes by what is uniform is uniform; one that takes in the thread is not.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 0
// CHECK-LABEL: gpu.func @carried(
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @carried_thread(
gpu.func @carried(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tid = gpu.thread_id x
  %sum, %mine = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %t = %c0) -> (index, index) {
    %s1 = arith.addi %s, %i : index
    %t1 = arith.addi %t, %tid : index
    scf.yield %s1, %t1 : index, index
  }
  %c = arith.cmpi ult, %sum, %n : index
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
  } else {
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}
gpu.func @carried_thread(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tid = gpu.thread_id x
  %sum, %mine = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0, %t = %c0) -> (index, index) {
    %s1 = arith.addi %s, %i : index
    %t1 = arith.addi %t, %tid : index
    scf.yield %s1, %t1 : index, index
  }
  %c = arith.cmpi ult, %mine, %n : index
  scf.if %c {
    "test.a"(%a) : (!t) -> ()
  } else {
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// Uniform control inside of divergent control counts for nothing.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @inside_divergent(
gpu.func @inside_divergent(%u: i1) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tid = gpu.thread_id x
  scf.for %i = %c0 to %tid step %c1 {
    scf.if %u {
      "test.a"(%a) : (!t) -> ()
    } else {
      "test.b"(%b) : (!t) -> ()
    }
  }
  gpu.return
}

// Blocks: a branch by thread makes all of the kernel divergent, one by argument does not.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @early_exit(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.func @uniform_exit(
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK: gpu.barrier
// CHECK-NEXT: "test.b"
gpu.func @early_exit(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %tid = gpu.thread_id x
  %c = arith.cmpi ult, %tid, %n : index
  "test.a"(%a) : (!t) -> ()
  cf.cond_br %c, ^go, ^exit
^go:
  "test.b"(%b) : (!t) -> ()
  gpu.return
^exit:
  gpu.return
}
gpu.func @uniform_exit(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %bid = gpu.block_id x
  %c = arith.cmpi ult, %bid, %n : index
  "test.a"(%a) : (!t) -> ()
  cf.cond_br %c, ^go, ^exit
^go:
  "test.b"(%b) : (!t) -> ()
  gpu.return
^exit:
  gpu.return
}

}

// -----

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>

// The same in a launch: its block ids are uniform, its thread ids are not.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 0
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
func.func @launch(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)
             workgroup(%a : !t, %b : !t) {
    %c = arith.cmpi ult, %bx, %n : index
    scf.if %c {
      "test.a"(%a) : (!t) -> ()
    } else {
      "test.b"(%b) : (!t) -> ()
    }
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
             threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n)
             workgroup(%a : !t, %b : !t) {
    %c = arith.cmpi ult, %ty, %n : index
    scf.if %c {
      "test.a"(%a) : (!t) -> ()
    } else {
      "test.b"(%b) : (!t) -> ()
    }
    gpu.terminator
  }
  return
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

// %a, %b, %c: buffers of 256 bytes. Each kernel says what it needs and what it has.

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {

// One is there: none is added.
// REMARK: share 256 bytes, lower bound 256; barriers added: 0
// CHECK-LABEL: gpu.func @is_there(
// CHECK: "test.a"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.other"
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.return
gpu.func @is_there() workgroup(%a: !t, %b: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  gpu.barrier
  "test.other"() : () -> ()
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// Before the last use of the first, or after the first use of the second, it is of no use.
// REMARK: share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @elsewhere(
// CHECK: "test.a"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.a2"
// CHECK-NEXT: "test.other"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b2"
// CHECK-NEXT: gpu.return
gpu.func @elsewhere() workgroup(%a: !t, %b: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  gpu.barrier
  "test.a2"(%a) : (!t) -> ()
  "test.other"() : () -> ()
  "test.b"(%b) : (!t) -> ()
  gpu.barrier
  "test.b2"(%b) : (!t) -> ()
  gpu.return
}

// One serves two pairs: between the last of the first uses and the first of the others.
// REMARK: share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @one_for_two(
// CHECK: "test.ab"
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.c"
// CHECK-NEXT: "test.cd"
// CHECK-NEXT: gpu.return
gpu.func @one_for_two() workgroup(%a: !t, %b: !t, %c: !t, %d: !t) kernel {
  "test.ab"(%a, %b) : (!t, !t) -> ()
  "test.b"(%b) : (!t) -> ()
  "test.c"(%c) : (!t) -> ()
  "test.cd"(%c, %d) : (!t, !t) -> ()
  gpu.return
}

// A chain needs one for each link.
// REMARK: share 256 bytes, lower bound 256; barriers added: 2
// CHECK-LABEL: gpu.func @chain(
// CHECK: "test.a"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.c"
// CHECK-NEXT: gpu.return
gpu.func @chain() workgroup(%a: !t, %b: !t, %c: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  "test.b"(%b) : (!t) -> ()
  "test.c"(%c) : (!t) -> ()
  gpu.return
}

// Sharing that saves nothing is not paid for: with %big, in use after both, %a and %b have room side by side.
// REMARK: share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @room_for_both(
// CHECK: "test.a"
// CHECK-NEXT: "test.b"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.big"
// CHECK-NEXT: gpu.return
gpu.func @room_for_both() workgroup(%a: !t, %b: !t, %big: memref<128xf32, #ws>) kernel {
  "test.a"(%a) : (!t) -> ()
  "test.b"(%b) : (!t) -> ()
  "test.big"(%big) : (memref<128xf32, #ws>) -> ()
  gpu.return
}

// All threads take the same branch: the branches exclude each other.
// REMARK: share 256 bytes, lower bound 256; barriers added: 0
// CHECK-LABEL: gpu.func @exclusive(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @exclusive(%n: index) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %bx = gpu.block_id x
  %sum = arith.addi %bx, %n : index
  %uniform = arith.cmpi eq, %sum, %c0 : index
  scf.if %uniform {
    "test.a"(%a) : (!t) -> ()
  } else {
    "test.b"(%b) : (!t) -> ()
  }
  gpu.return
}

// In a loop they follow on each other: one in front of each.
// REMARK: share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @exclusive_in_loop(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @exclusive_in_loop(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : !t
    %b = memref.alloc() : !t
    %odd = arith.remui %i, %n : index
    %uniform = arith.cmpi eq, %odd, %c0 : index
    scf.if %uniform {
      "test.a"(%a) : (!t) -> ()
    } else {
      "test.b"(%b) : (!t) -> ()
    }
  }
  gpu.return
}

// A barrier in one of two ways is not on the other.
// REMARK: share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @on_one_way(
// CHECK: "test.a"
// CHECK-NEXT: scf.if
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b"
gpu.func @on_one_way(%u: i1) workgroup(%a: !t, %b: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  scf.if %u {
    gpu.barrier
  }
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// One in both is.
// REMARK: share 256 bytes, lower bound 256; barriers added: 0
// CHECK-LABEL: gpu.func @on_both_ways(
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @on_both_ways(%u: i1) workgroup(%a: !t, %b: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  scf.if %u {
    gpu.barrier
  } else {
    gpu.barrier
  }
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// Both branches use what was in use before: one barrier, in front.
// REMARK: barriers added: 1
// CHECK-LABEL: gpu.func @in_front_of_both(
// CHECK: "test.a"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
gpu.func @in_front_of_both(%u: i1) workgroup(%a: !t, %b: !t, %c: !t) kernel {
  "test.a"(%a) : (!t) -> ()
  scf.if %u {
    "test.b"(%b) : (!t) -> ()
  } else {
    "test.c"(%c) : (!t) -> ()
  }
  gpu.return
}

}

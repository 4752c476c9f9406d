// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --gpu-pack-shared-memory=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t

#ws = #gpu.address_space<workgroup>
!t = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @m {

// Waited for: after the wait the bytes are free, and a barrier tells the other threads.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @waited_for(
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: "test.read"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b"
gpu.func @waited_for(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  nvgpu.device_async_wait %group
  "test.read"(%a) : (!t) -> ()
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// The bytes are written up to the wait, though nothing reads them: a barrier in front of the wait does not help.
// REMARK: 2 buffers of 512 bytes share 256 bytes, lower bound 256; barriers added: 1
// CHECK-LABEL: gpu.func @barrier_too_early(
// CHECK: nvgpu.device_async_create_group
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.b"
gpu.func @barrier_too_early(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  gpu.barrier
  nvgpu.device_async_wait %group
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// Never waited for: in use to the end.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @no_wait(
gpu.func @no_wait(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// One group may still be under way.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @some_groups(
gpu.func @some_groups(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  nvgpu.device_async_wait %group {numGroups = 1 : i32}
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// The wait came before the copy's group was closed.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @open_group(
gpu.func @open_group(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %empty = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  nvgpu.device_async_wait %empty
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// Waited for by some of the threads only.
// REMARK: 2 buffers of 512 bytes stay apart: nothing to save
// CHECK-LABEL: gpu.func @some_wait(
gpu.func @some_wait(%x: memref<64xf32>) workgroup(%a: !t, %b: !t) kernel {
  %c0 = arith.constant 0 : index
  %tid = gpu.thread_id x
  %c = arith.cmpi ult, %tid, %c0 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  scf.if %c {
    nvgpu.device_async_wait %group
  }
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

// A pipeline: in use round the loop, free after the last wait.
// REMARK: 3 buffers of 768 bytes share 512 bytes, lower bound 512; barriers added: 1
// CHECK-LABEL: gpu.func @pipeline(
// CHECK: scf.for
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK-NEXT: "test.read"
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: "test.c"
gpu.func @pipeline(%x: memref<64xf32>, %n: index) workgroup(%a: !t, %b: !t, %c: !t) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %copy = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
  %group = nvgpu.device_async_create_group %copy
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%g = %group) -> (!nvgpu.device.async.token) {
    %copy2 = nvgpu.device_async_copy %x[%c0], %b[%c0], 4 : memref<64xf32> to !t
    %group2 = nvgpu.device_async_create_group %copy2
    nvgpu.device_async_wait %g {numGroups = 1 : i32}
    "test.read"(%a) : (!t) -> ()
    %copy3 = nvgpu.device_async_copy %x[%c0], %a[%c0], 4 : memref<64xf32> to !t
    %group3 = nvgpu.device_async_create_group %copy3
    nvgpu.device_async_wait %group2 {numGroups = 1 : i32}
    "test.read"(%b) : (!t) -> ()
    scf.yield %group3 : !nvgpu.device.async.token
  }
  nvgpu.device_async_wait %last
  "test.read"(%a) : (!t) -> ()
  "test.c"(%c) : (!t) -> ()
  gpu.return
}

// Any other asynchronous op: the buffer stays.
// REMARK: remark: buffer stays: 'test.async_copy' may still be at work on it after it is done
// CHECK-LABEL: gpu.func @unknown(
gpu.func @unknown() workgroup(%a: !t, %b: !t) kernel {
  "test.async_copy"(%a) : (!t) -> ()
  "test.b"(%b) : (!t) -> ()
  gpu.return
}

}

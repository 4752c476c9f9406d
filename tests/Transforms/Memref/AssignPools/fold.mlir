// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='remarks' %s -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='remarks max-ticks=14' %s -o /dev/null 2>&1 | FileCheck --check-prefix=SHORT %s

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools='remarks max-ticks=50' %s -o /dev/null 2>&1 | FileCheck --check-prefix=SHARED %s

// A call that counts as one tick: all that may be allocated in it lives at
// once, and so does all that its caller has then.

// CHECK: remark: pool 'workspace': 3 buffers of 768 bytes in 256 bytes
// SHORT: remark: 1 call counts as one tick; with a larger 'max-ticks' less has to live then
// SHORT: remark: pool 'workspace': 3 buffers of 768 bytes in 768 bytes
func.func private @leaf(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @middle(%x: memref<64xf32>) {
  call @leaf(%x) : (memref<64xf32>) -> ()
  %u = memref.alloc() : memref<64xf32>
  "test.use"(%u) : (memref<64xf32>) -> ()
  return
}
func.func @main() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  call @middle(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// Three entries, of which one is long: there is room for all of them.

// SHARED: remark: pool 'workspace': 3 buffers of 768 bytes in 256 bytes
// SHARED-NOT: as one tick
// SHARED: remark: pool 'workspace': 3 buffers of 768 bytes in 256 bytes
func.func @leaf(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func @middle(%x: memref<64xf32>) {
  call @leaf(%x) : (memref<64xf32>) -> ()
  %u = memref.alloc() : memref<64xf32>
  "test.use"(%u) : (memref<64xf32>) -> ()
  return
}
func.func @main() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  call @middle(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// Twenty functions that each call the next one twice: a million calls of the
// last. The axis does not grow with them.

// CHECK: remark: pool 'workspace': 3 buffers
// CHECK: remark: pool 'workspace': 21 buffers of 5376 bytes in 5376 bytes
func.func private @f0() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f1() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f0() : () -> ()
  call @f0() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f2() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f1() : () -> ()
  call @f1() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f3() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f2() : () -> ()
  call @f2() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f4() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f3() : () -> ()
  call @f3() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f5() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f4() : () -> ()
  call @f4() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f6() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f5() : () -> ()
  call @f5() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f7() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f6() : () -> ()
  call @f6() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f8() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f7() : () -> ()
  call @f7() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f9() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f8() : () -> ()
  call @f8() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f10() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f9() : () -> ()
  call @f9() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f11() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f10() : () -> ()
  call @f10() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f12() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f11() : () -> ()
  call @f11() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f13() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f12() : () -> ()
  call @f12() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f14() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f13() : () -> ()
  call @f13() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f15() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f14() : () -> ()
  call @f14() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f16() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f15() : () -> ()
  call @f15() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f17() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f16() : () -> ()
  call @f16() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f18() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f17() : () -> ()
  call @f17() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @f19() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f18() : () -> ()
  call @f18() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func  @f20() {
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  call @f19() : () -> ()
  call @f19() : () -> ()
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}

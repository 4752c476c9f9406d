// RUN: tpuc-opt --merge-alloc=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t
// RUN: tpuc-opt --merge-alloc='merge-always free' %s | FileCheck %s
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck --check-prefix=ALONE %s

// What a call frees is an allocation of its own.

func.func private @external(memref<64xf32>)

func.func @sink(%x: memref<64xf32>) {
  memref.dealloc %x : memref<64xf32>
  return
}

func.func @reader(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<64xf32>
  memref.store %0, %x[%c0] : memref<64xf32>
  return
}

// CHECK-LABEL: func @freed
// CHECK-NOT: memref.view
// CHECK: memref.alloc() : memref<64xf32>
// CHECK: memref.alloc() : memref<64xf32>
// CHECK-NOT: memref.dealloc
// CHECK: return
// ALONE-LABEL: func @freed
// ALONE-NOT: memref.view
// ALONE: return
// REMARK: remark: buffer stays: 'func.call' may free it
// REMARK: note: here
// REMARK: remark: buffer stays: 'func.call' may free it
func.func @freed() {
  %a = memref.alloc() : memref<64xf32>
  call @sink(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  call @sink(%b) : (memref<64xf32>) -> ()
  return
}

// One is freed here, or the other one that a call frees.
// CHECK-LABEL: func @freed_here_or_there
// CHECK-NOT: memref.view
// CHECK: memref.dealloc
// CHECK: return
// REMARK: remark: buffer stays: 'memref.dealloc' frees it or a buffer that cannot be merged with it
// REMARK: remark: buffer stays: 'func.call' may free it
func.func @freed_here_or_there(%c: i1) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %s = arith.select %c, %a, %b : memref<64xf32>
  scf.if %c {
    func.call @sink(%b) : (memref<64xf32>) -> ()
  }
  memref.dealloc %s : memref<64xf32>
  return
}

// CHECK-LABEL: func @read
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK-NOT: memref<64xf32>
// CHECK: memref.view
// CHECK: memref.view
// ALONE-LABEL: func @read
// ALONE-NOT: memref.view
// ALONE: return
func.func @read() {
  %a = memref.alloc() : memref<64xf32>
  call @reader(%a) : (memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  call @external(%b) : (memref<64xf32>) -> ()
  return
}

// Others are merged as ever.
// CHECK-LABEL: func @beside_a_call
// CHECK: memref.alloc() {{.*}} : memref<256xi8>
// CHECK: memref.view
// CHECK: memref.view
// ALONE-LABEL: func @beside_a_call
// ALONE: memref.view
// ALONE: memref.view
func.func @beside_a_call(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.copy %x, %b : memref<64xf32> to memref<64xf32>
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  call @sink(%x) : (memref<64xf32>) -> ()
  return
}

// RUN: tpuc-opt --memref-promote-to-stack=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(memref-promote-to-stack))' %s | FileCheck --check-prefix=ALONE %s

// What a call frees is not on the stack.

func.func private @external(memref<4xf32>)

func.func @sink(%x: memref<4xf32>) {
  memref.dealloc %x : memref<4xf32>
  return
}

func.func @reader(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<4xf32>
  memref.store %0, %x[%c0] : memref<4xf32>
  return
}

// CHECK-LABEL: func @freed
// CHECK: memref.alloc()
// ALONE-LABEL: func @freed
// ALONE: memref.alloc()
// REMARK: remark: buffer stays on the heap: 'func.call' may free it
func.func @freed() {
  %a = memref.alloc() : memref<4xf32>
  call @sink(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func @freed_as_one_of_two
// CHECK: memref.alloc()
// CHECK: memref.alloc()
// REMARK: remark: buffer stays on the heap: 'func.call' may free it
// REMARK: remark: buffer stays on the heap: 'func.call' may free it
func.func @freed_as_one_of_two(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %s = arith.select %c, %a, %b : memref<4xf32>
  call @sink(%s) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func @read
// CHECK: memref.alloca()
// ALONE-LABEL: func @read
// ALONE: memref.alloc()
// REMARK-NOT: remark
func.func @read() {
  %a = memref.alloc() : memref<4xf32>
  call @reader(%a) : (memref<4xf32>) -> ()
  call @external(%a) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func @beside_a_call
// CHECK: memref.alloca()
// ALONE-LABEL: func @beside_a_call
// ALONE: memref.alloca()
func.func @beside_a_call(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  memref.copy %a, %x : memref<4xf32> to memref<4xf32>
  call @sink(%x) : (memref<4xf32>) -> ()
  return
}

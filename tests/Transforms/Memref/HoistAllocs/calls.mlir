// RUN: tpuc-opt --memref-hoist=remarks %s 2>%t | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t
// RUN: tpuc-opt --memref-hoist=mode=dominator %s | FileCheck --check-prefixes=CHECK,TOP %s
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(memref-hoist))' %s | FileCheck --check-prefix=ALONE %s
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(memref-hoist{mode=dominator}))' %s | FileCheck --check-prefix=ALONE %s

// What a call frees is allocated anew in each iteration.

func.func private @external(memref<?xf32>)

func.func @sink(%x: memref<?xf32>) {
  memref.dealloc %x : memref<?xf32>
  return
}

func.func @indirectly(%x: memref<?xf32>, %c: i1) {
  scf.if %c {
    %v = memref.cast %x : memref<?xf32> to memref<4xf32>
    %w = memref.cast %v : memref<4xf32> to memref<?xf32>
    func.call @sink(%w) : (memref<?xf32>) -> ()
  }
  return
}

func.func @reader(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<?xf32>
  memref.store %0, %x[%c0] : memref<?xf32>
  return
}

// CHECK-LABEL: func @freed
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// ALONE-LABEL: func @freed
// ALONE: scf.for
// ALONE-NEXT: memref.alloc
// REMARK: remark: allocation stays in a loop: 'func.call' may free it
func.func @freed(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @sink(%a) : (memref<?xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func @freed_indirectly
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// ALONE-LABEL: func @freed_indirectly
// ALONE: scf.for
// ALONE-NEXT: memref.alloc
// REMARK: remark: allocation stays in a loop: 'func.call' may free it
func.func @freed_indirectly(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @indirectly(%a, %c) : (memref<?xf32>, i1) -> ()
  }
  return
}

// On the other path nothing would free it.
// CHECK-LABEL: func @freed_in_a_branch
// CHECK: scf.if
// CHECK-NEXT: memref.alloc
// ALONE-LABEL: func @freed_in_a_branch
// ALONE: scf.if
// ALONE-NEXT: memref.alloc
func.func @freed_in_a_branch(%n: index, %c: i1) {
  scf.if %c {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @sink(%a) : (memref<?xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func @read
// CHECK: memref.alloc
// CHECK-NEXT: scf.for
// ALONE-LABEL: func @read
// ALONE: scf.for
// ALONE-NEXT: memref.alloc
func.func @read(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call @reader(%a) : (memref<?xf32>) -> ()
    func.call @external(%a) : (memref<?xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func @by_a_value
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// REMARK: remark: allocation stays in a loop: 'func.call_indirect' may free it
func.func @by_a_value(%n: index, %f: (memref<?xf32>) -> ()) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    func.call_indirect %f(%a) : (memref<?xf32>) -> ()
  }
  return
}

// Nothing of the function is given away: calls do not matter.
// ALONE-LABEL: func @beside_a_call
// ALONE: memref.alloc
// ALONE-NEXT: scf.for
// TOP-LABEL: func @beside_a_call
// TOP: memref.alloc
// TOP-NEXT: scf.for
func.func @beside_a_call(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc(%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  }
  func.call @sink(%x) : (memref<?xf32>) -> ()
  return
}

// Functions of modules inside are among them, once.
// REMARK: remark: allocation stays in a loop: 'func.call' may free it
// REMARK-NOT: remark
// CHECK-LABEL: module @inside
// CHECK-LABEL: func @freed_inside
// CHECK: scf.for
// CHECK-NEXT: memref.alloc
// CHECK-LABEL: func @hoisted_inside
// CHECK: memref.alloc
// CHECK-NEXT: scf.for
module @inside {
  func.func @sink(%x: memref<?xf32>) {
    return
  }
  func.func @other_sink(%x: memref<?xf32>) {
    memref.dealloc %x : memref<?xf32>
    return
  }
  func.func @freed_inside(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.alloc(%n) : memref<?xf32>
      func.call @other_sink(%a) : (memref<?xf32>) -> ()
    }
    return
  }
  func.func @hoisted_inside(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %a = memref.alloc(%n) : memref<?xf32>
      func.call @sink(%a) : (memref<?xf32>) -> ()
    }
    return
  }
}

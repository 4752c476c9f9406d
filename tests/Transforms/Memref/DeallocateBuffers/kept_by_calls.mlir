// RUN: tpuc-opt --memref-deallocate %s 2>&1 | FileCheck %s
// RUN: tpuc-opt --memref-hoist %s | FileCheck %s --check-prefix=HOIST
// RUN: tpuc-opt --memref-promote-to-stack %s | FileCheck %s --check-prefix=STACK
// RUN: tpuc-opt --copy-removal %s | FileCheck %s --check-prefix=COPY
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(copy-removal))' %s | FileCheck %s --check-prefix=ALONE
// RUN: tpuc-opt --merge-alloc %s | FileCheck %s --check-prefix=MERGE
// RUN: tpuc-opt --memref-deallocate --memref-verify-deallocation='strict leaks=error' %s

// Functions that go on holding what they are given. To their callers that is
// what it is to store it oneself.

// No pass but deallocation changes any function.
// HOIST-COUNT-8: memref.alloc()
// STACK-NOT: memref.alloca
// MERGE-NOT: memref.view

memref.global "private" @table : memref<4xmemref<4xf32>> = uninitialized
memref.global "private" @address : memref<1xindex> = uninitialized

func.func private @keep(%p: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  memref.store %p, %t[%c0] : memref<4xmemref<4xf32>>
  return
}

func.func private @keep_each(%p: memref<4xf32>, %i: index) {
  %c4 = arith.constant 4 : index
  %at = arith.remui %i, %c4 : index
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  memref.store %p, %t[%at] : memref<4xmemref<4xf32>>
  return
}

func.func private @keep_renamed(%p: memref<4xf32>) {
  %v = memref.cast %p : memref<4xf32> to memref<?xf32>
  %w = memref.cast %v : memref<?xf32> to memref<4xf32>
  call @keep(%w) : (memref<4xf32>) -> ()
  return
}

func.func private @keep_and_return(%p: memref<4xf32>) -> memref<4xf32> {
  call @keep(%p) : (memref<4xf32>) -> ()
  return %p : memref<4xf32>
}

func.func private @same(%p: memref<4xf32>) -> memref<4xf32> {
  return %p : memref<4xf32>
}

func.func private @keep_what_a_call_gives(%p: memref<4xf32>) {
  %q = call @same(%p) : (memref<4xf32>) -> memref<4xf32>
  call @keep(%q) : (memref<4xf32>) -> ()
  return
}

func.func private @keep_one(%p: memref<4xf32>, %q: memref<4xf32>, %c: i1) {
  %r = arith.select %c, %p, %q : memref<4xf32>
  call @keep(%r) : (memref<4xf32>) -> ()
  return
}

// Both only if the other one does.
func.func private @round(%p: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %goes_on = arith.cmpi ugt, %n, %c0 : index
  scf.if %goes_on {
    %less = arith.subi %n, %c1 : index
    func.call @round_too(%p, %less) : (memref<4xf32>, index) -> ()
  }
  return
}
func.func private @round_too(%p: memref<4xf32>, %n: index) {
  call @keep(%p) : (memref<4xf32>) -> ()
  call @round(%p, %n) : (memref<4xf32>, index) -> ()
  return
}

func.func private @address_of(%p: memref<4xf32>) -> index {
  %i = memref.extract_aligned_pointer_as_index %p : memref<4xf32> -> index
  return %i : index
}

func.func private @keep_address(%p: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %i = func.call @address_of(%p) : (memref<4xf32>) -> index
  %t = memref.get_global @address : memref<1xindex>
  memref.store %i, %t[%c0] : memref<1xindex>
  return
}

func.func private @read(%p: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %p[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK: [[@LINE+6]]:8: remark: is not freed by memref-deallocate: 'func.call' may store it where others find it
// CHECK-LABEL: func.func @kept(
// CHECK: call @keep
// CHECK-NOT: memref.dealloc %alloc :
func.func @kept(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @keep(%a) : (memref<4xf32>) -> ()
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @kept_by_another_name(
// CHECK-NOT: memref.dealloc
func.func @kept_by_another_name(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @keep_renamed(%a) : (memref<4xf32>) -> ()
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @kept_and_returned(
// CHECK-NOT: memref.dealloc
func.func @kept_and_returned(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = call @keep_and_return(%a) : (memref<4xf32>) -> memref<4xf32>
  %u = call @read(%b) : (memref<4xf32>) -> f32
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  %w = arith.addf %u, %v : f32
  return %w : f32
}

// CHECK-LABEL: func.func @kept_through_a_call(
// CHECK-NOT: memref.dealloc
func.func @kept_through_a_call(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @keep_what_a_call_gives(%a) : (memref<4xf32>) -> ()
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @one_of_two_kept(
// CHECK-NOT: memref.dealloc
func.func @one_of_two_kept(%x: f32, %y: f32, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
  call @keep_one(%a, %b, %c) : (memref<4xf32>, memref<4xf32>, i1) -> ()
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @kept_in_a_circle(
// CHECK-NOT: memref.dealloc
func.func @kept_in_a_circle(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @round(%a, %c2) : (memref<4xf32>, index) -> ()
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// CHECK-LABEL: func.func @address_kept(
// CHECK-NOT: memref.dealloc
func.func @address_kept(%x: f32) -> i1 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @keep_address(%a) : (memref<4xf32>) -> ()
  %t = memref.get_global @address : memref<1xindex>
  %i = memref.load %t[%c0] : memref<1xindex>
  %is = arith.cmpi ne, %i, %c0 : index
  return %is : i1
}

// Each of them is another one.
// HOIST-LABEL: func.func @each_kept(
// HOIST: scf.for
// HOIST-NEXT: memref.alloc
// CHECK-LABEL: func.func @each_kept(
// CHECK-NOT: memref.dealloc
func.func @each_kept(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    memref.store %x, %a[%i] : memref<4xf32>
    func.call @keep_each(%a, %i) : (memref<4xf32>, index) -> ()
  }
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c1] : memref<4xmemref<4xf32>>
  %v = memref.load %q[%c0] : memref<4xf32>
  return %v : f32
}

// What is written to one of them must not be seen in the other.
// CHECK-LABEL: func.func @copied(
// CHECK: memref.dealloc %[[B:.*]] :
// STACK-LABEL: func.func @copied(
// COPY-LABEL: func.func @copied(
// COPY: memref.copy
// ALONE-LABEL: func.func @copied(
// ALONE: memref.copy
func.func @copied(%x: f32, %y: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  call @keep(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %t = memref.get_global @table : memref<4xmemref<4xf32>>
  %q = memref.load %t[%c0] : memref<4xmemref<4xf32>>
  memref.store %y, %q[%c0] : memref<4xf32>
  %v = memref.load %b[%c0] : memref<4xf32>
  return %v : f32
}

// A function that only reads keeps nothing.
// CHECK-LABEL: func.func @read_only(
// CHECK: call @read
// CHECK-NEXT: memref.dealloc
// COPY-LABEL: func.func @read_only(
// COPY-NOT: memref.copy
func.func @read_only(%x: f32) -> f32 {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %v = call @read(%b) : (memref<4xf32>) -> f32
  return %v : f32
}

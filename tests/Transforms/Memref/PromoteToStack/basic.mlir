// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-promote-to-stack %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --memref-promote-to-stack='max-bytes=1023 max-rank=0' %s | FileCheck --check-prefix=LESS %s

// 1024 bytes are the most by default.
// CHECK-LABEL: func.func @small(
// CHECK-NEXT: memref.alloca() : memref<256xf32>
// LESS-LABEL: func.func @small(
// LESS-NEXT: memref.alloc() : memref<256xf32>
func.func @small() {
  %a = memref.alloc() : memref<256xf32>
  "test.use"(%a) : (memref<256xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @dynamic_rank(
// CHECK: memref.alloca(%{{.*}}) : memref<?xindex>
// LESS-LABEL: func.func @dynamic_rank(
// LESS: memref.alloc(%{{.*}}) : memref<?xindex>
func.func @dynamic_rank(%m: memref<*xf32>) {
  %r = memref.rank %m : memref<*xf32>
  %a = memref.alloc(%r) : memref<?xindex>
  "test.use"(%a) : (memref<?xindex>) -> ()
  return
}

// -----

// Views, regions and blocks after may use it where it stands.
// CHECK-LABEL: func.func @uses(
// CHECK: memref.alloca() {alignment = 32 : i64} : memref<4xf32>
func.func @uses(%c: i1, %x: f32) {
  %a = memref.alloc() {alignment = 32 : i64} : memref<4xf32>
  %v = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  scf.if %c {
    linalg.fill ins(%x : f32) outs(%v : memref<2xf32, strided<[1]>>)
  }
  cf.br ^bb1
^bb1:
  "test.use"(%a) : (memref<4xf32>) -> ()
  return
}

// -----

// In the region of a branch it is allocated once at most.
// CHECK-LABEL: func.func @branch(
// CHECK: scf.if
// CHECK-NEXT: memref.alloca()
func.func @branch(%c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<4xf32>
    "test.use"(%a) : (memref<4xf32>) -> ()
  }
  return
}

// -----

// A scope in the loop gives the stack back in each iteration.
// CHECK-LABEL: func.func @scope_in_loop(
// CHECK: scf.for
// CHECK-NEXT: memref.alloca_scope
// CHECK-NEXT: memref.alloca()
func.func @scope_in_loop(%lb: index, %ub: index, %step: index) {
  scf.for %i = %lb to %ub step %step {
    memref.alloca_scope {
      %a = memref.alloc() : memref<4xf32>
      "test.use"(%a) : (memref<4xf32>) -> ()
    }
  }
  return
}

// -----

// Before and after a loop made of blocks.
// CHECK-LABEL: func.func @beside_a_loop(
// CHECK-NEXT: memref.alloca() : memref<4xf32>
// CHECK: ^bb2:
// CHECK-NEXT: memref.alloca() : memref<8xf32>
func.func @beside_a_loop(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  cf.br ^bb1
^bb1:
  "test.use"(%a) : (memref<4xf32>) -> ()
  cf.cond_br %c, ^bb1, ^bb2
^bb2:
  %b = memref.alloc() : memref<8xf32>
  "test.use"(%b) : (memref<8xf32>) -> ()
  return
}

// -----

// Memory of the stack, by the data layout and by its name.
// CHECK-LABEL: func.func @own_space(
// CHECK: memref.alloca() : memref<4xf32, 5>
// CHECK: memref.alloca() : memref<4xf32, #gpu.address_space<private>>
// LESS-LABEL: func.func @own_space(
module attributes {dlti.dl_spec = #dlti.dl_spec<"dlti.alloca_memory_space" = 5 : i64>} {
  func.func @own_space(%x: f32, %i: index) {
    %a = memref.alloc() : memref<4xf32, 5>
    memref.store %x, %a[%i] : memref<4xf32, 5>
    %b = memref.alloc() : memref<4xf32, #gpu.address_space<private>>
    memref.store %x, %b[%i] : memref<4xf32, #gpu.address_space<private>>
    return
  }
}

// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s

// The sizes that lowering to LLVM gives them: the second buffer of each pair is
// as large as the first, both after each other, and a third one in the place
// of the first: the total is the second's place plus its size.

// CHECK-LABEL: func.func @i1(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<228xi8>
func.func @i1() {
  %a = memref.alloc() : memref<100xi1>
  %b = memref.alloc() : memref<100xi1>
  "test.use"(%a, %b) : (memref<100xi1>, memref<100xi1>) -> ()
  %c = memref.alloc() : memref<100xi1>
  "test.use"(%c) : (memref<100xi1>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @i4(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<228xi8>
func.func @i4() {
  %a = memref.alloc() : memref<100xi4>
  %b = memref.alloc() : memref<100xi4>
  "test.use"(%a, %b) : (memref<100xi4>, memref<100xi4>) -> ()
  %c = memref.alloc() : memref<100xi4>
  "test.use"(%c) : (memref<100xi4>) -> ()
  return
}

// -----

// Three bytes, of which there is one every four.
// CHECK-LABEL: func.func @i24(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<848xi8>
func.func @i24() {
  %a = memref.alloc() : memref<100xi24>
  %b = memref.alloc() : memref<100xi24>
  "test.use"(%a, %b) : (memref<100xi24>, memref<100xi24>) -> ()
  %c = memref.alloc() : memref<100xi24>
  "test.use"(%c) : (memref<100xi24>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @bf16(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<456xi8>
func.func @bf16() {
  %a = memref.alloc() : memref<100xbf16>
  %b = memref.alloc() : memref<100xbf16>
  "test.use"(%a, %b) : (memref<100xbf16>, memref<100xbf16>) -> ()
  %c = memref.alloc() : memref<100xbf16>
  "test.use"(%c) : (memref<100xbf16>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @complex(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1632xi8>
func.func @complex() {
  %a = memref.alloc() : memref<100xcomplex<f32>>
  %b = memref.alloc() : memref<100xcomplex<f32>>
  "test.use"(%a, %b) : (memref<100xcomplex<f32>>, memref<100xcomplex<f32>>) -> ()
  %c = memref.alloc() : memref<100xcomplex<f32>>
  "test.use"(%c) : (memref<100xcomplex<f32>>) -> ()
  return
}

// -----

// Three elements take the room of four; a large vector wants its alignment.
// CHECK-LABEL: func.func @vectors(
// CHECK-NEXT: memref.alloc() {alignment = 256 : i64} : memref<320xi8>
func.func @vectors() {
  %a = memref.alloc() : memref<4xvector<3xf32>>
  %b = memref.alloc() : memref<1xvector<64xf32>>
  "test.use"(%a, %b) : (memref<4xvector<3xf32>>, memref<1xvector<64xf32>>) -> ()
  %c = memref.alloc() : memref<1xvector<64xf32>>
  "test.use"(%c) : (memref<1xvector<64xf32>>) -> ()
  return
}

// -----

// An index is as wide as the data layout says.
// CHECK-LABEL: func.func @narrow_index(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<848xi8>
module attributes {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 32 : i32>>} {
  func.func @narrow_index() {
    %a = memref.alloc() : memref<100xindex>
    %b = memref.alloc() : memref<100xindex>
    "test.use"(%a, %b) : (memref<100xindex>, memref<100xindex>) -> ()
    %c = memref.alloc() : memref<100xindex>
    "test.use"(%c) : (memref<100xindex>) -> ()
    return
  }
}

// -----

// An alignment of its own is kept, and passed on to the allocation.
// CHECK-LABEL: func.func @alignment(
// CHECK-NEXT: memref.alloc() {alignment = 256 : i64} : memref<80xi8>
func.func @alignment() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() {alignment = 256 : i64} : memref<4xf32>
  "test.use"(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  %c = memref.alloc() : memref<20xf32>
  "test.use"(%c) : (memref<20xf32>) -> ()
  %d = memref.alloc() : memref<20xf32>
  "test.use"(%d) : (memref<20xf32>) -> ()
  return
}

// -----

// Rank 0 is one element.
// CHECK-LABEL: func.func @scalars(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<4xi8>
func.func @scalars() {
  %a = memref.alloc() : memref<f32>
  "test.use"(%a) : (memref<f32>) -> ()
  %b = memref.alloc() : memref<f32>
  "test.use"(%b) : (memref<f32>) -> ()
  return
}

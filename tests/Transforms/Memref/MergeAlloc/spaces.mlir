// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces=default,workgroup}))' %s | FileCheck --check-prefix=SOME %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces=0,#gpu.address_space<workgroup>}))' %s | FileCheck --check-prefix=SOME %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces={#gpu.address_space< workgroup >, default}}))' %s | FileCheck --check-prefix=SOME %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{memory-spaces={"d, ram>",{a = 1, b = "x, y"}}}))' %s | FileCheck --check-prefix=STRINGS %s
// RUN: not tpuc-opt --allow-unregistered-dialect --split-input-file --merge-alloc='capacity={"d, ram>":300}' %s 2>&1 | FileCheck --check-prefix=STRING_LIMIT %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{alignment=16 capacity=default:288,3:512}))' %s | FileCheck --check-prefix=NARROW %s

// One allocation a memory space, in the order of their first buffers.
// CHECK-LABEL: func.func @spaces(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, 3>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// SOME-LABEL: func.func @spaces(
// SOME-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8>
// SOME-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, #gpu.address_space<workgroup>>
// SOME-NEXT: memref.alloc() : memref<64xf32, 3>
func.func @spaces() {
  %a = memref.alloc() : memref<64xf32, 3>
  "test.use"(%a) : (memref<64xf32, 3>) -> ()
  %b = memref.alloc() : memref<64xf32>
  "test.use"(%b) : (memref<64xf32>) -> ()
  %c = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  "test.use"(%c) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  %d = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
  "test.use"(%d) : (memref<64xf32, #gpu.address_space<workgroup>>) -> ()
  %e = memref.alloc() : memref<64xf32>
  "test.use"(%e) : (memref<64xf32>) -> ()
  %f = memref.alloc() : memref<64xf32, 3>
  "test.use"(%f) : (memref<64xf32, 3>) -> ()
  return
}

// -----

// With a smaller alignment less lies between.
// CHECK-LABEL: func.func @alignment(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<336xi8>
// NARROW-LABEL: func.func @alignment(
// NARROW-NEXT: memref.alloc() {alignment = 16 : i64} : memref<288xi8>
func.func @alignment() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<64xf32>
  "test.use"(%a, %b, %c) : (memref<4xf32>, memref<4xf32>, memref<64xf32>) -> ()
  %d = memref.alloc() : memref<64xf32>
  "test.use"(%d) : (memref<64xf32>) -> ()
  return
}

// -----

// Strings and dictionaries, with everything in them that means something to
// parsers of options.
// STRING_LIMIT: error: 'func.func' op does not fit: its buffers in memory space '"d, ram>"' need 512 B, have 300 B, over by 212 B [TPUMEM-E001]
// STRINGS-LABEL: func.func @strings(
// STRINGS-NEXT: memref.alloc() {alignment = 64 : i64} : memref<512xi8, "d, ram>">
// STRINGS-NEXT: memref.alloc() {alignment = 64 : i64} : memref<256xi8, {a = 1 : i64, b = "x, y"}>
// STRINGS-COUNT-2: memref.alloc() : memref<64xf32, "dram">
// STRINGS-NOT: memref.alloc
func.func @strings() {
  %a = memref.alloc() : memref<64xf32, "d, ram>">
  %b = memref.alloc() : memref<64xf32, "d, ram>">
  "test.use"(%a, %b) : (memref<64xf32, "d, ram>">, memref<64xf32, "d, ram>">) -> ()
  %c = memref.alloc() : memref<64xf32, "d, ram>">
  "test.use"(%c) : (memref<64xf32, "d, ram>">) -> ()
  %d = memref.alloc() : memref<64xf32, {a = 1, b = "x, y"}>
  "test.use"(%d) : (memref<64xf32, {a = 1, b = "x, y"}>) -> ()
  %e = memref.alloc() : memref<64xf32, {a = 1, b = "x, y"}>
  "test.use"(%e) : (memref<64xf32, {a = 1, b = "x, y"}>) -> ()
  %f = memref.alloc() : memref<64xf32, "dram">
  "test.use"(%f) : (memref<64xf32, "dram">) -> ()
  %g = memref.alloc() : memref<64xf32, "dram">
  "test.use"(%g) : (memref<64xf32, "dram">) -> ()
  return
}

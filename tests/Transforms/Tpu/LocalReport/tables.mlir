// Of a table that is looked up in global memory only what is found is read, and
// no more of it has to be.
// RUN: tpuc-opt %s --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s

// Rows of 64 bytes: four of 1,000 and five of 20, by indices of four bytes; four
// bytes of 20; four of eight rows, twice. The indices of two layers are the same.
// A state that moves on by two of its eight rows keeps six, of one that two are
// put into six stay, too, and what is longer than the state has its last rows
// there.
// CHECK: "bound": {
// CHECK-NEXT: "barrierBytes": 0,
// CHECK-NEXT: "loadBytes": 1768,
// CHECK: "globalLayers":
// CHECK: "loadBytes": 272,
// CHECK-NEXT: "name": "rows"
// CHECK: "loadBytes": 20,
// CHECK-NEXT: "name": "elements"
// CHECK: "loadBytes": 340,
// CHECK-NEXT: "name": "nd"
// CHECK: "loadBytes": 256,
// CHECK-NEXT: "name": "slice"
// CHECK: "loadBytes": 256,
// CHECK-NEXT: "name": "strided"
// CHECK: "loadBytes": 512,
// CHECK-NEXT: "name": "moved"
// CHECK: "loadBytes": 512,
// CHECK-NEXT: "name": "put"
// CHECK: "loadBytes": 128,
// CHECK-NEXT: "name": "over"

module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<20xi8>, %arg2: tensor<5x1xi32>, %arg3: tensor<8x32xf16>, %arg4: tensor<8x32xf16>, %arg5: tensor<8x32xf16>, %arg6: tensor<2x32xf16>) -> (tensor<4x32xf16>, tensor<4xi8>, tensor<5x32xf16>, tensor<4x32xf16>, tensor<4x32xf16>, tensor<8x32xf16>, tensor<8x32xf16>, tensor<2x32xf16>) {
    %n = "top.None"() : () -> none
    %i = "top.Input"(%arg0) : (tensor<4xi32>) -> tensor<4xi32> loc("i")
    %b = "top.Input"(%arg1) : (tensor<20xi8>) -> tensor<20xi8> loc("b")
    %j = "top.Input"(%arg2) : (tensor<5x1xi32>) -> tensor<5x1xi32> loc("j")
    %x = "top.Input"(%arg3) : (tensor<8x32xf16>) -> tensor<8x32xf16> loc("x")
    %y = "top.Input"(%arg4) : (tensor<8x32xf16>) -> tensor<8x32xf16> loc("y")
    %z = "top.Input"(%arg5) : (tensor<8x32xf16>) -> tensor<8x32xf16> loc("z")
    %two = "top.Input"(%arg6) : (tensor<2x32xf16>) -> tensor<2x32xf16> loc("two")
    %w = "top.Weight"() : () -> tensor<1000x32xf16> loc("w")
    %v = "top.Weight"() : () -> tensor<20x32xf16> loc("v")
    %rows = "tpu.Gather"(%w, %i, %n) {axis = 0 : si32, keepdims = true} : (tensor<1000x32xf16>, tensor<4xi32>, none) -> tensor<4x32xf16> loc("rows")
    %elements = "tpu.GatherElements"(%b, %i, %n, %n) {axis = 0 : i64} : (tensor<20xi8>, tensor<4xi32>, none, none) -> tensor<4xi8> loc("elements")
    %nd = "tpu.GatherND"(%v, %j) {batch_dims = 0 : i64, indice_dims = 1 : i64} : (tensor<20x32xf16>, tensor<5x1xi32>) -> tensor<5x32xf16> loc("nd")
    %s = "tpu.Slice"(%x, %n, %n, %n, %n) {offset = [1, 0], steps = [2, 1], ends = [8, 32], axes = []} : (tensor<8x32xf16>, none, none, none, none) -> tensor<4x32xf16> loc("slice")
    %t = "tpu.StridedSlice"(%x, %n, %n, %n) : (tensor<8x32xf16>, none, none, none) -> tensor<4x32xf16> loc("strided")
    %moved = "tpu.ConcatSlice"(%y, %two) {axis = 0 : i32} : (tensor<8x32xf16>, tensor<2x32xf16>) -> tensor<8x32xf16> loc("moved")
    %put = "tpu.Insert"(%z, %two) {axis = 0 : si32, offset = 1 : si32} : (tensor<8x32xf16>, tensor<2x32xf16>) -> tensor<8x32xf16> loc("put")
    %over = "tpu.ConcatSlice"(%two, %z) {axis = 0 : i32} : (tensor<2x32xf16>, tensor<8x32xf16>) -> tensor<2x32xf16> loc("over")
    return %rows, %elements, %nd, %s, %t, %moved, %put, %over : tensor<4x32xf16>, tensor<4xi8>, tensor<5x32xf16>, tensor<4x32xf16>, tensor<4x32xf16>, tensor<8x32xf16>, tensor<8x32xf16>, tensor<2x32xf16>
  }
}

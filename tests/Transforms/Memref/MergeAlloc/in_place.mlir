// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc))' %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --pass-pipeline='builtin.module(func.func(merge-alloc{in-place=false}))' %s | FileCheck --check-prefix=OFF %s

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// A chain of elementwise ops runs in one buffer.
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// OFF-LABEL: func.func @chain(
// OFF-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
func.func @chain() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  %c = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%b : memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  "test.use"(%c) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// Both by the same permutation: the element written is the one just read.
// CHECK-LABEL: func.func @same_permutation(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
func.func @same_permutation() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xi32>
  linalg.generic {indexing_maps = [#swap, #swap], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xi32>) {
  ^bb0(%x: f32, %y: i32):
    %z = arith.bitcast %x : f32 to i32
    linalg.yield %z : i32
  }
  "test.use"(%b) : (memref<16x16xi32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// A transposition writes where it has yet to read.
// CHECK-LABEL: func.func @transposed(
// CHECK-NOT: memref.view
func.func @transposed() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #swap], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i, 0)>

// What is read again for other elements is overwritten too early.
// CHECK-LABEL: func.func @broadcast(
// CHECK-NOT: memref.view
func.func @broadcast() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>

// Read twice, once transposed.
// CHECK-LABEL: func.func @other_operand(
// CHECK-NOT: memref.view
func.func @other_operand() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %t: f32, %y: f32):
    %z = arith.addf %x, %t : f32
    linalg.yield %z : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Read twice, once through a transposed view: all are merged, but two stay apart.
// CHECK-LABEL: func.func @transposed_view(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
func.func @transposed_view() {
  %c = memref.alloc() : memref<16x16xf32>
  "test.use"(%c) : (memref<16x16xf32>) -> ()
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %t = memref.transpose %a (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, strided<[1, 16]>>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %t : memref<16x16xf32>, memref<16x16xf32, strided<[1, 16]>>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Read through the transposed view alone.
// CHECK-LABEL: func.func @only_transposed_view(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
func.func @only_transposed_view() {
  %c = memref.alloc() : memref<16x16xf32>
  "test.use"(%c) : (memref<16x16xf32>) -> ()
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %t = memref.transpose %a (i, j) -> (j, i) : memref<16x16xf32> to memref<16x16xf32, strided<[1, 16]>>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<16x16xf32, strided<[1, 16]>>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %old: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

// Read twice in the same way: x * x.
// CHECK-LABEL: func.func @square(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
func.func @square() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.mul ins(%a, %a : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

// Another operand may be a part of it.
// CHECK-LABEL: func.func @alias_among_the_operands(
// CHECK-NOT: memref.view
func.func @alias_among_the_operands(%p: i1, %other: memref<16x16xf32>) {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %s = arith.select %p, %a, %other : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.add ins(%a, %s : memref<16x16xf32>, memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#sum = affine_map<(i, j) -> (i)>

// A sum over rows is written many times.
// CHECK-LABEL: func.func @reduction(
// CHECK-NOT: memref.view
func.func @reduction() {
  %a = memref.alloc() : memref<16x1xf32>
  "test.use"(%a) : (memref<16x1xf32>) -> ()
  %b = memref.alloc() : memref<16xf32>
  linalg.generic {indexing_maps = [#id, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%a : memref<16x1xf32>) outs(%b : memref<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  }
  "test.use"(%b) : (memref<16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Elements of another width lie elsewhere.
// CHECK-LABEL: func.func @width(
// CHECK-NOT: memref.view
func.func @width() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf64>) {
  ^bb0(%x: f32, %y: f64):
    %z = arith.extf %x : f32 to f64
    linalg.yield %z : f64
  }
  "test.use"(%b) : (memref<16x16xf64>) -> ()
  return
}

// -----

// The operand is read once more.
// CHECK-LABEL: func.func @read_later(
// CHECK-NOT: memref.view
func.func @read_later() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  "test.use"(%b, %a) : (memref<16x16xf32>, memref<16x16xf32>) -> ()
  return
}

// -----

// The same, with a result that nothing reads: it must not be written over it.
// CHECK-LABEL: func.func @result_without_reader(
// CHECK-NOT: memref.view
func.func @result_without_reader() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @result_without_reader_in_a_loop(
// CHECK-NOT: memref.view
func.func @result_without_reader_in_a_loop(%lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  scf.for %i = %lb to %ub step %step {
    %b = memref.alloc() : memref<16x16xf32>
    linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  }
  return
}

// -----

// The result is there before the op.
// CHECK-LABEL: func.func @born_before(
// CHECK-NOT: memref.view
func.func @born_before() {
  %a = memref.alloc() : memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The body reads elements of its choice.
// CHECK-LABEL: func.func @gather(
// CHECK-NOT: memref.view
func.func @gather() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = memref.load %a[%j, %i] : memref<16x16xf32>
    %z = arith.addf %x, %t : f32
    linalg.yield %z : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// The body reads what the result held before.
// CHECK-LABEL: func.func @accumulates(
// CHECK-NOT: memref.view
func.func @accumulates() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  }
  "test.use"(%b) : (memref<16x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// One operand dies, two results are born: only one of them may have its bytes.
// CHECK-LABEL: func.func @two_results(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<2048xi8>
// OFF-LABEL: func.func @two_results(
// OFF-NEXT: memref.alloc() : memref<16x16xf32>
func.func @two_results() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  %c = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b, %c : memref<16x16xf32>, memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32):
    %z = arith.negf %x : f32
    linalg.yield %z, %x : f32, f32
  }
  return
}

// -----

// In a loop, carried round it: alive before and after the op.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-NOT: memref.view
func.func @in_a_loop(%lb: index, %ub: index, %step: index) {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  scf.for %i = %lb to %ub step %step {
    %b = memref.alloc() : memref<16x16xf32>
    linalg.exp ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
    "test.use"(%b) : (memref<16x16xf32>) -> ()
  }
  return
}

// -----

// Through a reshape of the whole buffer, and by a copy.
// CHECK-LABEL: func.func @reshaped_and_copied(
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
func.func @reshaped_and_copied() {
  %a = memref.alloc() : memref<256xf32>
  "test.use"(%a) : (memref<256xf32>) -> ()
  %e = memref.expand_shape %a [[0, 1]] output_shape [16, 16] : memref<256xf32> into memref<16x16xf32>
  %b = memref.alloc() : memref<16x16xf32>
  linalg.exp ins(%e : memref<16x16xf32>) outs(%b : memref<16x16xf32>)
  %c = memref.alloc() : memref<16x16xf32>
  memref.copy %b, %c : memref<16x16xf32> to memref<16x16xf32>
  "test.use"(%c) : (memref<16x16xf32>) -> ()
  return
}

// -----

// A part of it is not all of it.
// CHECK-LABEL: func.func @part(
// CHECK-NOT: memref.view
func.func @part() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %s = memref.subview %a[1, 0] [8, 16] [1, 1] : memref<16x16xf32> to memref<8x16xf32, strided<[16, 1], offset: 16>>
  %b = memref.alloc() : memref<8x16xf32>
  linalg.exp ins(%s : memref<8x16xf32, strided<[16, 1], offset: 16>>) outs(%b : memref<8x16xf32>)
  "test.use"(%b) : (memref<8x16xf32>) -> ()
  return
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// What is written here nothing reads, so both lives have this op alone in
// common; but the next op reads what would be overwritten.
// CHECK-LABEL: func.func @read_again_behind(
// CHECK-NOT: memref.view
func.func @read_again_behind() {
  %a = memref.alloc() : memref<16x16xf32>
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  %b = memref.alloc() : memref<16x16xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<16x16xf32>) outs(%b : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.negf %x : f32
    linalg.yield %z : f32
  }
  "test.use"(%a) : (memref<16x16xf32>) -> ()
  return
}

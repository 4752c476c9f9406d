// Sizes, views, names and calls. Executed as blocks.mlir is.

func.func @dynamic_sizes(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n1 = arith.addi %n, %one : index
  %a = memref.alloc(%n1, %n1) : memref<?x?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?x?xf32>)
  %d = memref.dim %a, %one : memref<?x?xf32>
  %b = memref.alloc(%d) : memref<3x?xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<3x?xf32>)
  %v = memref.load %a[%n, %n] : memref<?x?xf32>
  %w = memref.load %b[%i, %n] : memref<3x?xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

func.func @sizes_from_inside(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  scf.for %k = %i to %n step %one {
    %size = arith.addi %k, %one : index
    %a = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    %v = memref.load %a[%k] : memref<?xf32>
    %o = memref.load %sum[%i] : memref<1xf32>
    %s = arith.addf %v, %o : f32
    memref.store %s, %sum[%i] : memref<1xf32>
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

func.func @views_of_views(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %bytes = memref.alloc() : memref<64xi8>
  %v = memref.view %bytes[%i][] : memref<64xi8> to memref<4x4xf32>
  linalg.fill ins(%x : f32) outs(%v : memref<4x4xf32>)
  %s = memref.subview %v[1, 1] [2, 2] [1, 1] : memref<4x4xf32> to memref<2x2xf32, strided<[4, 1], offset: 5>>
  %d = memref.cast %s : memref<2x2xf32, strided<[4, 1], offset: 5>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  %y = arith.addf %x, %x : f32
  memref.store %y, %d[%i, %one] : memref<?x?xf32, strided<[?, ?], offset: ?>>
  %flat = memref.collapse_shape %v [[0, 1]] : memref<4x4xf32> into memref<16xf32>
  %six = arith.constant 6 : index
  %r = memref.load %flat[%six] : memref<16xf32>
  return %r : f32
}

func.func @subview_is_joined(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %y = arith.addf %x, %x : f32
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %s = memref.subview %a[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  %p = memref.cast %s : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32, strided<[1], offset: ?>>
  %m = scf.if %c -> memref<4xf32, strided<[1], offset: ?>> {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%y : f32) outs(%b : memref<4xf32>)
    %q = memref.cast %b : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
    scf.yield %q : memref<4xf32, strided<[1], offset: ?>>
  } else {
    scf.yield %p : memref<4xf32, strided<[1], offset: ?>>
  }
  %v = memref.load %m[%i] : memref<4xf32, strided<[1], offset: ?>>
  return %v : f32
}

func.func @without_a_rank(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<2x2xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<2x2xf32>)
  %u = memref.cast %a : memref<4xf32> to memref<*xf32>
  %w = memref.cast %b : memref<2x2xf32> to memref<*xf32>
  %m = arith.select %c, %u, %w : memref<*xf32>
  %rank = memref.rank %m : memref<*xf32>
  %one = arith.constant 1 : index
  %flat = arith.cmpi eq, %rank, %one : index
  %r = scf.if %flat -> f32 {
    %back = memref.cast %m : memref<*xf32> to memref<4xf32>
    %v = memref.load %back[%i] : memref<4xf32>
    scf.yield %v : f32
  } else {
    %back = memref.cast %m : memref<*xf32> to memref<2x2xf32>
    %v = memref.load %back[%i, %one] : memref<2x2xf32>
    %s = arith.addf %v, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}

func.func @other_names(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<2x3xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2x3xf32>)
  %t = memref.transpose %a (i, j) -> (j, i) : memref<2x3xf32> to memref<3x2xf32, strided<[1, 3]>>
  %e = memref.expand_shape %a [[0], [1, 2]] output_shape [2, 3, 1] : memref<2x3xf32> into memref<2x3x1xf32>
  %c = memref.reinterpret_cast %a to offset: [1], sizes: [4], strides: [1] : memref<2x3xf32> to memref<4xf32, strided<[1], offset: 1>>
  %y = arith.addf %x, %x : f32
  memref.store %y, %t[%one, %i] : memref<3x2xf32, strided<[1, 3]>>
  %v = memref.load %c[%i] : memref<4xf32, strided<[1], offset: 1>>
  %w = memref.load %e[%one, %one, %i] : memref<2x3x1xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

func.func @grows(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n2 = arith.addi %n, %one : index
  %a = memref.alloc(%one) : memref<?xf32>
  memref.store %x, %a[%i] : memref<?xf32>
  %b = memref.realloc %a(%n2) : memref<?xf32> to memref<?xf32>
  memref.store %x, %b[%n] : memref<?xf32>
  %v = memref.load %b[%i] : memref<?xf32>
  memref.dealloc %b : memref<?xf32>
  return %v : f32
}

func.func @wide_alignment(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() {alignment = 256 : i64} : memref<3xf32>
  memref.store %x, %a[%i] : memref<3xf32>
  %b = memref.alloc() {alignment = 4 : i64} : memref<3xf32>
  memref.copy %a, %b : memref<3xf32> to memref<3xf32>
  %v = memref.load %b[%i] : memref<3xf32>
  return %v : f32
}

func.func @no_elements(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<0xf32>
  %b = memref.alloc() : memref<f32>
  memref.store %x, %b[] : memref<f32>
  %d = memref.dim %a, %i : memref<0xf32>
  %e = memref.alloc(%d) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%e : memref<?xf32>)
  %v = memref.load %b[] : memref<f32>
  return %v : f32
}

memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

func.func @global_or_own(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 1 : index
  %g = memref.get_global @table : memref<4xf32>
  %m = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %g : memref<4xf32>
  }
  %v = memref.load %m[%i] : memref<4xf32>
  return %v : f32
}

func.func private @gives(%x: f32) -> memref<2xf32> {
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
  return %a : memref<2xf32>
}

func.func private @hands_back(%m: memref<2xf32>, %x: f32) -> memref<2xf32> {
  %i = arith.constant 0 : index
  memref.store %x, %m[%i] : memref<2xf32>
  return %m : memref<2xf32>
}

func.func private @two_of_them(%x: f32) -> (memref<2xf32>, memref<2xf32>) {
  %a = call @gives(%x) : (f32) -> memref<2xf32>
  %y = arith.addf %x, %x : f32
  %b = call @gives(%y) : (f32) -> memref<2xf32>
  return %a, %b : memref<2xf32>, memref<2xf32>
}

func.func @callers(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %p:2 = call @two_of_them(%x) : (f32) -> (memref<2xf32>, memref<2xf32>)
  %q = call @hands_back(%p#0, %x) : (memref<2xf32>, f32) -> memref<2xf32>
  %m = scf.for %k = %i to %n step %one iter_args(%o = %q) -> memref<2xf32> {
    %t = func.call @gives(%x) : (f32) -> memref<2xf32>
    %v = memref.load %o[%i] : memref<2xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %t[%i] : memref<2xf32>
    scf.yield %t : memref<2xf32>
  }
  %v = memref.load %m[%i] : memref<2xf32>
  %w = memref.load %p#1[%i] : memref<2xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

func.func private @frees_it(%m: memref<2xf32>) -> f32 {
  %i = arith.constant 0 : index
  %v = memref.load %m[%i] : memref<2xf32>
  memref.dealloc %m : memref<2xf32>
  return %v : f32
}

func.func @gives_it_away(%c: i1, %x: f32) -> f32 {
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
  %r = scf.if %c -> f32 {
    %v = func.call @frees_it(%a) : (memref<2xf32>) -> f32
    scf.yield %v : f32
  } else {
    %b = memref.alloc() : memref<2xf32>
    memref.copy %a, %b : memref<2xf32> to memref<2xf32>
    %v = func.call @frees_it(%a) : (memref<2xf32>) -> f32
    %w = func.call @frees_it(%b) : (memref<2xf32>) -> f32
    %s = arith.addf %v, %w : f32
    scf.yield %s : f32
  }
  return %r : f32
}

func.func private @counts_down(%n: index, %x: f32, %out: memref<2xf32>) {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.cmpi eq, %n, %i : index
  %a = memref.alloc() : memref<2xf32>
  memref.copy %out, %a : memref<2xf32> to memref<2xf32>
  scf.if %none {
    memref.store %x, %a[%i] : memref<2xf32>
  } else {
    %m = arith.subi %n, %one : index
    func.call @counts_down(%m, %x, %a) : (index, f32, memref<2xf32>) -> ()
  }
  memref.copy %a, %out : memref<2xf32> to memref<2xf32>
  return
}

func.func @recursive(%n: index, %x: f32, %out: memref<2xf32>) {
  call @counts_down(%n, %x, %out) : (index, f32, memref<2xf32>) -> ()
  return
}

// Freed in full by the program, in other places than a pass would.
func.func @frees_by_itself(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  scf.for %k = %i to %n step %one {
    %a = memref.alloc() : memref<1xf32>
    memref.copy %sum, %a : memref<1xf32> to memref<1xf32>
    scf.if %c {
      %v = memref.load %a[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %sum[%i] : memref<1xf32>
    }
    memref.dealloc %a : memref<1xf32>
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  memref.dealloc %sum : memref<1xf32>
  return %r : f32
}

// Elements that are not numbers of whole bytes, or are several numbers.
func.func @other_elements(%c: i1, %x: f32) -> (i1, f32) {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<3xi1>
  memref.store %c, %a[%i] : memref<3xi1>
  %b = memref.alloc() : memref<2xvector<4xf32>>
  %s = vector.broadcast %x : f32 to vector<4xf32>
  memref.store %s, %b[%i] : memref<2xvector<4xf32>>
  %v = memref.load %a[%i] : memref<3xi1>
  %w = memref.load %b[%i] : memref<2xvector<4xf32>>
  %f = vector.extract %w[2] : f32 from vector<4xf32>
  return %v, %f : i1, f32
}

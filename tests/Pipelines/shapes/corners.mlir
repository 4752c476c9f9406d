// Corners of single passes: names that meet, sizes that change, copies of parts,
// writes in the wrong order. Executed as blocks.mlir is.

// The copy is of a part onto a part of the same buffer.
func.func @copy_within(%x: f32, %y: f32) -> (f32, f32) {
  %i = arith.constant 0 : index
  %three = arith.constant 3 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.store %y, %a[%i] : memref<4xf32>
  %p = memref.subview %a[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %q = memref.subview %a[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.copy %p, %q : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1], offset: 2>>
  memref.store %x, %a[%i] : memref<4xf32>
  %two = arith.constant 2 : index
  %v = memref.load %a[%two] : memref<4xf32>
  %w = memref.load %a[%i] : memref<4xf32>
  return %v, %w : f32, f32
}

// Only a part of the target is overwritten; the rest is what it was.
func.func @copy_to_a_part(%x: f32, %y: f32) -> (f32, f32) {
  %i = arith.constant 0 : index
  %three = arith.constant 3 : index
  %s = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<2xf32>)
  %t = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%t : memref<4xf32>)
  %q = memref.subview %t[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  memref.copy %s, %q : memref<2xf32> to memref<2xf32, strided<[1]>>
  memref.dealloc %s : memref<2xf32>
  %v = memref.load %t[%i] : memref<4xf32>
  %w = memref.load %t[%three] : memref<4xf32>
  return %v, %w : f32, f32
}

// The target is read before the copy, the source written after it.
func.func @read_before_written_behind(%c: i1, %x: f32, %y: f32) -> (f32, f32) {
  %i = arith.constant 0 : index
  %s = memref.alloc() : memref<1xf32>
  memref.store %x, %s[%i] : memref<1xf32>
  %t = memref.alloc() : memref<1xf32>
  memref.store %y, %t[%i] : memref<1xf32>
  %v = memref.load %t[%i] : memref<1xf32>
  memref.copy %s, %t : memref<1xf32> to memref<1xf32>
  scf.if %c {
    memref.store %v, %s[%i] : memref<1xf32>
  }
  %w = memref.load %t[%i] : memref<1xf32>
  %z = memref.load %s[%i] : memref<1xf32>
  %q = arith.subf %w, %z : f32
  return %v, %q : f32, f32
}

// The copy keeps what the loop overwrites in the next iteration.
func.func @copy_in_a_loop(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %now = memref.alloc() : memref<1xf32>
  %last = memref.alloc() : memref<1xf32>
  memref.store %x, %now[%i] : memref<1xf32>
  memref.store %x, %last[%i] : memref<1xf32>
  scf.for %k = %i to %n step %one {
    %v = memref.load %now[%i] : memref<1xf32>
    %w = memref.load %last[%i] : memref<1xf32>
    memref.copy %now, %last : memref<1xf32> to memref<1xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %now[%i] : memref<1xf32>
  }
  %r = memref.load %now[%i] : memref<1xf32>
  %l = memref.load %last[%i] : memref<1xf32>
  %t = arith.subf %r, %l : f32
  return %t : f32
}

// A loop hands back what it got, but in between writes to another one.
func.func @loop_hands_back(%n: index, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  memref.store %y, %b[%i] : memref<1xf32>
  %r = scf.for %k = %i to %n step %one iter_args(%p = %a) -> memref<1xf32> {
    %t = memref.alloc() : memref<1xf32>
    memref.copy %p, %t : memref<1xf32> to memref<1xf32>
    memref.copy %b, %p : memref<1xf32> to memref<1xf32>
    memref.copy %t, %b : memref<1xf32> to memref<1xf32>
    scf.yield %p : memref<1xf32>
  }
  %v = memref.load %r[%i] : memref<1xf32>
  %w = memref.load %b[%i] : memref<1xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

// The size changes from one iteration to the next.
func.func @size_is_carried(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  %last = scf.for %k = %i to %n step %one iter_args(%size = %one) -> index {
    %a = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    %d = memref.dim %a, %i : memref<?xf32>
    %end = arith.subi %d, %one : index
    %v = memref.load %a[%end] : memref<?xf32>
    %o = memref.load %sum[%i] : memref<1xf32>
    %s = arith.addf %v, %o : f32
    memref.store %s, %sum[%i] : memref<1xf32>
    %next = arith.addi %size, %size : index
    scf.yield %next : index
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

// The size comes out of memory that the loop writes.
func.func @size_from_memory(%n: index, %x: f32) -> index {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sizes = memref.alloc() : memref<1xindex>
  memref.store %one, %sizes[%i] : memref<1xindex>
  scf.for %k = %i to %n step %one {
    %size = memref.load %sizes[%i] : memref<1xindex>
    %a = memref.alloc(%size) : memref<?xindex>
    linalg.fill ins(%size : index) outs(%a : memref<?xindex>)
    %end = arith.subi %size, %one : index
    %v = memref.load %a[%end] : memref<?xindex>
    %s = arith.addi %v, %one : index
    memref.store %s, %sizes[%i] : memref<1xindex>
  }
  %r = memref.load %sizes[%i] : memref<1xindex>
  return %r : index
}

// A division that must not be computed where the branch does not go.
func.func @size_that_may_trap(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %eight = arith.constant 8 : index
  %none = arith.cmpi eq, %n, %i : index
  %r = scf.if %none -> f32 {
    scf.yield %x : f32
  } else {
    %size = arith.divui %eight, %n : index
    %a = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
    %v = memref.load %a[%i] : memref<?xf32>
    %s = arith.addf %v, %v : f32
    scf.yield %s : f32
  }
  return %r : f32
}

// The buffer of an iteration is read in the next one, through a name of before.
func.func @read_one_later(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %init = memref.alloc() : memref<1xf32>
  memref.store %x, %init[%i] : memref<1xf32>
  %r:2 = scf.for %k = %i to %n step %one iter_args(%p = %init, %q = %init) -> (memref<1xf32>, memref<1xf32>) {
    %v = memref.load %p[%i] : memref<1xf32>
    %w = memref.load %q[%i] : memref<1xf32>
    %s = arith.addf %v, %w : f32
    %t = memref.alloc() : memref<1xf32>
    memref.store %s, %t[%i] : memref<1xf32>
    scf.yield %q, %t : memref<1xf32>, memref<1xf32>
  }
  %v = memref.load %r#0[%i] : memref<1xf32>
  %w = memref.load %r#1[%i] : memref<1xf32>
  %s = arith.subf %w, %v : f32
  return %s : f32
}

// A view of the buffer is carried, not the buffer.
func.func @view_is_carried(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  %first = memref.subview %a[0] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1]>>
  %p0 = memref.cast %first : memref<2xf32, strided<[1]>> to memref<2xf32, strided<[1], offset: ?>>
  %r = scf.for %k = %i to %n step %one iter_args(%p = %p0) -> memref<2xf32, strided<[1], offset: ?>> {
    %b = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
    %v = memref.load %p[%i] : memref<2xf32, strided<[1], offset: ?>>
    %s = arith.addf %v, %x : f32
    %half = memref.subview %b[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
    memref.store %s, %half[%i] : memref<2xf32, strided<[1], offset: 2>>
    %q = memref.cast %half : memref<2xf32, strided<[1], offset: 2>> to memref<2xf32, strided<[1], offset: ?>>
    scf.yield %q : memref<2xf32, strided<[1], offset: ?>>
  }
  %v = memref.load %r[%i] : memref<2xf32, strided<[1], offset: ?>>
  return %v : f32
}

// Both branches allocate, only one frees, and the loop goes on.
func.func @freed_in_one_branch(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloca() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  scf.for %k = %i to %n step %one {
    scf.if %c {
      %a = memref.alloc() : memref<1xf32>
      memref.copy %sum, %a : memref<1xf32> to memref<1xf32>
      %v = memref.load %a[%i] : memref<1xf32>
      memref.dealloc %a : memref<1xf32>
      %s = arith.addf %v, %x : f32
      memref.store %s, %sum[%i] : memref<1xf32>
    } else {
      %b = memref.alloc() : memref<1xf32>
      memref.copy %sum, %b : memref<1xf32> to memref<1xf32>
      %v = memref.load %b[%i] : memref<1xf32>
      %s = arith.mulf %v, %x : f32
      memref.store %s, %sum[%i] : memref<1xf32>
    }
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

// The loop ends early; what it made before stays in use.
func.func @while_with_a_branch(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %r:2 = scf.while (%p = %a, %k = %i) : (memref<1xf32>, index) -> (memref<1xf32>, index) {
    %q = scf.if %c -> memref<1xf32> {
      %t = memref.alloc() : memref<1xf32>
      memref.copy %p, %t : memref<1xf32> to memref<1xf32>
      scf.yield %t : memref<1xf32>
    } else {
      scf.yield %p : memref<1xf32>
    }
    %v = memref.load %q[%i] : memref<1xf32>
    %s = arith.addf %v, %x : f32
    memref.store %s, %q[%i] : memref<1xf32>
    %more = arith.cmpi ult, %k, %n : index
    scf.condition(%more) %q, %k : memref<1xf32>, index
  } do {
  ^bb0(%q: memref<1xf32>, %k: index):
    %k1 = arith.addi %k, %one : index
    %o = scf.if %c -> memref<1xf32> {
      scf.yield %q : memref<1xf32>
    } else {
      %t = memref.alloc() : memref<1xf32>
      memref.copy %q, %t : memref<1xf32> to memref<1xf32>
      scf.yield %t : memref<1xf32>
    }
    scf.yield %o, %k1 : memref<1xf32>, index
  }
  %v = memref.load %r#0[%i] : memref<1xf32>
  return %v : f32
}

// Whiles in a while, a buffer through all of them.
func.func @nested_whiles(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %r:2 = scf.while (%p = %a, %k = %i) : (memref<1xf32>, index) -> (memref<1xf32>, index) {
    %more = arith.cmpi ult, %k, %n : index
    scf.condition(%more) %p, %k : memref<1xf32>, index
  } do {
  ^bb0(%q: memref<1xf32>, %k: index):
    %s:2 = scf.while (%o = %q, %l = %i) : (memref<1xf32>, index) -> (memref<1xf32>, index) {
      %less = arith.cmpi ult, %l, %k : index
      scf.condition(%less) %o, %l : memref<1xf32>, index
    } do {
    ^bb0(%u: memref<1xf32>, %l: index):
      %t = memref.alloc() : memref<1xf32>
      %v = memref.load %u[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %t[%i] : memref<1xf32>
      %l1 = arith.addi %l, %one : index
      scf.yield %t, %l1 : memref<1xf32>, index
    }
    %k1 = arith.addi %k, %one : index
    scf.yield %s#0, %k1 : memref<1xf32>, index
  }
  %v = memref.load %r#0[%i] : memref<1xf32>
  return %v : f32
}

// Three paths to one block, each with another pair.
func.func @pairs(%k: i32, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  cf.switch %k : i32, [
    default: ^none,
    1: ^one,
    2: ^join(%a, %a : memref<1xf32>, memref<1xf32>)
  ]
^none:
  %b = memref.alloc() : memref<1xf32>
  memref.store %y, %b[%i] : memref<1xf32>
  cf.br ^join(%a, %b : memref<1xf32>, memref<1xf32>)
^one:
  %c = memref.alloc() : memref<1xf32>
  %d = memref.alloc() : memref<1xf32>
  memref.store %y, %c[%i] : memref<1xf32>
  memref.store %x, %d[%i] : memref<1xf32>
  cf.br ^join(%c, %d : memref<1xf32>, memref<1xf32>)
^join(%m: memref<1xf32>, %n: memref<1xf32>):
  %z = arith.addf %x, %y : f32
  memref.store %z, %m[%i] : memref<1xf32>
  %v = memref.load %n[%i] : memref<1xf32>
  %w = memref.load %a[%i] : memref<1xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

// A loop of blocks inside of a loop of regions, inside of a loop of blocks.
func.func @mixed_loops(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  cf.br ^head(%i, %sum : index, memref<1xf32>)
^head(%k: index, %m: memref<1xf32>):
  %more = arith.cmpi ult, %k, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %p = scf.for %l = %i to %n step %one iter_args(%q = %m) -> memref<1xf32> {
    %e = scf.execute_region -> memref<1xf32> {
      %t = memref.alloc() : memref<1xf32>
      memref.copy %q, %t : memref<1xf32> to memref<1xf32>
      cf.br ^inner(%i : index)
    ^inner(%j: index):
      %scratch = memref.alloc() : memref<1xf32>
      %v = memref.load %t[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %scratch[%i] : memref<1xf32>
      memref.copy %scratch, %t : memref<1xf32> to memref<1xf32>
      %j1 = arith.addi %j, %one : index
      %again = arith.cmpi ult, %j1, %n : index
      cf.cond_br %again, ^inner(%j1 : index), ^done
    ^done:
      scf.yield %t : memref<1xf32>
    }
    scf.yield %e : memref<1xf32>
  }
  %k1 = arith.addi %k, %one : index
  cf.br ^head(%k1, %p : index, memref<1xf32>)
^end:
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

// What is handed to an op in place is an operand of it as well.
func.func @in_place_twice(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.add ins(%a, %a : memref<4xf32>, memref<4xf32>) outs(%b : memref<4xf32>)
  %c = memref.alloc() : memref<4xf32>
  linalg.add ins(%b, %a : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>)
  linalg.add ins(%c, %b : memref<4xf32>, memref<4xf32>) outs(%c : memref<4xf32>)
  %v = memref.load %c[%i] : memref<4xf32>
  return %v : f32
}

// Reads other elements than it writes: not in place.
func.func @reversed(%x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  memref.store %y, %a[%i] : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (3 - d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  }
  %three = arith.constant 3 : index
  %v = memref.load %b[%three] : memref<4xf32>
  %w = memref.load %b[%i] : memref<4xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

// Smaller elements of the same bytes: an op may not write in place.
func.func @narrowed(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf16>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<4xf32>) outs(%b : memref<4xf16>) {
  ^bb0(%in: f32, %o: f16):
    %t = arith.truncf %in : f32 to f16
    linalg.yield %t : f16
  }
  %c = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%b : memref<4xf16>) outs(%c : memref<4xf32>) {
  ^bb0(%in: f16, %o: f32):
    %t = arith.extf %in : f16 to f32
    linalg.yield %t : f32
  }
  %three = arith.constant 3 : index
  %v = memref.load %c[%three] : memref<4xf32>
  return %v : f32
}

// Added up in place: the initial values are read.
func.func @accumulates(%x: f32, %arg: memref<4xf32>) -> f32 {
  %i = arith.constant 0 : index
  %sum = memref.alloc() : memref<f32>
  memref.store %x, %sum[] : memref<f32>
  linalg.reduce ins(%arg : memref<4xf32>) outs(%sum : memref<f32>) dimensions = [0]
    (%in: f32, %o: f32) {
      %s = arith.addf %in, %o : f32
      linalg.yield %s : f32
    }
  %copy = memref.alloc() : memref<f32>
  memref.copy %sum, %copy : memref<f32> to memref<f32>
  memref.store %x, %sum[] : memref<f32>
  %v = memref.load %copy[] : memref<f32>
  %w = memref.load %sum[] : memref<f32>
  %r = arith.subf %v, %w : f32
  return %r : f32
}

func.func private @writes_first(%m: memref<2xf32>, %n: memref<2xf32>, %x: f32) {
  %i = arith.constant 0 : index
  memref.store %x, %m[%i] : memref<2xf32>
  %t = memref.alloc() : memref<2xf32>
  memref.copy %n, %t : memref<2xf32> to memref<2xf32>
  memref.copy %t, %m : memref<2xf32> to memref<2xf32>
  return
}

// One buffer as two arguments.
func.func @same_argument_twice(%x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<2xf32>)
  call @writes_first(%a, %a, %x) : (memref<2xf32>, memref<2xf32>, f32) -> ()
  %b = memref.alloc() : memref<2xf32>
  linalg.fill ins(%y : f32) outs(%b : memref<2xf32>)
  call @writes_first(%b, %a, %y) : (memref<2xf32>, memref<2xf32>, f32) -> ()
  %v = memref.load %a[%i] : memref<2xf32>
  %w = memref.load %b[%i] : memref<2xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

func.func private @maybe(%c: i1, %m: memref<2xf32>, %x: f32) -> memref<2xf32> {
  %r = scf.if %c -> memref<2xf32> {
    scf.yield %m : memref<2xf32>
  } else {
    %a = memref.alloc() : memref<2xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
    scf.yield %a : memref<2xf32>
  }
  return %r : memref<2xf32>
}

// The argument or a fresh one, again and again.
func.func @maybe_in_a_loop(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
  %r = scf.for %k = %i to %n step %one iter_args(%p = %a) -> memref<2xf32> {
    %even = arith.cmpi eq, %k, %one : index
    %d = arith.ori %even, %c : i1
    %q = func.call @maybe(%d, %p, %x) : (i1, memref<2xf32>, f32) -> memref<2xf32>
    %v = memref.load %q[%i] : memref<2xf32>
    %s = arith.addf %v, %x : f32
    memref.store %s, %q[%i] : memref<2xf32>
    scf.yield %q : memref<2xf32>
  }
  %v = memref.load %r[%i] : memref<2xf32>
  %w = memref.load %a[%i] : memref<2xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

// The scope of the stack ends, its value does not.
func.func @value_out_of_a_scope(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %k = %i to %n step %one iter_args(%sum = %x) -> f32 {
    %v = memref.alloca_scope -> f32 {
      %a = memref.alloc() : memref<2xf32>
      linalg.fill ins(%sum : f32) outs(%a : memref<2xf32>)
      %b = memref.alloc() : memref<2xf32>
      linalg.add ins(%a, %a : memref<2xf32>, memref<2xf32>) outs(%b : memref<2xf32>)
      %w = memref.load %b[%i] : memref<2xf32>
      memref.alloca_scope.return %w : f32
    }
    scf.yield %v : f32
  }
  return %r : f32
}

// Threads write to one buffer, each with a scratch of its own.
func.func @threads_in_threads(%n: index, %x: f32, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %shared = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%shared : memref<8xf32>)
  scf.parallel (%k) = (%i) to (%n) step (%one) {
    %row = memref.alloc() : memref<2xf32>
    scf.forall (%l) in (2) {
      %t = memref.alloc() : memref<2xf32>
      %v = memref.load %shared[%k] : memref<8xf32>
      memref.store %v, %t[%l] : memref<2xf32>
      %w = memref.load %t[%l] : memref<2xf32>
      memref.store %w, %row[%l] : memref<2xf32>
    }
    %v = memref.load %row[%i] : memref<2xf32>
    %w = memref.load %row[%one] : memref<2xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %out[%k] : memref<8xf32>
    scf.reduce
  }
  return
}

// A loop that is known not to run, one that is known to.
func.func @known_trips(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  scf.for %k = %three to %one step %one {
    %a = memref.alloc() : memref<1xf32>
    memref.copy %sum, %a : memref<1xf32> to memref<1xf32>
    memref.store %x, %sum[%i] : memref<1xf32>
  }
  scf.for %k = %i to %three step %one {
    %a = memref.alloc() : memref<1xf32>
    memref.copy %sum, %a : memref<1xf32> to memref<1xf32>
    %v = memref.load %a[%i] : memref<1xf32>
    %s = arith.addf %v, %x : f32
    memref.store %s, %sum[%i] : memref<1xf32>
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

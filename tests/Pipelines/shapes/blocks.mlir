// Control flow of blocks. Executed: every i1 both ways, every i32 from 0 to 3,
// every index as a number of iterations.

func.func @diamond_own_sides(%c: i1, %x: f32, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %before = memref.alloc() : memref<4xf32>
  memref.store %x, %before[%i] : memref<4xf32>
  cf.cond_br %c, ^left, ^right
^left:
  %l = memref.alloc() : memref<4xf32>
  memref.copy %before, %l : memref<4xf32> to memref<4xf32>
  cf.br ^join(%l : memref<4xf32>)
^right:
  %r = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%r : memref<4xf32>)
  cf.br ^join(%r : memref<4xf32>)
^join(%m: memref<4xf32>):
  %v = memref.load %m[%i] : memref<4xf32>
  memref.store %v, %out[%i] : memref<4xf32>
  return
}

// Both edges of one branch lead to one block.
func.func @both_edges_to_one(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %y = arith.addf %x, %x : f32
  %a = memref.alloc() : memref<2xf32>
  %b = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  memref.store %y, %b[%i] : memref<2xf32>
  cf.cond_br %c, ^join(%a : memref<2xf32>), ^join(%b : memref<2xf32>)
^join(%m: memref<2xf32>):
  %v = memref.load %m[%i] : memref<2xf32>
  return %v : f32
}

// The edge from the entry to the join is critical.
func.func @critical_edge(%c: i1, %x: f32, %arg: memref<2xf32>) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  cf.cond_br %c, ^work, ^join(%arg : memref<2xf32>)
^work:
  %b = memref.alloc() : memref<2xf32>
  linalg.exp ins(%a : memref<2xf32>) outs(%b : memref<2xf32>)
  memref.store %x, %b[%i] : memref<2xf32>
  cf.br ^join(%b : memref<2xf32>)
^join(%m: memref<2xf32>):
  %v = memref.load %m[%i] : memref<2xf32>
  return %v : f32
}

// The same buffer under two names, in the other order on the other way.
func.func @crossed(%c: i1, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  %b = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  memref.store %y, %b[%i] : memref<2xf32>
  cf.cond_br %c, ^join(%a, %b : memref<2xf32>, memref<2xf32>), ^join(%b, %a : memref<2xf32>, memref<2xf32>)
^join(%m: memref<2xf32>, %n: memref<2xf32>):
  %v = memref.load %m[%i] : memref<2xf32>
  %w = memref.load %n[%i] : memref<2xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

func.func @one_buffer_two_names(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  cf.br ^next(%a, %a : memref<2xf32>, memref<2xf32>)
^next(%m: memref<2xf32>, %n: memref<2xf32>):
  cf.cond_br %c, ^write, ^read
^write:
  %y = arith.addf %x, %x : f32
  memref.store %y, %m[%i] : memref<2xf32>
  cf.br ^read
^read:
  %v = memref.load %n[%i] : memref<2xf32>
  return %v : f32
}

func.func @ways_of_a_switch(%k: i32, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  cf.switch %k : i32, [
    default: ^end(%a : memref<2xf32>),
    0: ^zero,
    1: ^one(%a : memref<2xf32>),
    2: ^zero
  ]
^zero:
  %z = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%z : memref<2xf32>)
  cf.br ^end(%z : memref<2xf32>)
^one(%p: memref<2xf32>):
  %o = memref.alloc() : memref<2xf32>
  memref.copy %p, %o : memref<2xf32> to memref<2xf32>
  %y = arith.mulf %x, %x : f32
  memref.store %y, %o[%i] : memref<2xf32>
  cf.br ^end(%o : memref<2xf32>)
^end(%m: memref<2xf32>):
  %v = memref.load %m[%i] : memref<2xf32>
  return %v : f32
}

// A loop of one block: it is its own successor.
func.func @self_loop(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %first = memref.alloc() : memref<2xf32>
  memref.store %x, %first[%i] : memref<2xf32>
  cf.br ^body(%i, %first : index, memref<2xf32>)
^body(%k: index, %m: memref<2xf32>):
  %v = memref.load %m[%i] : memref<2xf32>
  %w = arith.addf %v, %x : f32
  %next = memref.alloc() : memref<2xf32>
  memref.store %w, %next[%i] : memref<2xf32>
  %k1 = arith.addi %k, %one : index
  %more = arith.cmpi ult, %k1, %n : index
  cf.cond_br %more, ^body(%k1, %next : index, memref<2xf32>), ^end(%next : memref<2xf32>)
^end(%r: memref<2xf32>):
  %s = memref.load %r[%i] : memref<2xf32>
  return %s : f32
}

// What is made inside does not leave its iteration.
func.func @loop_with_a_scratch(%n: index, %c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  cf.br ^head(%i : index)
^head(%k: index):
  %more = arith.cmpi ult, %k, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %t = memref.alloc() : memref<1xf32>
  memref.copy %sum, %t : memref<1xf32> to memref<1xf32>
  cf.cond_br %c, ^latch, ^skip
^skip:
  %v = memref.load %t[%i] : memref<1xf32>
  %w = arith.addf %v, %x : f32
  memref.store %w, %sum[%i] : memref<1xf32>
  cf.br ^latch
^latch:
  %k1 = arith.addi %k, %one : index
  cf.br ^head(%k1 : index)
^end:
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

// Two loops, the inner one hands a buffer to the outer one.
func.func @nested_loops(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %init = memref.alloc() : memref<1xf32>
  memref.store %x, %init[%i] : memref<1xf32>
  cf.br ^outer(%i, %init : index, memref<1xf32>)
^outer(%k: index, %m: memref<1xf32>):
  %again = arith.cmpi ult, %k, %n : index
  cf.cond_br %again, ^inner(%i, %m : index, memref<1xf32>), ^end
^inner(%l: index, %p: memref<1xf32>):
  %v = memref.load %p[%i] : memref<1xf32>
  %w = arith.addf %v, %x : f32
  %q = memref.alloc() : memref<1xf32>
  memref.store %w, %q[%i] : memref<1xf32>
  %l1 = arith.addi %l, %one : index
  %more = arith.cmpi ult, %l1, %n : index
  cf.cond_br %more, ^inner(%l1, %q : index, memref<1xf32>), ^latch
^latch:
  %k1 = arith.addi %k, %one : index
  cf.br ^outer(%k1, %q : index, memref<1xf32>)
^end:
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

// A cycle that is entered at two blocks.
func.func @irreducible(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  cf.cond_br %c, ^p(%i : index), ^q(%i : index)
^p(%k: index):
  %t = memref.alloc() : memref<1xf32>
  memref.copy %a, %t : memref<1xf32> to memref<1xf32>
  %v = memref.load %t[%i] : memref<1xf32>
  %w = arith.addf %v, %x : f32
  memref.store %w, %a[%i] : memref<1xf32>
  %k1 = arith.addi %k, %one : index
  cf.br ^q(%k1 : index)
^q(%l: index):
  %more = arith.cmpi ult, %l, %n : index
  cf.cond_br %more, ^p(%l : index), ^end
^end:
  %r = memref.load %a[%i] : memref<1xf32>
  return %r : f32
}

func.func @irreducible_carries(%c: i1, %n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  cf.cond_br %c, ^p(%i, %a : index, memref<1xf32>), ^q(%i, %a : index, memref<1xf32>)
^p(%k: index, %m: memref<1xf32>):
  %v = memref.load %m[%i] : memref<1xf32>
  %w = arith.addf %v, %x : f32
  %t = memref.alloc() : memref<1xf32>
  memref.store %w, %t[%i] : memref<1xf32>
  %k1 = arith.addi %k, %one : index
  cf.br ^q(%k1, %t : index, memref<1xf32>)
^q(%l: index, %o: memref<1xf32>):
  %more = arith.cmpi ult, %l, %n : index
  cf.cond_br %more, ^p(%l, %o : index, memref<1xf32>), ^end
^end:
  %r = memref.load %o[%i] : memref<1xf32>
  return %r : f32
}

// Several exits; each has buffers of its own.
func.func @several_returns(%c: i1, %d: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  cf.cond_br %c, ^early, ^more
^early:
  %v = memref.load %a[%i] : memref<1xf32>
  return %v : f32
^more:
  %b = memref.alloc() : memref<1xf32>
  memref.copy %a, %b : memref<1xf32> to memref<1xf32>
  cf.cond_br %d, ^last, ^early
^last:
  %w = memref.load %b[%i] : memref<1xf32>
  %s = arith.addf %w, %x : f32
  return %s : f32
}

func.func @returns_one_of_two(%c: i1, %d: i1, %x: f32, %arg: memref<2xf32>, %out: memref<2xf32>) -> memref<2xf32> {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
  cf.cond_br %c, ^x(%a : memref<2xf32>), ^y
^y:
  %b = memref.alloc() : memref<2xf32>
  linalg.copy ins(%arg : memref<2xf32>) outs(%b : memref<2xf32>)
  cf.cond_br %d, ^x(%b : memref<2xf32>), ^x(%a : memref<2xf32>)
^x(%m: memref<2xf32>):
  memref.copy %m, %out : memref<2xf32> to memref<2xf32>
  return %m : memref<2xf32>
}

// A region inside a block, and what it allocates goes on to another block.
func.func @regions_in_blocks(%c: i1, %d: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  cf.cond_br %c, ^work, ^other
^work:
  %a = scf.if %d -> memref<1xf32> {
    %l = memref.alloc() : memref<1xf32>
    memref.store %x, %l[%i] : memref<1xf32>
    scf.yield %l : memref<1xf32>
  } else {
    %r = memref.alloc() : memref<1xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %r[%i] : memref<1xf32>
    scf.yield %r : memref<1xf32>
  }
  cf.br ^join(%a : memref<1xf32>)
^other:
  %b = memref.alloc() : memref<1xf32>
  memref.store %x, %b[%i] : memref<1xf32>
  cf.br ^join(%b : memref<1xf32>)
^join(%m: memref<1xf32>):
  %v = memref.load %m[%i] : memref<1xf32>
  return %v : f32
}

// Nothing comes to the last block.
func.func @unreachable(%x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %v = memref.load %a[%i] : memref<1xf32>
  return %v : f32
^nowhere(%m: memref<1xf32>):
  %b = memref.alloc() : memref<1xf32>
  memref.copy %m, %b : memref<1xf32> to memref<1xf32>
  cf.br ^nowhere(%b : memref<1xf32>)
}

// Sizes that are known on one side only.
func.func @dynamic_size_on_one_side(%c: i1, %x: f32, %arg: memref<?xf32>, %out: memref<?xf32>) {
  %i = arith.constant 0 : index
  cf.cond_br %c, ^join(%arg : memref<?xf32>), ^make
^make:
  %n = memref.dim %arg, %i : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<?xf32>)
  cf.br ^join(%a : memref<?xf32>)
^join(%m: memref<?xf32>):
  memref.copy %m, %out : memref<?xf32> to memref<?xf32>
  return
}

// Freed by the program itself, on one of two ways.
func.func @freed_on_one_way(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  cf.cond_br %c, ^frees, ^keeps
^frees:
  %v = memref.load %a[%i] : memref<1xf32>
  memref.dealloc %a : memref<1xf32>
  return %v : f32
^keeps:
  %w = memref.load %a[%i] : memref<1xf32>
  %s = arith.addf %w, %w : f32
  return %s : f32
}

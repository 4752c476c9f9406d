// Control flow of regions. Executed as blocks.mlir is.

func.func @if_without_else(%c: i1, %x: f32, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  scf.if %c {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  }
  return
}

func.func @if_of_outer_and_inner(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %y = arith.addf %x, %x : f32
  %outer = memref.alloc() : memref<2xf32>
  memref.store %x, %outer[%i] : memref<2xf32>
  %m = scf.if %c -> memref<2xf32> {
    scf.yield %outer : memref<2xf32>
  } else {
    %inner = memref.alloc() : memref<2xf32>
    memref.store %y, %inner[%i] : memref<2xf32>
    scf.yield %inner : memref<2xf32>
  }
  %v = memref.load %m[%i] : memref<2xf32>
  %w = memref.load %outer[%i] : memref<2xf32>
  %s = arith.addf %v, %w : f32
  return %s : f32
}

func.func @nested_ifs(%c: i1, %d: i1, %x: f32) -> memref<2xf32> {
  %a = memref.alloc() : memref<2xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
  %m = scf.if %c -> memref<2xf32> {
    %n = scf.if %d -> memref<2xf32> {
      scf.yield %a : memref<2xf32>
    } else {
      %b = memref.alloc() : memref<2xf32>
      linalg.exp ins(%a : memref<2xf32>) outs(%b : memref<2xf32>)
      scf.yield %b : memref<2xf32>
    }
    scf.yield %n : memref<2xf32>
  } else {
    scf.yield %a : memref<2xf32>
  }
  return %m : memref<2xf32>
}

// Two results, of which one is in both places.
func.func @if_of_two(%c: i1, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf32>
  memref.store %x, %a[%i] : memref<2xf32>
  %m:2 = scf.if %c -> (memref<2xf32>, memref<2xf32>) {
    %b = memref.alloc() : memref<2xf32>
    memref.store %y, %b[%i] : memref<2xf32>
    scf.yield %a, %b : memref<2xf32>, memref<2xf32>
  } else {
    scf.yield %a, %a : memref<2xf32>, memref<2xf32>
  }
  %v = memref.load %m#0[%i] : memref<2xf32>
  %w = memref.load %m#1[%i] : memref<2xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

func.func @for_replaces(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m = scf.for %k = %i to %n step %one iter_args(%p = %a) -> memref<1xf32> {
    %v = memref.load %p[%i] : memref<1xf32>
    %w = arith.addf %v, %x : f32
    %q = memref.alloc() : memref<1xf32>
    memref.store %w, %q[%i] : memref<1xf32>
    scf.yield %q : memref<1xf32>
  }
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

// Two buffers change places in each iteration.
func.func @for_swaps(%n: index, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  memref.store %y, %b[%i] : memref<1xf32>
  %m:2 = scf.for %k = %i to %n step %one iter_args(%p = %a, %q = %b) -> (memref<1xf32>, memref<1xf32>) {
    %v = memref.load %p[%i] : memref<1xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %q[%i] : memref<1xf32>
    scf.yield %q, %p : memref<1xf32>, memref<1xf32>
  }
  %r = memref.load %m#0[%i] : memref<1xf32>
  %s = memref.load %m#1[%i] : memref<1xf32>
  %t = arith.subf %r, %s : f32
  return %t : f32
}

func.func @for_replaces_at_times(%n: index, %c: i1, %x: f32, %arg: memref<1xf32>) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = scf.for %k = %i to %n step %one iter_args(%p = %arg) -> memref<1xf32> {
    %odd = arith.cmpi eq, %k, %one : index
    %both = arith.ori %odd, %c : i1
    %q = scf.if %both -> memref<1xf32> {
      %t = memref.alloc() : memref<1xf32>
      %v = memref.load %p[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %t[%i] : memref<1xf32>
      scf.yield %t : memref<1xf32>
    } else {
      scf.yield %p : memref<1xf32>
    }
    scf.yield %q : memref<1xf32>
  }
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

func.func @loops_in_loops(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m = scf.for %k = %i to %n step %one iter_args(%p = %a) -> memref<1xf32> {
    %o = scf.for %l = %i to %k step %one iter_args(%q = %p) -> memref<1xf32> {
      %t = memref.alloc() : memref<1xf32>
      %v = memref.load %q[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %t[%i] : memref<1xf32>
      scf.yield %t : memref<1xf32>
    }
    %s = memref.alloc() : memref<1xf32>
    memref.copy %o, %s : memref<1xf32> to memref<1xf32>
    scf.yield %s : memref<1xf32>
  }
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

// What the condition hands on is not what it got.
func.func @while_makes_in_both(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m:2 = scf.while (%p = %a, %k = %i) : (memref<1xf32>, index) -> (memref<1xf32>, index) {
    %more = arith.cmpi ult, %k, %n : index
    %c = memref.alloc() : memref<1xf32>
    memref.copy %p, %c : memref<1xf32> to memref<1xf32>
    scf.condition(%more) %c, %k : memref<1xf32>, index
  } do {
  ^bb0(%q: memref<1xf32>, %k: index):
    %d = memref.alloc() : memref<1xf32>
    %v = memref.load %q[%i] : memref<1xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %d[%i] : memref<1xf32>
    %k1 = arith.addi %k, %one : index
    scf.yield %d, %k1 : memref<1xf32>, index
  }
  %r = memref.load %m#0[%i] : memref<1xf32>
  return %r : f32
}

func.func @while_hands_through(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m:2 = scf.while (%p = %a, %k = %i) : (memref<1xf32>, index) -> (index, memref<1xf32>) {
    %more = arith.cmpi ult, %k, %n : index
    scf.condition(%more) %k, %p : index, memref<1xf32>
  } do {
  ^bb0(%k: index, %q: memref<1xf32>):
    %v = memref.load %q[%i] : memref<1xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %q[%i] : memref<1xf32>
    %k1 = arith.addi %k, %one : index
    scf.yield %q, %k1 : memref<1xf32>, index
  }
  %r = memref.load %m#1[%i] : memref<1xf32>
  return %r : f32
}

func.func @execute_region_of_blocks(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m = scf.execute_region -> memref<1xf32> {
    cf.cond_br %c, ^make, ^give
  ^make:
    %b = memref.alloc() : memref<1xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %b[%i] : memref<1xf32>
    scf.yield %b : memref<1xf32>
  ^give:
    scf.yield %a : memref<1xf32>
  }
  %v = memref.load %m[%i] : memref<1xf32>
  return %v : f32
}

func.func @index_switch_of_memrefs(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m = scf.index_switch %n -> memref<1xf32>
  case 1 {
    %b = memref.alloc() : memref<1xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %b[%i] : memref<1xf32>
    scf.yield %b : memref<1xf32>
  }
  case 2 {
    scf.yield %a : memref<1xf32>
  }
  default {
    %d = memref.alloc() : memref<1xf32>
    memref.copy %a, %d : memref<1xf32> to memref<1xf32>
    scf.yield %d : memref<1xf32>
  }
  %v = memref.load %m[%i] : memref<1xf32>
  return %v : f32
}

func.func @parallel_with_scratch(%n: index, %x: f32, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%k) = (%i) to (%n) step (%one) {
    %a = memref.alloc() : memref<2xf32>
    memref.store %x, %a[%i] : memref<2xf32>
    %b = memref.alloc() : memref<2xf32>
    %v = memref.load %a[%i] : memref<2xf32>
    %w = arith.addf %v, %x : f32
    memref.store %w, %b[%i] : memref<2xf32>
    %r = memref.load %b[%i] : memref<2xf32>
    memref.store %r, %out[%k] : memref<8xf32>
    scf.reduce
  }
  return
}

func.func @forall_with_scratch(%x: f32, %out: memref<4xf32>) {
  %i = arith.constant 0 : index
  %shared = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%shared : memref<4xf32>)
  scf.forall (%k) in (4) {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %shared, %a : memref<4xf32> to memref<4xf32>
    %v = memref.load %a[%k] : memref<4xf32>
    memref.store %v, %out[%k] : memref<4xf32>
  }
  return
}

func.func @scope_of_the_stack(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = memref.alloca() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  scf.for %k = %i to %n step %one {
    memref.alloca_scope {
      %a = memref.alloc() : memref<1xf32>
      %s = memref.alloca() : memref<1xf32>
      memref.copy %sum, %a : memref<1xf32> to memref<1xf32>
      memref.copy %a, %s : memref<1xf32> to memref<1xf32>
      %v = memref.load %s[%i] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      memref.store %w, %sum[%i] : memref<1xf32>
    }
  }
  %r = memref.load %sum[%i] : memref<1xf32>
  return %r : f32
}

// The stack or the heap.
func.func @stack_or_heap(%c: i1, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %y = arith.addf %x, %x : f32
  %s = memref.alloca() : memref<1xf32>
  memref.store %y, %s[%i] : memref<1xf32>
  %m = scf.if %c -> memref<1xf32> {
    %a = memref.alloc() : memref<1xf32>
    memref.store %x, %a[%i] : memref<1xf32>
    scf.yield %a : memref<1xf32>
  } else {
    scf.yield %s : memref<1xf32>
  }
  %v = memref.load %m[%i] : memref<1xf32>
  return %v : f32
}

func.func @affine_nest(%n: index, %x: f32, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %sum = memref.alloc() : memref<1xf32>
  memref.store %x, %sum[%i] : memref<1xf32>
  affine.for %k = 0 to %n {
    %t = memref.alloc() : memref<1xf32>
    affine.for %l = 0 to 2 {
      %v = affine.load %sum[0] : memref<1xf32>
      %w = arith.addf %v, %x : f32
      affine.store %w, %t[0] : memref<1xf32>
    }
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%k) {
      %u = memref.alloc() : memref<1xf32>
      memref.copy %t, %u : memref<1xf32> to memref<1xf32>
      %v = affine.load %u[0] : memref<1xf32>
      affine.store %v, %out[%k] : memref<8xf32>
    }
    memref.copy %t, %sum : memref<1xf32> to memref<1xf32>
  }
  memref.copy %sum, %sum : memref<1xf32> to memref<1xf32>
  %r = affine.load %sum[0] : memref<1xf32>
  affine.store %r, %out[0] : memref<8xf32>
  return
}

func.func @affine_carries(%n: index, %x: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  %m = affine.for %k = 0 to %n iter_args(%p = %a) -> memref<1xf32> {
    %v = memref.load %p[%i] : memref<1xf32>
    %w = arith.addf %v, %x : f32
    %q = memref.alloc() : memref<1xf32>
    memref.store %w, %q[%i] : memref<1xf32>
    affine.yield %q : memref<1xf32>
  }
  %r = memref.load %m[%i] : memref<1xf32>
  return %r : f32
}

// Nothing but a select joins them.
func.func @selected(%c: i1, %x: f32, %y: f32) -> f32 {
  %i = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  memref.store %x, %a[%i] : memref<1xf32>
  memref.store %y, %b[%i] : memref<1xf32>
  %m = arith.select %c, %a, %b : memref<1xf32>
  %z = arith.mulf %x, %y : f32
  memref.store %z, %m[%i] : memref<1xf32>
  %v = memref.load %a[%i] : memref<1xf32>
  %w = memref.load %b[%i] : memref<1xf32>
  %s = arith.subf %v, %w : f32
  return %s : f32
}

// A chain of copies of temporaries, as bufferization leaves it.
func.func @chain_of_copies(%x: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  linalg.exp ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%c : memref<4xf32>)
  %d = memref.alloc() : memref<4xf32>
  memref.copy %c, %d : memref<4xf32> to memref<4xf32>
  memref.copy %d, %out : memref<4xf32> to memref<4xf32>
  return
}

func.func @generic_with_effects(%x: f32, %arg: memref<4xf32>, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%arg : memref<4xf32>) outs(%a : memref<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = arith.addf %in, %x : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    linalg.yield %in : f32
  }
  memref.copy %b, %out : memref<4xf32> to memref<4xf32>
  return
}

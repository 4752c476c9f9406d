// RUN: tpuc-opt --memref-verify-deallocation='leaks=error strict=true' %s -o /dev/null 2>&1 | count 0

// Nothing is found here, not even with the strictest options.

func.func private @use(memref<4xf32>)

// Handed on with a flag on one side, lent on the other.
func.func @flag(%c: i1, %lent: memref<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  cf.cond_br %c, ^own, ^lend
^own:
  %a = memref.alloc() : memref<4xf32>
  cf.br ^join(%a, %true : memref<4xf32>, i1)
^lend:
  cf.br ^join(%lent, %false : memref<4xf32>, i1)
^join(%m: memref<4xf32>, %own: i1):
  func.call @use(%m) : (memref<4xf32>) -> ()
  scf.if %own {
    memref.dealloc %m : memref<4xf32>
  }
  return
}

// The same buffer is handed on or freed later: the flag knows.
func.func @flag_of_one(%c: i1, %lent: memref<4xf32>) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xf32>
  %m, %own = scf.if %c -> (memref<4xf32>, i1) {
    scf.yield %a, %true : memref<4xf32>, i1
  } else {
    %false = arith.constant false
    scf.yield %lent, %false : memref<4xf32>, i1
  }
  func.call @use(%m) : (memref<4xf32>) -> ()
  scf.if %own {
    memref.dealloc %m : memref<4xf32>
  }
  %not = arith.xori %own, %true : i1
  scf.if %not {
    memref.dealloc %a : memref<4xf32>
  }
  return
}

// A loop that replaces what it is given, which it owns from then on.
func.func @flag_in_loop(%n: index, %k: index, %start: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %start, %own = %false) -> (memref<4xf32>, i1) {
    %here = arith.cmpi eq, %i, %k : index
    %s:2 = scf.if %here -> (memref<4xf32>, i1) {
      scf.if %own {
        memref.dealloc %b : memref<4xf32>
      }
      %x = memref.alloc() : memref<4xf32>
      scf.yield %x, %true : memref<4xf32>, i1
    } else {
      scf.yield %b, %own : memref<4xf32>, i1
    }
    func.call @use(%s#0) : (memref<4xf32>) -> ()
    scf.yield %s#0, %s#1 : memref<4xf32>, i1
  }
  scf.if %r#1 {
    memref.dealloc %r#0 : memref<4xf32>
  }
  return
}

// The same made of blocks.
func.func @flag_in_blocks(%n: index, %k: index, %start: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  cf.br ^head(%c0, %start, %false : index, memref<4xf32>, i1)
^head(%i: index, %m: memref<4xf32>, %own: i1):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %j = arith.addi %i, %c1 : index
  %here = arith.cmpi eq, %i, %k : index
  cf.cond_br %here, ^replace, ^head(%j, %m, %own : index, memref<4xf32>, i1)
^replace:
  cf.cond_br %own, ^free, ^fresh
^free:
  memref.dealloc %m : memref<4xf32>
  cf.br ^fresh
^fresh:
  %x = memref.alloc() : memref<4xf32>
  cf.br ^head(%j, %x, %true : index, memref<4xf32>, i1)
^end:
  func.call @use(%m) : (memref<4xf32>) -> ()
  cf.cond_br %own, ^last, ^out
^last:
  memref.dealloc %m : memref<4xf32>
  cf.br ^out
^out:
  return
}

// The result is a copy or what was given.
func.func @conditional_copy(%c: i1, %lent: memref<4xf32>) {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    memref.copy %lent, %a : memref<4xf32> to memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %lent : memref<4xf32>
  }
  func.call @use(%r) : (memref<4xf32>) -> ()
  scf.if %c {
    memref.dealloc %r : memref<4xf32>
  }
  return
}

// One i1 decides everywhere, also in other words.
func.func @one_condition(%c: i1, %d: i1) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xf32>
  %not = arith.xori %c, %true : i1
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  %both = arith.andi %not, %d : i1
  scf.if %both {
    func.call @use(%a) : (memref<4xf32>) -> ()
  }
  cf.cond_br %c, ^out, ^free
^free:
  memref.dealloc %a : memref<4xf32>
  cf.br ^out
^out:
  return
}

// The allocation is in a branch on it.
func.func @inside(%c: i1) {
  cf.cond_br %c, ^make, ^out
^make:
  %a = memref.alloc() : memref<4xf32>
  cf.br ^next
^next:
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  cf.br ^out
^out:
  return
}

func.func @select(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %s = arith.select %c, %a, %b : memref<4xf32>
  %t = arith.select %c, %b, %a : memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  func.call @use(%t) : (memref<4xf32>) -> ()
  memref.dealloc %t : memref<4xf32>
  return
}

// Two buffers that change places in each iteration.
func.func @swap(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<4xf32>, memref<4xf32>) {
    func.call @use(%x) : (memref<4xf32>) -> ()
    scf.yield %y, %x : memref<4xf32>, memref<4xf32>
  }
  memref.dealloc %r#0 : memref<4xf32>
  memref.dealloc %r#1 : memref<4xf32>
  return
}

func.func @while(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  %r:2 = scf.while (%m = %a, %i = %c0) : (memref<4xf32>, index) -> (memref<4xf32>, index) {
    %more = arith.cmpi slt, %i, %n : index
    scf.condition(%more) %m, %i : memref<4xf32>, index
  } do {
  ^bb0(%m: memref<4xf32>, %i: index):
    memref.dealloc %m : memref<4xf32>
    %x = memref.alloc() : memref<4xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %x, %j : memref<4xf32>, index
  }
  memref.dealloc %r#0 : memref<4xf32>
  return
}

// What is returned, stored, or whose address is taken is no longer its own.
func.func @leaves(%c: i1, %into: memref<1xmemref<4xf32>>) -> (memref<4xf32>, index) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %b, %into[%c0] : memref<1xmemref<4xf32>>
  %p = memref.alloc() : memref<4xf32>
  %i = memref.extract_aligned_pointer_as_index %p : memref<4xf32> -> index
  return %a, %i : memref<4xf32>, index
}

// Names and sizes of what is free are not its memory.
func.func @only_names(%n: index) -> index {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  %v = memref.cast %a : memref<?xf32> to memref<4xf32>
  %d = memref.dim %a, %c0 : memref<?xf32>
  return %d : index
}

// Freed through a view.
func.func @view(%x: f32) {
  %c0 = arith.constant 0 : index
  %arena = memref.alloc() : memref<32xi8>
  %v = memref.view %arena[%c0][] : memref<32xi8> to memref<4xf32>
  linalg.fill ins(%x : f32) outs(%v : memref<4xf32>)
  memref.dealloc %v : memref<4xf32>
  return
}

// Each iteration frees what it allocates; the loop counts as one use.
func.func @parallel(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%t : memref<4xf32>)
    %v = memref.cast %a : memref<4xf32> to memref<?xf32>
    linalg.fill ins(%x : f32) outs(%v : memref<?xf32>)
    memref.dealloc %t : memref<4xf32>
    scf.reduce
  }
  memref.dealloc %a : memref<4xf32>
  return
}

// Freed by other ops than memref.dealloc.
func.func @others_free(%c: i1, %a: memref<4xf32>) {
  %b = memref.alloc() : memref<4xf32>
  bufferization.dealloc (%b : memref<4xf32>) if (%c)
  %d = memref.alloc() : memref<4xf32>
  %e = memref.realloc %d : memref<4xf32> to memref<8xf32>
  memref.dealloc %e : memref<8xf32>
  return
}

// An endless loop is never left, and frees what it makes.
func.func @endless(%x: f32) {
  %a = memref.alloc() : memref<4xf32>
  cf.br ^again
^again:
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  func.call @use(%a) : (memref<4xf32>) -> ()
  memref.dealloc %b : memref<4xf32>
  cf.br ^again
}

// What a call hands over.
func.func @make(%c: i1) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    scf.yield %a : memref<4xf32>
  } else {
    %b = memref.alloc() : memref<4xf32>
    scf.yield %b : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func @lend(%c: i1, %a: memref<4xf32>) -> memref<4xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %a : memref<4xf32>
^b:
  %r = func.call @make(%c) : (i1) -> memref<4xf32>
  return %r : memref<4xf32>
}
func.func @takes(%c: i1, %a: memref<4xf32>) {
  %r = func.call @make(%c) : (i1) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  // May be %a.
  %s = func.call @lend(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  return
}

func.func @unreachable(%c: i1) {
  return
^nowhere:
  %a = memref.alloc() : memref<4xf32>
  cf.br ^nowhere
}

// Sides of a branch that meet again, one in the other, in a loop of blocks.
func.func @nested_sides(%c: i1, %d: i1, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = memref.alloc() : memref<4xf32>
  cf.br ^head(%c0 : index)
^head(%i: index):
  %a = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^l, ^join
^l:
  %b = memref.alloc() : memref<4xf32>
  cf.cond_br %d, ^ll, ^lr
^ll:
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  cf.br ^lj(%a, %b : memref<4xf32>, memref<4xf32>)
^lr:
  cf.br ^lj(%b, %a : memref<4xf32>, memref<4xf32>)
^lj(%p: memref<4xf32>, %q: memref<4xf32>):
  memref.dealloc %p : memref<4xf32>
  func.call @use(%q) : (memref<4xf32>) -> ()
  memref.dealloc %q : memref<4xf32>
  cf.br ^join
^join:
  cf.cond_br %c, ^next, ^free
^free:
  memref.dealloc %a : memref<4xf32>
  cf.br ^next
^next:
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^head(%j : index), ^end
^end:
  memref.dealloc %k : memref<4xf32>
  return
}

// By its names the result may be the argument, by the flag it never is.
func.func private @own_or_copy(%c: i1, %m: memref<4xf32>) -> memref<4xf32> {
  %true = arith.constant true
  %false = arith.constant false
  %a = memref.alloc() : memref<4xf32>
  %r:2 = scf.if %c -> (memref<4xf32>, i1) {
    memref.dealloc %a : memref<4xf32>
    scf.yield %m, %false : memref<4xf32>, i1
  } else {
    scf.yield %a, %true : memref<4xf32>, i1
  }
  %s = scf.if %r#1 -> memref<4xf32> {
    scf.yield %r#0 : memref<4xf32>
  } else {
    %n = memref.alloc() : memref<4xf32>
    memref.copy %r#0, %n : memref<4xf32> to memref<4xf32>
    scf.yield %n : memref<4xf32>
  }
  return %s : memref<4xf32>
}
func.func @frees_what_it_gets(%c: i1, %x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %r = call @own_or_copy(%c, %a) : (i1, memref<4xf32>) -> memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %s = call @own_or_copy(%c, %x) : (i1, memref<4xf32>) -> memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  return
}

// Under the flag that it tests, a function that calls itself never gives its
// argument back: what it returns is the caller's, and the argument is not freed.
func.func private @never_given_back(%x: memref<4xi32>, %n: index) -> memref<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %e, ^end, ^go
^end:
  %z = memref.alloc() : memref<4xi32>
  return %z : memref<4xi32>
^go:
  %d = arith.subi %n, %c1 : index
  %r = func.call @never_given_back(%x, %d) : (memref<4xi32>, index) -> memref<4xi32>
  memref.dealloc %r : memref<4xi32>
  %f = arith.constant false
  %s = scf.if %f -> memref<4xi32> {
    scf.yield %x : memref<4xi32>
  } else {
    %m = memref.alloc() : memref<4xi32>
    memref.copy %x, %m : memref<4xi32> to memref<4xi32>
    scf.yield %m : memref<4xi32>
  }
  return %s : memref<4xi32>
}
func.func @calls_never_given_back(%n: index) {
  %m = memref.alloc() : memref<4xi32>
  %s = func.call @never_given_back(%m, %n) : (memref<4xi32>, index) -> memref<4xi32>
  memref.dealloc %m : memref<4xi32>
  memref.dealloc %s : memref<4xi32>
  return
}

// What a function that calls itself frees is a copy, as its flag says. Where it
// ends nothing is freed, so that no call frees what it gets, whichever argument
// it becomes further in.
func.func private @frees_its_copy(%a: memref<4xi32>, %b: memref<4xi32>, %c: i1, %n: index) {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %e, ^end, ^go
^end:
  return
^go:
  %d = arith.subi %n, %c1 : index
  func.call @frees_its_copy(%b, %a, %c, %d) : (memref<4xi32>, memref<4xi32>, i1, index) -> ()
  %s:2 = scf.if %c -> (memref<4xi32>, i1) {
    %m = memref.alloc() : memref<4xi32>
    memref.copy %a, %m : memref<4xi32> to memref<4xi32>
    scf.yield %m, %true : memref<4xi32>, i1
  } else {
    scf.yield %a, %false : memref<4xi32>, i1
  }
  scf.if %s#1 {
    memref.dealloc %s#0 : memref<4xi32>
  }
  return
}
// The same by way of another function.
func.func private @frees_its_copy_by(%a: memref<4xi32>, %c: i1, %n: index) {
  %true = arith.constant true
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %e = arith.cmpi eq, %n, %c0 : index
  cf.cond_br %e, ^end, ^go
^end:
  return
^go:
  func.call @goes_on(%a, %c, %n) : (memref<4xi32>, i1, index) -> ()
  %s:2 = scf.if %c -> (memref<4xi32>, i1) {
    %m = memref.alloc() : memref<4xi32>
    memref.copy %a, %m : memref<4xi32> to memref<4xi32>
    scf.yield %m, %true : memref<4xi32>, i1
  } else {
    scf.yield %a, %false : memref<4xi32>, i1
  }
  scf.if %s#1 {
    memref.dealloc %s#0 : memref<4xi32>
  }
  return
}
func.func private @goes_on(%a: memref<4xi32>, %c: i1, %n: index) {
  %c1 = arith.constant 1 : index
  %d = arith.subi %n, %c1 : index
  func.call @frees_its_copy_by(%a, %c, %d) : (memref<4xi32>, i1, index) -> ()
  return
}
func.func @calls_who_frees_its_copy(%c: i1, %n: index) {
  %a = memref.alloc() : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  call @frees_its_copy(%a, %b, %c, %n) : (memref<4xi32>, memref<4xi32>, i1, index) -> ()
  call @frees_its_copy_by(%a, %c, %n) : (memref<4xi32>, i1, index) -> ()
  memref.dealloc %a : memref<4xi32>
  memref.dealloc %b : memref<4xi32>
  return
}

// A flag goes alone through an scf.if, which does not touch the buffer...
func.func @flag_alone_through_if(%c: i1) {
  %t = arith.constant true
  %f = arith.constant false
  %m = memref.alloc() : memref<4xi32>
  %r = scf.if %c -> i1 {
    scf.yield %t : i1
  } else {
    memref.dealloc %m : memref<4xi32>
    scf.yield %f : i1
  }
  %z = scf.if %c -> i1 {
    scf.yield %r : i1
  } else {
    scf.yield %f : i1
  }
  scf.if %c {
    func.call @more() : () -> i1
  }
  scf.if %z {
    memref.dealloc %m : memref<4xi32>
  }
  return
}
func.func private @more() -> i1

// ... through loops, turned round before and after...
func.func @flag_alone_through_loops(%c: i1, %n: index) {
  %t = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  scf.if %c {
    memref.dealloc %m : memref<4xi32>
  }
  %nc = arith.xori %c, %t : i1
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %nc) -> i1 {
    %s = scf.while (%p = %q) : (i1) -> i1 {
      %g = func.call @more() : () -> i1
      scf.condition(%g) %p : i1
    } do {
    ^bb0(%o: i1):
      scf.yield %o : i1
    }
    scf.yield %s : i1
  }
  %done = arith.cmpi eq, %r, %c : i1
  %not = arith.cmpi ult, %r, %t : i1
  scf.if %not {
  } else {
    scf.if %done {
    } else {
      memref.dealloc %m : memref<4xi32>
    }
  }
  return
}
// ... two flags that swap and are the same...
func.func @same_flags_swap(%c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%q = %c, %p = %c) -> (i1, i1) {
    scf.yield %p, %q : i1, i1
  }
  scf.if %r#0 {
    memref.dealloc %m : memref<4xi32>
  }
  scf.if %c {
  } else {
    memref.dealloc %m : memref<4xi32>
  }
  return
}
// ... through blocks that loop...
func.func @flag_alone_through_blocks(%c: i1, %n: i32) {
  %t = arith.constant true
  %z = arith.constant 0 : i32
  %o = arith.constant 1 : i32
  %m = memref.alloc() : memref<4xi32>
  scf.if %c {
    memref.dealloc %m : memref<4xi32>
  }
  %nc = arith.xori %c, %t : i1
  cf.br ^head(%nc, %z : i1, i32)
^head(%q: i1, %i: i32):
  %e = arith.cmpi slt, %i, %n : i32
  cf.cond_br %e, ^body(%q : i1), ^end(%q : i1)
^body(%p: i1):
  %j = arith.addi %i, %o : i32
  cf.br ^head(%p, %j : i1, i32)
^end(%r: i1):
  scf.if %r {
    memref.dealloc %m : memref<4xi32>
  }
  return
}
// ... or past branches that part and meet again.
func.func @flag_alone_through_diamond(%c: i1) {
  %t = arith.constant true
  %f = arith.constant false
  %m = memref.alloc() : memref<4xi32>
  scf.if %c {
    memref.dealloc %m : memref<4xi32>
  }
  cf.cond_br %c, ^given, ^join(%t : i1)
^given:
  cf.br ^join(%f : i1)
^join(%k: i1):
  cf.cond_br %k, ^free, ^end
^free:
  memref.dealloc %m : memref<4xi32>
  cf.br ^end
^end:
  return
}

// Of a result and one operand the other one follows, whichever is known first.
func.func @one_of_two(%q: i1, %c: i1) {
  %m = memref.alloc() : memref<4xi32>
  %d = arith.andi %q, %c : i1
  scf.if %d {
    memref.dealloc %m : memref<4xi32>
  }
  scf.if %q {
    scf.if %c {
    } else {
      memref.dealloc %m : memref<4xi32>
    }
  } else {
    memref.dealloc %m : memref<4xi32>
  }
  return
}
func.func @other_of_two(%q: i1, %c: i1) {
  %m = memref.alloc() : memref<4xi32>
  %d = arith.ori %q, %c : i1
  scf.if %q {
    memref.dealloc %m : memref<4xi32>
  } else {
    scf.if %d {
      memref.dealloc %m : memref<4xi32>
    }
    scf.if %c {
    } else {
      memref.dealloc %m : memref<4xi32>
    }
  }
  return
}
func.func @chosen_of_two(%q: i1, %a: i1, %b: i1) {
  %m = memref.alloc() : memref<4xi32>
  %d = arith.select %q, %a, %b : i1
  scf.if %d {
    memref.dealloc %m : memref<4xi32>
  } else {
    scf.if %q {
      scf.if %a {
      } else {
        memref.dealloc %m : memref<4xi32>
      }
    } else {
      scf.if %b {
      } else {
        memref.dealloc %m : memref<4xi32>
      }
    }
  }
  return
}
func.func @done_in_loop(%n: index) {
  %t = arith.constant true
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %t) -> i1 {
    %c = func.call @more() : () -> i1
    %d = arith.andi %q, %c : i1
    scf.if %d {
      memref.dealloc %m : memref<4xi32>
    }
    %nc = arith.xori %c, %t : i1
    %q2 = arith.andi %q, %nc : i1
    scf.yield %q2 : i1
  }
  scf.if %r {
    memref.dealloc %m : memref<4xi32>
  }
  return
}
// In an inner loop it is what the outer one says.
func.func @done_in_outer_loop(%n: index) {
  %t = arith.constant true
  %f = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%q = %t) -> i1 {
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%p = %q) -> i1 {
      scf.yield %p : i1
    }
    %c = func.call @more() : () -> i1
    %d = arith.select %c, %s, %f : i1
    %o = scf.if %d -> i1 {
      memref.dealloc %m : memref<4xi32>
      scf.yield %f : i1
    } else {
      scf.yield %s : i1
    }
    scf.yield %o : i1
  }
  scf.if %r {
    memref.dealloc %m : memref<4xi32>
  }
  return
}

// What is free may be given to who does not use it.
func.func private @ignores(%m: memref<?xf32>) {
  return
}
func.func private @sizes(%m: memref<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %v = memref.cast %m : memref<?xf32> to memref<4xf32>
  %w = memref.cast %v : memref<4xf32> to memref<?xf32>
  func.call @ignores(%w) : (memref<?xf32>) -> ()
  %d = memref.dim %w, %c0 : memref<?xf32>
  return %d : index
}
func.func @given_on(%n: index) -> index {
  %a = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  call @ignores(%a) : (memref<?xf32>) -> ()
  %d = call @sizes(%a) : (memref<?xf32>) -> index
  return %d : index
}

// The program stops if it was freed.
func.func @asserted(%c: i1) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xf32>
  scf.if %c {
    memref.dealloc %a : memref<4xf32>
  }
  %not = arith.xori %c, %true : i1
  cf.assert %not, "not freed"
  memref.dealloc %a : memref<4xf32>
  return
}

// The same in blocks that do not use it.
func.func @asserted_later(%c: i1, %d: i1) {
  %true = arith.constant true
  %a = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^freed, ^next
^freed:
  memref.dealloc %a : memref<4xf32>
  cf.br ^next
^next:
  cf.cond_br %d, ^check, ^check
^check:
  %not = arith.xori %c, %true : i1
  cf.assert %not, "not freed"
  cf.br ^last
^last:
  memref.dealloc %a : memref<4xf32>
  return
}

// Something waits, be it somewhere else.
func.func @waited(%p: memref<4xf32>, %c: i1) {
  %a = memref.alloc() : memref<4xf32>
  %t = async.execute {
    memref.copy %p, %a : memref<4xf32> to memref<4xf32>
    async.yield
  }
  scf.if %c {
    async.await %t : !async.token
  } else {
    async.await %t : !async.token
  }
  memref.dealloc %a : memref<4xf32>
  return
}

// A function that keeps it may free it later.
memref.global "private" @table : memref<1xmemref<4xf32>> = uninitialized
func.func private @keep(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @table : memref<1xmemref<4xf32>>
  memref.store %m, %t[%c0] : memref<1xmemref<4xf32>>
  return
}
func.func @given_away() {
  %a = memref.alloc() : memref<4xf32>
  call @keep(%a) : (memref<4xf32>) -> ()
  return
}

// The function that starts it waits for it, too.
func.func private @start_and_wait(%m: memref<4xf32>, %p: memref<4xf32>) {
  %t = async.execute {
    memref.copy %p, %m : memref<4xf32> to memref<4xf32>
    async.yield
  }
  async.await %t : !async.token
  return
}
func.func @waited_elsewhere(%p: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  call @start_and_wait(%a, %p) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %a : memref<4xf32>
  return
}

// What waits uses the buffer itself.
func.func @tag(%p: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xf32>
  %tag = memref.alloc() : memref<1xi32>
  memref.dma_start %p[%c0], %a[%c0], %c4, %tag[%c0] : memref<4xf32>, memref<4xf32>, memref<1xi32>
  memref.dma_wait %tag[%c0], %c4 : memref<1xi32>
  memref.dealloc %tag : memref<1xi32>
  memref.dealloc %a : memref<4xf32>
  return
}

// A function that is called waits, or one that it calls.
func.func private @wait(%tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  memref.dma_wait %tag[%c0], %c4 : memref<1xi32>
  return
}
func.func private @wait_too(%tag: memref<1xi32>) {
  call @wait(%tag) : (memref<1xi32>) -> ()
  return
}
func.func @waited_by_a_call(%p: memref<4xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xf32>
  memref.dma_start %p[%c0], %a[%c0], %c4, %tag[%c0] : memref<4xf32>, memref<4xf32>, memref<1xi32>
  call @wait_too(%tag) : (memref<1xi32>) -> ()
  memref.dealloc %a : memref<4xf32>
  return
}

// It comes back under a name that nothing uses.
func.func private @same(%m: memref<4xf32>) -> memref<4xf32> {
  return %m : memref<4xf32>
}
func.func @given_back() {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %b = call @same(%a) : (memref<4xf32>) -> memref<4xf32>
  return
}

// The function frees it, or the program stops.
func.func private @free_or_stop(%m: memref<4xf32>, %c: i1) {
  %false = arith.constant false
  cf.cond_br %c, ^free, ^stop
^free:
  memref.dealloc %m : memref<4xf32>
  return
^stop:
  cf.assert %false, "wrong"
  return
}
func.func @freed_or_stopped(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  call @free_or_stop(%a, %c) : (memref<4xf32>, i1) -> ()
  return
}

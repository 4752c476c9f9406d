// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s | tpuc-opt --memref-verify-deallocation='strict leaks=error' -o /dev/null
// RUN: tpuc-opt --memref-deallocate %s -o %t.once
// RUN: tpuc-opt --memref-deallocate %t.once -o %t.twice 2>&1 | count 0
// RUN: diff %t.once %t.twice

// What the program frees on one path and hands on on another goes on with that
// very buffer: of a copy nothing would free the original.

// CHECK-LABEL: func.func @freed_or_returned(
// CHECK: memref.alloc
// CHECK: memref.alloc
// CHECK: memref.alloc
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @freed_or_returned(%d: i1) -> memref<4xi32> {
  %false = arith.constant false
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi32>
  %lent:2 = scf.if %d -> (memref<4xi32>, i1) {
    scf.yield %a, %false : memref<4xi32>, i1
  } else {
    %z = memref.alloc() : memref<4xi32>
    scf.yield %z, %true : memref<4xi32>, i1
  }
  scf.if %lent#1 {
    memref.dealloc %lent#0 : memref<4xi32>
  }
  %r = scf.if %d -> memref<4xi32> {
    memref.dealloc %a : memref<4xi32>
    %m = memref.alloc() : memref<4xi32>
    scf.yield %m : memref<4xi32>
  } else {
    scf.yield %a : memref<4xi32>
  }
  return %r : memref<4xi32>
}

// The same by blocks, under a name that a select gave it.
// CHECK-LABEL: func.func @by_blocks(
// CHECK-NOT: memref.copy
// CHECK: return
func.func @by_blocks(%d: i1) -> memref<4xi32> {
  %false = arith.constant false
  %true = arith.constant true
  %a = memref.alloc() : memref<4xi32>
  cf.cond_br %d, ^lend(%a, %false : memref<4xi32>, i1), ^own
^own:
  %z = memref.alloc() : memref<4xi32>
  cf.br ^lend(%z, %true : memref<4xi32>, i1)
^lend(%l: memref<4xi32>, %owned: i1):
  scf.if %owned {
    memref.dealloc %l : memref<4xi32>
  }
  cf.cond_br %d, ^free, ^keep
^free:
  memref.dealloc %a : memref<4xi32>
  %m = memref.alloc() : memref<4xi32>
  cf.br ^end(%m : memref<4xi32>)
^keep:
  %s = arith.select %d, %a, %a : memref<4xi32>
  cf.br ^end(%s : memref<4xi32>)
^end(%r: memref<4xi32>):
  return %r : memref<4xi32>
}

// Where the two meet and nothing takes what comes of it, the program's buffer is
// lent, be it free already.
// CHECK-LABEL: func.func @freed_and_handed_on(
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (memref<4xi32>, i1)
// CHECK: memref.dealloc
// CHECK-NOT: memref.copy
// CHECK: scf.yield %{{.*}}, %false
// CHECK: scf.yield %{{.*}}, %true
// CHECK: scf.if %[[R]]#1
// CHECK-NEXT: memref.dealloc %[[R]]#0
func.func @freed_and_handed_on(%c: i1) {
  %r = scf.if %c -> memref<4xi32> {
    %m = memref.alloc() : memref<4xi32>
    %v = scf.if %c -> memref<4xi32> {
      scf.yield %m : memref<4xi32>
    } else {
      scf.yield %m : memref<4xi32>
    }
    memref.dealloc %m : memref<4xi32>
    scf.yield %v : memref<4xi32>
  } else {
    %b = memref.alloc() : memref<4xi32>
    scf.yield %b : memref<4xi32>
  }
  return
}

// A loop whose result is always its own: what the first run makes of it, flags
// and all, the second takes for the program's.
// CHECK-LABEL: func.func @own_after_the_first_run(
// CHECK: affine.for
// CHECK: scf.yield %{{.*}}#0 : memref<4xi32>
func.func @own_after_the_first_run(%x: memref<4xi32>, %y: memref<4xi32>, %c: i1) -> memref<4xi32> {
  %r = scf.if %c -> memref<4xi32> {
    scf.yield %x : memref<4xi32>
  } else {
    %l = affine.for %i = 0 to 2 iter_args(%b = %y) -> (memref<4xi32>) {
      linalg.add ins(%y, %y : memref<4xi32>, memref<4xi32>) outs(%y : memref<4xi32>)
      %m = memref.alloc() : memref<4xi32>
      memref.copy %y, %m : memref<4xi32> to memref<4xi32>
      affine.yield %m : memref<4xi32>
    }
    scf.yield %l : memref<4xi32>
  }
  return %r : memref<4xi32>
}

// RUN: tpuc-opt --memref-deallocate %s 2>/dev/null | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s -o %t.1 2>/dev/null
// RUN: tpuc-opt --memref-deallocate %t.1 -o %t.2 2>/dev/null
// RUN: cmp %t.1 %t.2

// A function that may return its argument returns a copy of it, unless one of
// its callers sees the difference. ExamplesTest runs them, too.

// The buffer is written before the call alone, under whatever name.
// CHECK-LABEL: func.func private @before_pick(
// CHECK: memref.copy
// CHECK-LABEL: func.func @before(
// CHECK: %[[Q:.*]] = call @before_pick(
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: memref.load %[[Q]]
// CHECK-NEXT: memref.dealloc %[[Q]]
func.func private @before_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func @before(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %m = scf.if %d -> memref<4xf32> {
    %new = memref.alloc() : memref<4xf32>
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  linalg.fill ins(%x : f32) outs(%m : memref<4xf32>)
  %q = func.call @before_pick(%c, %m, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
  %v = memref.load %q[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// The buffer comes back at the start of the loop, is written there, and then
// read as what the call returned.
// CHECK-LABEL: func.func private @again_pick(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @again_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func @again(%c: i1, %d: i1, %n: index, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%m = %a, %p = %b, %s = %x) -> (memref<4xf32>, memref<4xf32>, f32) {
    %m2 = scf.if %d -> memref<4xf32> {
      %new = memref.alloc() : memref<4xf32>
      scf.yield %new : memref<4xf32>
    } else {
      scf.yield %m : memref<4xf32>
    }
    %next = arith.addf %s, %x : f32
    linalg.fill ins(%next : f32) outs(%m2 : memref<4xf32>)
    %v = memref.load %p[%c0] : memref<4xf32>
    %sum = arith.addf %v, %next : f32
    %q = func.call @again_pick(%c, %m2, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
    scf.yield %m2, %q, %sum : memref<4xf32>, memref<4xf32>, f32
  }
  memref.store %r#2, %out[%c0] : memref<4xf32>
  return
}

// It is written under the name that it came from.
// CHECK-LABEL: func.func private @source_pick(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @source_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func @source(%c: i1, %d: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %m = scf.if %d -> memref<4xf32> {
    %new = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%new : memref<4xf32>)
    scf.yield %new : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  %q = func.call @source_pick(%c, %m, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
  %y = arith.addf %x, %x : f32
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  %v = memref.load %q[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// It is written under the name that another function returned.
// CHECK-LABEL: func.func private @other_pick(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @other_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func private @other_same(%m: memref<4xf32>) -> memref<4xf32> {
  return %m : memref<4xf32>
}
func.func @other(%c: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %q = func.call @other_pick(%c, %a, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
  %same = func.call @other_same(%a) : (memref<4xf32>) -> memref<4xf32>
  %y = arith.addf %x, %x : f32
  linalg.fill ins(%y : f32) outs(%same : memref<4xf32>)
  %v = memref.load %q[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// It is returned beside what the call returned, and written by who gets both.
// CHECK-LABEL: func.func private @both_pick(
// CHECK-NOT: memref.copy
// CHECK: return
func.func private @both_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func private @both_return(%c: i1, %x: f32) -> (memref<4xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %q = func.call @both_pick(%c, %a, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
  return %a, %q : memref<4xf32>, memref<4xf32>
}
func.func @both(%c: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %q:2 = func.call @both_return(%c, %x) : (i1, f32) -> (memref<4xf32>, memref<4xf32>)
  %y = arith.addf %x, %x : f32
  linalg.fill ins(%y : f32) outs(%q#0 : memref<4xf32>)
  %v = memref.load %q#1[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// It is no argument that the function returns, and written by another one.
// CHECK-LABEL: func.func private @global_pick(
// CHECK-NOT: memref.copy
// CHECK: return
memref.global "private" @shared : memref<4xf32> = dense<0.0>
func.func private @global_pick(%c: i1, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    %g = memref.get_global @shared : memref<4xf32>
    scf.yield %g : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func private @global_set(%x: f32) {
  %g = memref.get_global @shared : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%g : memref<4xf32>)
  return
}
func.func @global(%c: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  func.call @global_set(%zero) : (f32) -> ()
  %q = func.call @global_pick(%c, %x) : (i1, f32) -> memref<4xf32>
  func.call @global_set(%x) : (f32) -> ()
  %v = memref.load %q[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}

// Where the buffer comes from is known though that function stands last.
// CHECK-LABEL: func.func private @made_pick(
// CHECK: memref.copy
func.func private @made_pick(%c: i1, %m: memref<4xf32>, %x: f32) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
    scf.yield %a : memref<4xf32>
  } else {
    scf.yield %m : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func @made(%c: i1, %x: f32, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = func.call @made_make(%x) : (f32) -> memref<4xf32>
  %q = func.call @made_pick(%c, %a, %x) : (i1, memref<4xf32>, f32) -> memref<4xf32>
  %v = memref.load %q[%c0] : memref<4xf32>
  memref.store %v, %out[%c0] : memref<4xf32>
  return
}
func.func private @made_make(%x: f32) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  return %a : memref<4xf32>
}

// RUN: tpuc-opt %s --split-input-file --memref-deallocate --verify-diagnostics | FileCheck %s

// Two results may be one buffer, which this caller sees: neither becomes a copy.
// CHECK-LABEL: func.func private @select
// CHECK-NOT: memref.copy
// CHECK: func.func @main
func.func private @select(%c: i1) -> (memref<4xi32>, memref<4xi32>) {
  // expected-remark @+1 {{is not freed by memref-deallocate}}
  %a = memref.alloc() : memref<4xi32>
  // expected-remark @+1 {{is not freed by memref-deallocate}}
  %b = memref.alloc() : memref<4xi32>
  %s = arith.select %c, %a, %b : memref<4xi32>
  // expected-note @+1 {{here}}
  return %a, %s : memref<4xi32>, memref<4xi32>
}
func.func @main(%o: memref<4xi32>, %c: i1, %v: i32, %i: index) {
  %r:2 = call @select(%c) : (i1) -> (memref<4xi32>, memref<4xi32>)
  memref.store %v, %r#1[%i] : memref<4xi32>
  memref.copy %r#0, %o : memref<4xi32> to memref<4xi32>
  return
}

// -----

// The same through a region and through blocks.
// CHECK-LABEL: func.func private @region
// CHECK-NOT: memref.copy
// CHECK: func.func @main
func.func private @region(%c: i1) -> (memref<4xi32>, memref<4xi32>) {
  // expected-remark @+1 {{is not freed by memref-deallocate}}
  %a = memref.alloc() : memref<4xi32>
  %s = scf.if %c -> memref<4xi32> {
    scf.yield %a : memref<4xi32>
  } else {
    // expected-remark @+1 {{is not freed by memref-deallocate}}
    %b = memref.alloc() : memref<4xi32>
    scf.yield %b : memref<4xi32>
  }
  // expected-note @+1 {{here}}
  return %a, %s : memref<4xi32>, memref<4xi32>
}
func.func private @blocks(%c: i1) -> (memref<4xi32>, memref<4xi32>) {
  // expected-remark @+1 {{is not freed by memref-deallocate}}
  %a = memref.alloc() : memref<4xi32>
  cf.cond_br %c, ^join(%a : memref<4xi32>), ^fresh
^fresh:
  // expected-remark @+1 {{is not freed by memref-deallocate}}
  %b = memref.alloc() : memref<4xi32>
  cf.br ^join(%b : memref<4xi32>)
^join(%s: memref<4xi32>):
  // expected-note @+1 {{here}}
  return %a, %s : memref<4xi32>, memref<4xi32>
}
func.func @main(%o: memref<4xi32>, %c: i1, %v: i32, %i: index) {
  %r:2 = call @region(%c) : (i1) -> (memref<4xi32>, memref<4xi32>)
  memref.store %v, %r#1[%i] : memref<4xi32>
  memref.copy %r#0, %o : memref<4xi32> to memref<4xi32>
  %q:2 = call @blocks(%c) : (i1) -> (memref<4xi32>, memref<4xi32>)
  memref.store %v, %q#1[%i] : memref<4xi32>
  memref.copy %q#0, %o : memref<4xi32> to memref<4xi32>
  return
}

// -----

// This caller only reads: a copy does as well, and all is freed.
// CHECK-LABEL: func.func private @select
// CHECK: memref.copy
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: memref.dealloc
func.func private @select(%c: i1) -> (memref<4xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  %s = arith.select %c, %a, %b : memref<4xi32>
  return %a, %s : memref<4xi32>, memref<4xi32>
}
func.func @main(%o: memref<4xi32>, %c: i1) {
  %r:2 = call @select(%c) : (i1) -> (memref<4xi32>, memref<4xi32>)
  memref.copy %r#0, %o : memref<4xi32> to memref<4xi32>
  memref.copy %r#1, %o : memref<4xi32> to memref<4xi32>
  return
}

// -----

// CHECK-LABEL: func.func @different
// CHECK-NOT: memref.copy
// CHECK: return
func.func @different() -> (memref<4xi32>, memref<4xi32>) {
  %a = memref.alloc() : memref<4xi32>
  %b = memref.alloc() : memref<4xi32>
  return %a, %b : memref<4xi32>, memref<4xi32>
}

// -----

// Who calls it by a value is not known, and may write to what it returns.
// CHECK-LABEL: func.func private @idf
// CHECK-NOT: memref.copy
// CHECK: func.func @main
func.func private @idf(%m: memref<4xi32>, %c: i1) -> memref<4xi32> {
  cf.cond_br %c, ^a, ^b
^a:
  %a = memref.alloc() : memref<4xi32>
  // expected-remark @+1 {{what is returned here is not freed}}
  return %a : memref<4xi32>
^b:
  return %m : memref<4xi32>
}
func.func private @other(%m: memref<4xi32>, %c: i1) -> memref<4xi32> {
  return %m : memref<4xi32>
}
func.func @main(%x: memref<4xi32>, %p: i1, %c: i1, %v: i32, %i: index) {
  %f = func.constant @idf : (memref<4xi32>, i1) -> memref<4xi32>
  %g = func.constant @other : (memref<4xi32>, i1) -> memref<4xi32>
  %h = arith.select %p, %f, %g : (memref<4xi32>, i1) -> memref<4xi32>
  // expected-remark @+1 {{what is returned here is not freed}}
  %r = func.call_indirect %h(%x, %c) : (memref<4xi32>, i1) -> memref<4xi32>
  memref.store %v, %r[%i] : memref<4xi32>
  return
}

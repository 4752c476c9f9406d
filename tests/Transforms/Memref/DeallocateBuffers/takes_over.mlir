// RUN: tpuc-opt --memref-deallocate %s | FileCheck %s
// RUN: tpuc-opt --memref-deallocate %s | tpuc-opt --memref-verify-deallocation='strict leaks=error' -o /dev/null

// A function that takes its argument over, by way of another one.
// CHECK-LABEL: func.func @gives_away(
// CHECK: call @passes_on
// CHECK-NEXT: return
func.func private @takes(%m: memref<4xf32>) {
  memref.dealloc %m : memref<4xf32>
  return
}
func.func private @passes_on(%m: memref<4xf32>) {
  call @takes(%m) : (memref<4xf32>) -> ()
  return
}
func.func @gives_away(%y: f32, %out: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  memref.copy %a, %out : memref<4xf32> to memref<4xf32>
  call @passes_on(%a) : (memref<4xf32>) -> ()
  return
}

// Arguments that are freed on one path and returned on another: a copy in their
// place would leave them.
// CHECK-LABEL: func.func private @frees_or_returns(
// CHECK-NOT: memref.copy
// CHECK-LABEL: func.func @takes_back(
func.func private @frees_or_returns(%a: memref<4xf32>, %c: i1) -> memref<4xf32> {
  %r = scf.if %c -> memref<4xf32> {
    memref.dealloc %a : memref<4xf32>
    %m = memref.alloc() : memref<4xf32>
    scf.yield %m : memref<4xf32>
  } else {
    scf.yield %a : memref<4xf32>
  }
  return %r : memref<4xf32>
}
func.func private @frees_or_returns_by_blocks(%a: memref<4xf32>, %c: i1) -> memref<4xf32> {
  cf.cond_br %c, ^free, ^keep
^free:
  memref.dealloc %a : memref<4xf32>
  %m = memref.alloc() : memref<4xf32>
  return %m : memref<4xf32>
^keep:
  return %a : memref<4xf32>
}
func.func @takes_back(%c: i1) {
  %x = memref.alloc() : memref<4xf32>
  %y = call @frees_or_returns(%x, %c) : (memref<4xf32>, i1) -> memref<4xf32>
  memref.dealloc %y : memref<4xf32>
  %z = memref.alloc() : memref<4xf32>
  %w = call @frees_or_returns_by_blocks(%z, %c) : (memref<4xf32>, i1) -> memref<4xf32>
  memref.dealloc %w : memref<4xf32>
  return
}

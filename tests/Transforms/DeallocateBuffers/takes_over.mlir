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

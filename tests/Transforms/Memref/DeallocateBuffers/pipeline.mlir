// RUN: tpuc-opt --memref-memory %s | FileCheck %s
// RUN: tpuc-opt --memref-memory='promote=false merge=false remove-copies=false' %s | FileCheck %s --check-prefix=PLAIN

// Buffers of static size share one allocation, which is freed; that of dynamic
// size keeps its own.
// CHECK-LABEL: func.func @mixed(
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<{{[0-9]+}}xi8>
// CHECK: %[[D:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK-DAG: memref.dealloc %[[D]] : memref<?xf32>
// CHECK-DAG: memref.dealloc %[[ARENA]] : memref<{{[0-9]+}}xi8>
// CHECK-NOT: memref.dealloc
// PLAIN-LABEL: func.func @mixed(
// PLAIN-COUNT-4: memref.dealloc
// PLAIN-NOT: memref.dealloc
func.func @mixed(%n: index, %x: f32, %out: memref<1024xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1024xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<1024xf32>)
  %b = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%a : memref<1024xf32>) outs(%b : memref<1024xf32>)
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%x : f32) outs(%d : memref<?xf32>)
  %c = memref.alloc() : memref<1024xf32>
  linalg.exp ins(%b : memref<1024xf32>) outs(%c : memref<1024xf32>)
  linalg.add ins(%b, %c : memref<1024xf32>, memref<1024xf32>) outs(%out : memref<1024xf32>)
  %v = memref.load %d[%c0] : memref<?xf32>
  return %v : f32
}

// A buffer that grows: the old one is freed when it is replaced, and else is
// what is freed in the end.
// CHECK-LABEL: func.func @grows(
// PLAIN-LABEL: func.func @grows(
// PLAIN: %[[A:.*]] = memref.alloc(
// PLAIN: %[[R:.*]] = scf.if
// PLAIN: memref.copy %[[A]]
// PLAIN-NEXT: memref.dealloc %[[A]]
// PLAIN-NEXT: scf.yield
// PLAIN: memref.load %[[R]]
// PLAIN-NEXT: memref.dealloc %[[R]]
func.func @grows(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  %r = memref.realloc %a : memref<?xf32> to memref<4xf32>
  %v = memref.load %r[%c0] : memref<4xf32>
  return %v : f32
}

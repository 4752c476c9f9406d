// RUN: tpuc-opt --memref-deallocate %s -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt --memref-deallocate=remarks=false %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: not tpuc-opt --pass-pipeline='builtin.module(func.func(memref-deallocate))' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NESTED
// SILENT-NOT: remark:
// NESTED: error: memref-deallocate has to see who calls whom: run it on the module, not on each of its functions [TPUMEM-E018]
// NESTED-NOT: error:

// What is left is said once for each allocation.

// The outer buffer is used again where the other one has been freed.
// CHECK: [[@LINE+3]]:8: remark: is not freed by memref-deallocate: the program frees it itself, but not on every path
// CHECK-NOT: remark:
func.func @lent(%c: i1, %d: i1, %x: f32) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  %r = arith.select %c, %a, %b : memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  scf.if %c {
    memref.dealloc %b : memref<4xf32>
  }
  return
}

// The program frees all of it, under a condition that it knows.
// CHECK-NOT: remark:
func.func @freed_by_flag(%c: i1, %x: f32, %m: memref<4xf32>) {
  %true = arith.constant true
  %false = arith.constant false
  %r:2 = scf.if %c -> (memref<4xf32>, i1) {
    scf.yield %m, %false : memref<4xf32>, i1
  } else {
    %a = memref.alloc() : memref<4xf32>
    scf.yield %a, %true : memref<4xf32>, i1
  }
  linalg.fill ins(%x : f32) outs(%r#0 : memref<4xf32>)
  scf.if %r#1 {
    memref.dealloc %r#0 : memref<4xf32>
  }
  return
}

// Functions that call each other in a circle.
// CHECK: [[@LINE+16]]:8: remark: what is returned here is not freed by memref-deallocate: the functions call each other in a circle
func.func private @even(%n: index, %x: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  %e = arith.cmpi eq, %n, %c0 : index
  scf.if %e {
    %k = arith.subi %n, %c1 : index
    %o = func.call @odd(%k, %x) : (index, f32) -> memref<4xf32>
    memref.copy %o, %a : memref<4xf32> to memref<4xf32>
  }
  return %a : memref<4xf32>
}
func.func private @odd(%n: index, %x: f32) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %e = func.call @even(%n, %x) : (index, f32) -> memref<4xf32>
  memref.copy %e, %a : memref<4xf32> to memref<4xf32>
  return %a : memref<4xf32>
}

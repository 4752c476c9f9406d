// RUN: tpuc-opt --memref-deallocate=remarks=false %s -o %t.1
// RUN: FileCheck %s < %t.1
// RUN: tpuc-opt --memref-deallocate=remarks=false %t.1 | diff %t.1 -
// RUN: tpuc-opt --memref-verify-deallocation %t.1 -o /dev/null 2>&1 | FileCheck %s --check-prefix=FAULTS --allow-empty
// FAULTS-NOT: error:

// What a flag beside its name keeps from being freed is the caller's still; see
// ownership.mlir. Here a function may free its argument.

// The flag is not the one of this name.
func.func private @by_other_flag(%x: memref<4xf32>, %c: i1, %d: i1, %y: f32) {
  %r = scf.if %c -> memref<4xf32> {
    %n = memref.alloc() : memref<4xf32>
    scf.yield %n : memref<4xf32>
  } else {
    scf.yield %x : memref<4xf32>
  }
  linalg.fill ins(%y : f32) outs(%r : memref<4xf32>)
  scf.if %d {
    memref.dealloc %r : memref<4xf32>
  }
  return
}
// CHECK-LABEL: func.func @gives_to_other_flag(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @gives_to_other_flag(%y: f32, %c: i1, %d: i1) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  call @by_other_flag(%a, %c, %d, %y) : (memref<4xf32>, i1, i1, f32) -> ()
  return
}

// It goes through memory, and is freed as what is loaded there.
func.func private @by_storage(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %s = memref.alloca() : memref<1xmemref<4xf32>>
  memref.store %x, %s[%c0] : memref<1xmemref<4xf32>>
  %l = memref.load %s[%c0] : memref<1xmemref<4xf32>>
  memref.dealloc %l : memref<4xf32>
  return
}
// CHECK-LABEL: func.func @gives_to_storage(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @gives_to_storage(%y: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  call @by_storage(%a) : (memref<4xf32>) -> ()
  return
}

// An op that frees it, or not, and a function between.
func.func private @by_condition(%x: memref<4xf32>, %c: i1) {
  bufferization.dealloc (%x : memref<4xf32>) if (%c)
  return
}
func.func private @hands_on(%x: memref<4xf32>, %c: i1) {
  call @by_condition(%x, %c) : (memref<4xf32>, i1) -> ()
  return
}
// CHECK-LABEL: func.func @gives_to_condition(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @gives_to_condition(%y: f32, %c: i1) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  call @hands_on(%a, %c) : (memref<4xf32>, i1) -> ()
  return
}

// Functions that call each other.
func.func private @ping(%x: memref<4xf32>, %n: index, %y: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.cmpi eq, %n, %c0 : index
  %k = arith.subi %n, %c1 : index
  scf.if %e {
    memref.dealloc %x : memref<4xf32>
  } else {
    func.call @pong(%x, %k, %y) : (memref<4xf32>, index, f32) -> ()
  }
  return
}
func.func private @pong(%x: memref<4xf32>, %n: index, %y: f32) {
  linalg.fill ins(%y : f32) outs(%x : memref<4xf32>)
  call @ping(%x, %n, %y) : (memref<4xf32>, index, f32) -> ()
  return
}
// CHECK-LABEL: func.func @gives_to_circle(
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @gives_to_circle(%n: index, %y: f32) {
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<4xf32>)
  call @ping(%a, %n, %y) : (memref<4xf32>, index, f32) -> ()
  return
}

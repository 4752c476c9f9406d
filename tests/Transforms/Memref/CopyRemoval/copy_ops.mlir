// RUN: tpuc-opt --allow-unregistered-dialect --copy-removal="copy-ops=my.copy,gpu.memcpy,memref.store" %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --memref-memory="promote=false merge=false copy-ops=my.copy,gpu.memcpy" %s | FileCheck %s --check-prefix=PIPE
// RUN: tpuc-opt --allow-unregistered-dialect --copy-removal %s | FileCheck %s --check-prefix=NONE
// RUN: not tpuc-opt --allow-unregistered-dialect --copy-removal="copy-ops=copy" %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tpuc-opt --allow-unregistered-dialect --copy-removal="copy-ops=my." %s 2>&1 | FileCheck %s --check-prefix=BAD

// RUN: not tpuc-opt --allow-unregistered-dialect --copy-removal="copy-ops=my.copy,gpu.memcopy" %s 2>&1 | FileCheck %s --check-prefix=TYPO
// RUN: not tpuc-opt --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(copy-removal{copy-ops=llvm.memcopy}))" %s 2>&1 | FileCheck %s --check-prefix=LLVM
// RUN: echo 'func.func @empty() { return }' | not tpuc-opt --copy-removal="copy-ops=my.copy" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// BAD: error: option 'copy-ops': '{{.*}}' is no name of an op; write as in 'mydialect.copy' [TPUMEM-E018]
// TYPO: error: option 'copy-ops': 'gpu.memcopy' is no op of dialect 'gpu' [TPUMEM-E018]
// LLVM: error: option 'copy-ops': 'llvm.memcopy' is no op of dialect 'llvm' [TPUMEM-E018]
// LLVM-NOT: error
// UNKNOWN: error: option 'copy-ops': 'my.copy' is of a dialect that is not known, and unregistered ones are not allowed [TPUMEM-E018]

// NONE-COUNT-2: "my.copy"
// NONE: gpu.memcpy
// PIPE-NOT: gpu.memcpy

// Nothing is known of the op: its first operand is the source.
// CHECK-LABEL: func.func @named(
// CHECK: %[[S:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-NOT: "my.copy"
// CHECK: return %[[S]]
func.func @named(%x: f32) -> memref<4xf32> {
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<4xf32>)
  %t = memref.alloc() : memref<4xf32>
  "my.copy"(%s, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  memref.dealloc %s : memref<4xf32>
  return %t : memref<4xf32>
}

// An op of this name with more operands does more.
// CHECK-LABEL: func.func @not_only(
// CHECK: "my.copy"
func.func @not_only(%x: f32, %n: index) -> memref<4xf32> {
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<4xf32>)
  %t = memref.alloc() : memref<4xf32>
  "my.copy"(%s, %t, %n) : (memref<4xf32>, memref<4xf32>, index) -> ()
  memref.dealloc %s : memref<4xf32>
  return %t : memref<4xf32>
}

// The effects say that the second operand is the source.
// CHECK-LABEL: func.func @by_effects(
// CHECK: %[[S:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-NOT: gpu.memcpy
// CHECK: return %[[S]]
func.func @by_effects(%x: f32) -> memref<4xf32> {
  %s = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%s : memref<4xf32>)
  %t = memref.alloc() : memref<4xf32>
  gpu.memcpy %t, %s : memref<4xf32>, memref<4xf32>
  memref.dealloc %s : memref<4xf32>
  return %t : memref<4xf32>
}

// Whatever is asked for, this is none.
// CHECK-LABEL: func.func @store(
// CHECK: memref.store
func.func @store(%x: memref<f32>, %v: f32) {
  memref.store %v, %x[] : memref<f32>
  return
}

// RUN: not tpuc-opt --merge-alloc=capacity=default:20000 %s 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: tpuc-opt --merge-alloc='capacity=default:20000 reorder' --verify-diagnostics %s | FileCheck %s
// RUN: tpuc-opt --pass-pipeline='builtin.module(func.func(merge-alloc{reorder capacity=default:20000}))' %s | FileCheck %s

// It fits in another order than that of the text. What the tries have to say is
// not heard.
// TEXT: error: 'func.func' op does not fit: {{.*}} [TPUMEM-E001]
// CHECK-LABEL: func.func @fits(
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<16{{[0-9]+}}xi8>
func.func @fits(%x: memref<f32>, %y: memref<f32>) {
  %a = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%x : memref<f32>) outs(%a : memref<4096xf32>) dimensions = [0]
  %b = memref.alloc() : memref<4096xf32>
  linalg.broadcast ins(%x : memref<f32>) outs(%b : memref<4096xf32>) dimensions = [0]
  %c = memref.alloc() : memref<f32>
  memref.copy %x, %c : memref<f32> to memref<f32>
  linalg.reduce { arith.addf } ins(%a : memref<4096xf32>) outs(%c : memref<f32>) dimensions = [0]
  linalg.reduce { arith.addf } ins(%b : memref<4096xf32>) outs(%c : memref<f32>) dimensions = [0]
  memref.copy %c, %y : memref<f32> to memref<f32>
  return
}

// RUN: tpuc-opt --memref-verify-deallocation --verify-diagnostics %s

// What stands before the first assertion runs, what stands after it may.
func.func private @reads_first(%m: memref<4xf32>, %c: i1, %i: index) -> f32 {
  %x = memref.load %m[%i] : memref<4xf32>
  cf.assert %c, "first"
  cf.assert %c, "second"
  return %x : f32
}
func.func private @reads_last(%m: memref<4xf32>, %c: i1, %i: index) -> f32 {
  cf.assert %c, "first"
  %x = memref.load %m[%i] : memref<4xf32>
  cf.assert %c, "second"
  return %x : f32
}
func.func @first(%c: i1, %i: index) -> f32 {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-error @+1 {{'func.call' uses a buffer that was freed [TPUMEM-E019]}}
  %x = call @reads_first(%a, %c, %i) : (memref<4xf32>, i1, index) -> f32
  return %x : f32
}
func.func @last(%c: i1, %i: index) -> f32 {
  // expected-note @+1 {{allocated here}}
  %a = memref.alloc() : memref<4xf32>
  // expected-note @+1 {{freed here}}
  memref.dealloc %a : memref<4xf32>
  // expected-remark @+1 {{'func.call' may use a buffer that was freed}}
  %x = call @reads_last(%a, %c, %i) : (memref<4xf32>, i1, index) -> f32
  return %x : f32
}

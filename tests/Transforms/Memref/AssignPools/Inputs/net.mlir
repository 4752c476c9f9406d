memref.global "private" constant @bias : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
func.func private @op(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32> loc("t")
  linalg.exp ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.add ins(%t, %x : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
func.func @main(%x: memref<64xf32>, %y: memref<4xf32>) {
  %bias = memref.get_global @bias : memref<4xf32>
  memref.copy %bias, %y : memref<4xf32> to memref<4xf32>
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() {candidate_pools = ["dram"]} : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%a : memref<128xf32>)
  %b = memref.alloc() : memref<64xf32>
  call @op(%x, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  call @op(%b, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  %i = arith.constant 0 : index
  %v = memref.load %a[%i] : memref<128xf32>
  memref.store %v, %y[%i] : memref<4xf32>
  return
}

// Buffers that can share storage, one that nothing frees, and a copy too many.
func.func @chain(%in: memref<256xf32>, %out: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  memref.copy %in, %a : memref<256xf32> to memref<256xf32>
  %x = memref.load %a[%c0] : memref<256xf32>
  memref.store %x, %b[%c0] : memref<256xf32>
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  return
}

func.func @loop(%n: index, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloc() : memref<64xf32>
    linalg.copy ins(%out : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.copy ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  }
  return
}

func.func @kept(%d: index) -> memref<?xf32> {
  %a = memref.alloc(%d) : memref<?xf32>
  %b = memref.alloc(%d) : memref<?xf32>
  memref.copy %a, %b : memref<?xf32> to memref<?xf32>
  return %b : memref<?xf32>
}

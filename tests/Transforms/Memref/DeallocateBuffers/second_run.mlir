// RUN: tpuc-opt --allow-unregistered-dialect --memref-deallocate=remarks=false %s -o %t
// RUN: tpuc-opt --allow-unregistered-dialect --memref-deallocate=remarks=false %t | diff %t -

// A second run changes nothing: not where two names of one buffer both go on...
func.func private @g0(%a0: memref<4xi32>, %a1: memref<4xi32>, %a2: i1, %a3: index) {
  %x1:2 = scf.index_switch %a3 -> memref<8xi32>, memref<4xi32>
  case 0 {
    %m3 = memref.alloc() : memref<4xi32>
    %i2:2 = scf.if %a2 -> (memref<4xi32>, memref<4xi32>) {
      %m5 = memref.alloc() : memref<4xi32>
      scf.yield %m5, %m5 : memref<4xi32>, memref<4xi32>
    } else {
      scf.yield %m3, %m3 : memref<4xi32>, memref<4xi32>
    }
    %x8:1 = scf.execute_region -> (memref<8xi32>) {
      %k11 = arith.constant 0 : index
      %v12 = memref.load %i2#0[%k11] : memref<4xi32>
      %k13 = arith.constant 3 : index
      memref.store %v12, %a0[%k13] : memref<4xi32>
      %m14 = memref.alloc() : memref<8xi32>
      scf.yield %m14 : memref<8xi32>
    }
    scf.yield %x8#0, %i2#0 : memref<8xi32>, memref<4xi32>
  }
  default {
    %w46 = memref.expand_shape %a0 [[0, 1]] output_shape [2, 2] : memref<4xi32> into memref<2x2xi32>
    %w45 = memref.collapse_shape %w46 [[0, 1]] : memref<2x2xi32> into memref<4xi32>
    %w47 = memref.reinterpret_cast %w45 to offset: [0], sizes: [4], strides: [1] : memref<4xi32> to memref<4xi32>
    %m57 = memref.alloc() : memref<8xi32>
    scf.yield %m57, %w47 : memref<8xi32>, memref<4xi32>
  }
  return
}

// ... nor where the program frees some of its buffers.
func.func @main(%a0: memref<4xi32>, %a1: memref<4xi32>, %a2: memref<8xi32>, %a3: i1, %a4: i1, %a5: i1, %a6: index) -> memref<4xi32> {
  %i32:2 = scf.if %a3 -> (memref<4xi32>, memref<8xi32>) {
    %m35 = memref.alloc() : memref<4xi32>
    %k41 = arith.constant 0 : index
    %k42 = arith.constant 2 : index
    %k43 = arith.constant 1 : index
    %f37:2 = scf.for %iv40 = %k41 to %k42 step %k43 iter_args(%b38 = %m35, %b39 = %a0) -> (memref<4xi32>, memref<4xi32>) {
      "test.use"(%b38) : (memref<4xi32>) -> ()
      %m46 = memref.alloc() : memref<4xi32>
      scf.yield %m46, %b38 : memref<4xi32>, memref<4xi32>
    }
    %x50 = "test.rres"() ({
      %i51:2 = scf.if %a3 -> (memref<4xi32>, memref<4xi32>) {
        %m52 = memref.alloc() : memref<4xi32>
        scf.yield %m52, %f37#0 : memref<4xi32>, memref<4xi32>
      } else {
        %m54 = memref.alloc() : memref<4xi32>
        scf.yield %f37#0, %m54 : memref<4xi32>, memref<4xi32>
      }
    }) : () -> memref<4xi32>
    memref.dealloc %m35 : memref<4xi32>
    scf.yield %f37#0, %a2 : memref<4xi32>, memref<8xi32>
  } else {
    %m94 = memref.alloc() : memref<4xi32>
    scf.yield %m94, %a2 : memref<4xi32>, memref<8xi32>
  }
  %m108 = memref.alloc() : memref<4xi32>
  return %m108 : memref<4xi32>
}

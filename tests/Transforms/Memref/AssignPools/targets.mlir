// Buffers and constants go where all targets that access them can reach.
//
// RUN: tpuc-opt %s --split-input-file --tpu-assign-pools="pools=name=dtcm,target=c,size=256,align=16;name=sram,target=c,accel,align=16;name=itcm,target=c,access=ro;name=flash,target=c,accel,access=ro" --verify-diagnostics | FileCheck %s

memref.global "private" constant @k : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @w : memref<4xf32> = dense<[5.0, 6.0, 7.0, 8.0]>

// CHECK: @k {{.*}}tpu.pool = "itcm"
// CHECK: @w {{.*}}tpu.pool = "flash"
// CHECK: func.func private @conv{{.*}}tpu.pool = "sram"
func.func private @conv(%x: memref<64xi8>, %y: memref<64xi8>) attributes {tpu.target = "accel"} {
  %w = memref.get_global @w : memref<4xf32>
  %i = arith.constant 0 : index
  %v = memref.load %w[%i] : memref<4xf32>
  %t = memref.alloc() : memref<64xi8>
  memref.copy %x, %t : memref<64xi8> to memref<64xi8>
  memref.copy %t, %y : memref<64xi8> to memref<64xi8>
  return
}

// CHECK: func.func @main(%{{[^%]*}}, %{{[^%]*}}, %[[D:[^:]*]]: memref<64xi8> {tpu.pool = "dtcm"{{[^%]*}}, %[[S:[^:]*]]: memref<{{[0-9]+}}xi8> {tpu.pool = "sram"
func.func @main(%x: memref<64xi8>, %y: memref<64xi8>) attributes {tpu.target = "c"} {
  %k = memref.get_global @k : memref<4xf32>
  %i = arith.constant 0 : index
  %v = memref.load %k[%i] : memref<4xf32>
  // The accelerator gets it, too.
  // CHECK: memref.view %[[S]]
  %a = memref.alloc() : memref<64xi8>
  memref.copy %x, %a : memref<64xi8> to memref<64xi8>
  // CHECK: memref.view %[[D]]
  %b = memref.alloc() : memref<64xi8>
  memref.copy %x, %b : memref<64xi8> to memref<64xi8>
  call @conv(%a, %y) : (memref<64xi8>, memref<64xi8>) -> ()
  memref.copy %b, %y : memref<64xi8> to memref<64xi8>
  return
}

// -----

func.func @nowhere(%y: memref<64xi8>) attributes {tpu.target = "dsp"} {
  // expected-error @+1 {{no pool that can be written is reached by all targets that access this buffer: dsp [TPUMEM-E005]}}
  %a = memref.alloc() : memref<64xi8>
  memref.copy %a, %y : memref<64xi8> to memref<64xi8>
  return
}

// -----

func.func @wish(%y: memref<64xi8>) attributes {tpu.target = "accel"} {
  // expected-error @+1 {{attribute 'candidate_pools' names 'dtcm', which target 'accel' cannot reach [TPUMEM-E005]}}
  %a = memref.alloc() {candidate_pools = ["dtcm"]} : memref<64xi8>
  memref.copy %a, %y : memref<64xi8> to memref<64xi8>
  return
}

// RUN: tpuc-opt --tpu-assign-pools='pools=name=sram pool-data=%t.none' %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOFLASH
// NOFLASH: remark: 'pool-data' has no effect: there is no read-only pool
// RUN: tpuc-opt --tpu-assign-pools='pools=name=flash,access=ro,align=16 pool-data=%t remarks' %s 2> %t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK --input-file=%t.remarks %s
// RUN: od -An -v -tx1 -w16 %t.flash.bin | FileCheck --check-prefix=BYTES %s
// RUN: tpuc-opt --tpu-assign-pools %s | FileCheck --check-prefix=STAY %s

// Equal bytes are stored once, little-endian; the globals stay, and say where
// their bytes are. Without a pool to write, allocs are in the internal one.

// REMARK-COUNT-2: remark: constant stays: its bytes are not known, or it has a layout or memory space
// REMARK: remark: pool 'workspace': 1 buffer of 16 bytes in 16 bytes
// REMARK: remark: pool 'flash': 4 buffers of 31 bytes in 51 bytes

// CHECK: module attributes {module.pool_sizes = {flash = 51 : i64, workspace = 16 : i64}
// CHECK: memref.global "private" @tpu_workspace
// CHECK: memref.global "private" constant @w : memref<4xf32> = dense<{{.*}}> {tpu.offset = [[W:[0-9]+]] : i64, tpu.pool = "flash"}
// CHECK: memref.global "private" constant @same : memref<2x2xi32> = dense<{{.*}}> {tpu.offset = [[W]] : i64, tpu.pool = "flash"}
// CHECK: memref.global "private" constant @bits : memref<3xi1> = dense<{{.*}}> {tpu.offset = {{[0-9]+}} : i64, tpu.pool = "flash"}
// CHECK: memref.global "private" constant @odd : memref<2xi12> = dense<{{.*}}> {tpu.offset = {{[0-9]+}} : i64, tpu.pool = "flash"}
// CHECK: memref.global "private" constant @pairs : memref<1xcomplex<f32>> = dense<{{.*}}>{{$}}
// CHECK: memref.global "private" @state : memref<4xf32> = dense<{{.*}}>{{$}}
// CHECK: memref.global "private" constant @resource : memref<2xi32> = dense_resource<resource> {tpu.offset = {{[0-9]+}} : i64, tpu.pool = "flash"}
// CHECK: memref.global "private" constant @elided : memref<2xi32> = dense_resource<elided>{{$}}
// CHECK-LABEL: func.func private @use(
// CHECK-SAME: %[[U:[^:]*]]: memref<51xi8> {tpu.pool = "flash", tpu.pool_alignment = 16 : i64})
// CHECK: memref.view %[[U]]{{.*}} to memref<2x2xi32>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{[^,]*}}, %[[F:[^:]*]]: memref<51xi8> {tpu.pool = "flash", tpu.pool_alignment = 16 : i64}) -> {{.*}} attributes {tpu.pool_arguments = ["flash"]}
// CHECK: call @use(%[[F]])

// BYTES: 00 00 80 3f 00 00 00 c0 00 00 00 00 00 00 00 3f

// BYTES: 11 22 33 44 55 66 77 88

// STAY: memref.get_global @same
memref.global "private" constant @w : memref<4xf32> = dense<[1.0, -2.0, 0.0, 0.5]>
memref.global "private" constant @same : memref<2x2xi32> = dense<[[1065353216, -1073741824], [0, 1056964608]]>
memref.global "private" constant @bits : memref<3xi1> = dense<[true, false, true]>
memref.global "private" constant @odd : memref<2xi12> = dense<[-1, 5]>
memref.global "private" constant @pairs : memref<1xcomplex<f32>> = dense<(1.0, 2.0)>
memref.global "private" @state : memref<4xf32> = dense<0.0>
memref.global "private" constant @resource : memref<2xi32> = dense_resource<resource>
memref.global "private" constant @elided : memref<2xi32> = dense_resource<elided>
func.func private @use() -> i32 {
  %c0 = arith.constant 0 : index
  %same = memref.get_global @same : memref<2x2xi32>
  %r = memref.load %same[%c0, %c0] : memref<2x2xi32>
  return %r : i32
}
func.func @main(%i: index, %out: memref<2xi32>) -> (i32, f32, i1, i12, complex<f32>, f32) {
  %a = memref.alloc() : memref<4xf32>
  %w = memref.get_global @w : memref<4xf32>
  memref.copy %w, %a : memref<4xf32> to memref<4xf32>
  %0 = call @use() : () -> i32
  %1 = memref.load %a[%i] : memref<4xf32>
  %bits = memref.get_global @bits : memref<3xi1>
  %2 = memref.load %bits[%i] : memref<3xi1>
  %odd = memref.get_global @odd : memref<2xi12>
  %3 = memref.load %odd[%i] : memref<2xi12>
  %pairs = memref.get_global @pairs : memref<1xcomplex<f32>>
  %4 = memref.load %pairs[%i] : memref<1xcomplex<f32>>
  %state = memref.get_global @state : memref<4xf32>
  %5 = memref.load %state[%i] : memref<4xf32>
  %resource = memref.get_global @resource : memref<2xi32>
  memref.copy %resource, %out : memref<2xi32> to memref<2xi32>
  %elided = memref.get_global @elided : memref<2xi32>
  memref.copy %elided, %out : memref<2xi32> to memref<2xi32>
  return %0, %1, %2, %3, %4, %5 : i32, f32, i1, i12, complex<f32>, f32
}

{-#
  dialect_resources: {
    builtin: {
      resource: "0x040000001122334455667788"
    }
  }
#-}

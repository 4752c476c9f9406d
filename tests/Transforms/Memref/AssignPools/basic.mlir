// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools %s | FileCheck %s
// RUN: tpuc-opt --allow-unregistered-dialect --split-input-file --tpu-assign-pools=remarks %s -o /dev/null 2>&1 | FileCheck --check-prefix=REMARK %s

// A function called from three places: its buffers share bytes with those of
// its caller. %a lives up to its last use in the second call; %b takes its place
// after that. %u is written over %t, element by element.

// REMARK: remark: pool 'workspace': 4 buffers of 1024 bytes in 512 bytes, lower bound 512
// CHECK-LABEL: module attributes {module.pool_sizes = {workspace = 512 : i64}}
// CHECK: memref.global "private" @tpu_workspace : memref<512xi8> = uninitialized {alignment = 64 : i64, tpu.pool = "workspace"}
// CHECK-LABEL: func.func private @op(
// CHECK-SAME: , %[[W:[^:,]*]]: memref<512xi8> {tpu.pool = "workspace", tpu.pool_alignment = 64 : i64}) attributes {tpu.pool_arguments = ["workspace"]}
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[W]][%[[C0]]][] : memref<512xi8> to memref<64xf32>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: memref.view %[[W]][%[[C0]]][] : memref<512xi8> to memref<64xf32>
// CHECK-LABEL: func.func @main(%{{.*}}: memref<64xf32>, %{{.*}}: memref<64xf32>) {
// CHECK: %[[G:.*]] = memref.get_global @tpu_workspace
// CHECK: %[[C256:.*]] = arith.constant 256 : index
// CHECK: %[[A:.*]] = memref.view %[[G]][%[[C256]]][]
// CHECK: call @op(%{{.*}}, %[[A]], %[[G]])
// CHECK: arith.constant 256 : index
// CHECK: %[[B:.*]] = memref.view
// CHECK: call @op(%[[A]], %[[B]], %[[G]])
// CHECK-NOT: memref.dealloc
// CHECK: call @op(%[[B]], %{{.*}}, %[[G]])
func.func private @op(%x: memref<64xf32>, %y: memref<64xf32>) {
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%t : memref<64xf32>)
  %u = memref.alloc() : memref<64xf32>
  linalg.exp ins(%t : memref<64xf32>) outs(%u : memref<64xf32>)
  memref.copy %u, %y : memref<64xf32> to memref<64xf32>
  return
}
func.func @main(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  call @op(%x, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  call @op(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  call @op(%b, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// %a dies at its last use inside @read: %late, there, takes its place. It
// would not if %a were needed afterwards.

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 256 bytes, lower bound 256
// CHECK: module.pool_sizes = {workspace = 256 : i64}
func.func private @read(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %late = memref.alloc() : memref<64xf32>
  "test.use"(%late) : (memref<64xf32>) -> ()
  return
}
func.func @dies_inside() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  call @read(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 512 bytes
// CHECK: module.pool_sizes = {workspace = 512 : i64}
func.func private @read(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %late = memref.alloc() : memref<64xf32>
  "test.use"(%late) : (memref<64xf32>) -> ()
  return
}
func.func @needed_afterwards() {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  call @read(%a) : (memref<64xf32>) -> ()
  "test.use"(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// It is needed again in the next iteration.

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 512 bytes
// CHECK: module.pool_sizes = {workspace = 512 : i64}
func.func private @read(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %late = memref.alloc() : memref<64xf32>
  "test.use"(%late) : (memref<64xf32>) -> ()
  return
}
func.func @in_a_loop(%n: index, %zero: index, %one: index) {
  %a = memref.alloc() : memref<64xf32>
  scf.for %i = %zero to %n step %one {
    func.call @read(%a) : (memref<64xf32>) -> ()
  }
  return
}

// -----

// The contents come in from a branch, although the op before the call may not
// have made them: %early, in the callee, must not be in the place of %a.

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 512 bytes
// CHECK: module.pool_sizes = {workspace = 512 : i64}
func.func private @late(%x: memref<64xf32>) {
  %early = memref.alloc() : memref<64xf32>
  "test.use"(%early) : (memref<64xf32>) -> ()
  "test.use"(%x) : (memref<64xf32>) -> ()
  return
}
func.func @from_a_branch(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  scf.if %p {
    "test.use"(%a) : (memref<64xf32>) -> ()
  } else {
    "test.other"() : () -> ()
  }
  call @late(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// Nothing comes in: the life begins at the first use inside.

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 256 bytes
// CHECK: module.pool_sizes = {workspace = 256 : i64}
func.func private @late(%x: memref<64xf32>) {
  %early = memref.alloc() : memref<64xf32>
  "test.use"(%early) : (memref<64xf32>) -> ()
  "test.use"(%x) : (memref<64xf32>) -> ()
  return
}
func.func @starts_inside() {
  %a = memref.alloc() : memref<64xf32>
  call @late(%a) : (memref<64xf32>) -> ()
  "test.use"(%a) : (memref<64xf32>) -> ()
  return
}

// -----

// Two ways to one buffer: the callee may write by the one and read by the
// other, so %between gets bytes of its own.

// REMARK: remark: pool 'workspace': 2 buffers of 512 bytes in 512 bytes
// CHECK: module.pool_sizes = {workspace = 512 : i64}
func.func private @both(%x: memref<64xf32>, %y: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %between = memref.alloc() : memref<64xf32>
  "test.use"(%between) : (memref<64xf32>) -> ()
  "test.use"(%y) : (memref<64xf32>) -> ()
  return
}
func.func @twice() {
  %a = memref.alloc() : memref<64xf32>
  call @both(%a, %a) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}

// -----

// Through two calls; branches that exclude each other; entries follow one
// another. @inner is called from outside as well, so it has the pool from
// nothing, and its callers do not pass it on.

// REMARK: remark: pool 'workspace': 5 buffers of 1280 bytes in 512 bytes, lower bound 512
// CHECK: module.pool_sizes = {workspace = 512 : i64}
// CHECK-LABEL: func.func @inner(%{{[^,]*}}: memref<64xf32>) {
// CHECK: memref.get_global @tpu_workspace
// CHECK-LABEL: func.func private @middle(%{{[^,]*}}: memref<64xf32>, %{{[^,]*}}: i1, %{{.*}}: memref<512xi8> {tpu.pool
// CHECK: call @inner(%{{[^,]*}}) : (memref<64xf32>) -> ()
func.func @inner(%x: memref<64xf32>) {
  "test.use"(%x) : (memref<64xf32>) -> ()
  %t = memref.alloc() : memref<64xf32>
  "test.use"(%t) : (memref<64xf32>) -> ()
  return
}
func.func private @middle(%x: memref<64xf32>, %p: i1) {
  %m = memref.alloc() : memref<64xf32>
  "test.use"(%m, %x) : (memref<64xf32>, memref<64xf32>) -> ()
  scf.if %p {
    %u = memref.alloc() : memref<64xf32>
    "test.use"(%u, %m) : (memref<64xf32>, memref<64xf32>) -> ()
  } else {
    %v = memref.alloc() : memref<64xf32>
    "test.use"(%v, %m) : (memref<64xf32>, memref<64xf32>) -> ()
  }
  call @inner(%m) : (memref<64xf32>) -> ()
  return
}
func.func @outer(%p: i1) {
  %a = memref.alloc() : memref<64xf32>
  "test.use"(%a) : (memref<64xf32>) -> ()
  call @middle(%a, %p) : (memref<64xf32>, i1) -> ()
  return
}

// -----

// Nothing to do.

// CHECK-LABEL: module {
// CHECK-NEXT: func.func @nothing(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: return
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

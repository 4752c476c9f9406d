// RUN: tpuc-opt %s --tpu-global-memory 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-global-memory=strict 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: not tpuc-opt %s --tpu-global-memory=io-mode=sideways 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: sed 's/"sideways"/"io_tag_fuse"/;s/bm1684x/bm1688/' %s | tpuc-opt --tpu-global-memory 2>&1 | FileCheck %s --check-prefix=FUSE

// A mode of the module that is not known is no reason to stop; one that is
// asked for is.
// CHECK-DAG: remark: I/O mode 'sideways' of the module is planned as 'basic'
// MODE: error: unknown I/O mode 'sideways'; modes: basic, in_reuse, io_alone, io_tag, io_reloc [TPUMEM-E007]
// FUSE: remark: I/O mode 'io_tag_fuse' of the module is planned as 'io_tag'

// An op that is not defined, or not used as it is defined, reads everything and
// writes fresh memory: this reshape has no reason to be a view.
// CHECK-DAG: remark: 'tpu.FromTheFuture' is not defined: it is taken to read all its operands
// CHECK-DAG: remark: 'tpu.Softmax' is not used as it is defined (attribute 'axis' failed to satisfy constraint: an integer): it is taken to read all its operands
// CHECK-DAG: remark: 'tpu.Reshape' is not used as it is defined (changes the number of elements from 4 to 5): it is taken
// CHECK: module.addr_mode = "basic"
// CHECK: "tpu.FromTheFuture"(%{{.*}}) {{.*}} -> tensor<4xf32, 4294971392 : i64>
// CHECK: "tpu.Softmax"(%{{.*}}) {axis = "last"} : {{.*}} -> tensor<4xf32, [[A:[0-9]+]] : i64>
// CHECK: "tpu.Reshape"(%{{.*}}) : (tensor<4xf32, [[A]] : i64>) -> tensor<5xf32, [[B:[0-9]+]] : i64>
// CHECK-NOT: tensor<5xf32, [[A]]
// STRICT-DAG: error: 'tpu.FromTheFuture' is not defined, and strict mode accepts defined ops only [TPUMEM-E010]
// STRICT-DAG: error: 'tpu.Softmax' is not used as it is defined (attribute 'axis' failed to satisfy constraint: an integer), and strict mode accepts defined ops only [TPUMEM-E010]
module @net attributes {module.chip = "bm1684x", module.addr_mode = "sideways"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<5xf32> {
    %x = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %y = "tpu.FromTheFuture"(%x) {knob = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %z = "tpu.Softmax"(%y) {axis = "last"} : (tensor<4xf32>) -> tensor<4xf32>
    %r = "tpu.Reshape"(%z) : (tensor<4xf32>) -> tensor<5xf32>
    return %r : tensor<5xf32>
  }
}

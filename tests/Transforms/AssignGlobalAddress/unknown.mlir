// RUN: tpuc-opt %s --tpu-global-memory 2>&1 | FileCheck %s
// RUN: not tpuc-opt %s --tpu-global-memory=strict 2>&1 | FileCheck %s --check-prefix=STRICT

// An op that is not defined reads everything and writes fresh memory.
// CHECK: remark: 'tpu.FromTheFuture' is not defined: it is taken to read all its operands
// CHECK: "tpu.FromTheFuture"(%{{.*}}) {{.*}} -> tensor<4xf32, 4294971392 : i64>
// STRICT: error: 'tpu.FromTheFuture' is not defined, and strict mode accepts defined ops only [TPUMEM-E010]
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %x = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %y = "tpu.FromTheFuture"(%x) {knob = 3 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

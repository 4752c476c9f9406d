// RUN: tpuc-opt %s --tpu-global-memory 2>%t.err | FileCheck %s
// RUN: count 0 < %t.err

// What CoreParallel, CoreSplit and CoreJoin were called first: the parts lie in
// the whole, one after the other. Ops may carry their name in an attribute,
// and a chip the name it had before.

// CHECK: module.coeff_addr = 1099511627776
module @net attributes {module.chip = "sg2260"} {
  func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %x = "top.Input"(%arg0) {name = "x"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %r = func.call @sub(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %r : tensor<4x8xf32>
  }
  func.func @sub(%x: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {mode = "TPU_STATIC"} {
    %p = "tpu.Parallel"(%x) ({
      // CHECK: "tpu.Split"{{.*}} -> (tensor<2x8xf32, [[X:219902325555[0-9]+]] : i64>, tensor<2x8xf32, 2199023255616 : i64>)
      %s:2 = "tpu.Split"(%x) : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
      // CHECK: "tpu.Relu"{{.*}} -> tensor<2x8xf32, [[Y:[0-9]+]] : i64>
      %a = "tpu.Relu"(%s#0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %b = "tpu.Relu"(%s#1) : (tensor<2x8xf32>) -> tensor<2x8xf32>
      // CHECK: "tpu.Join"{{.*}} -> tensor<4x8xf32, [[Y]] : i64>
      %j = "tpu.Join"(%a, %b) : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      "tpu.Yield"(%j) : (tensor<4x8xf32>) -> ()
    }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %p : tensor<4x8xf32>
  }
}

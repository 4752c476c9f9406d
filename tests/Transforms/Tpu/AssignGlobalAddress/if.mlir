// RUN: tpuc-opt %s --tpu-global-memory="io-mode=in_reuse" | FileCheck %s

// The branches of an If share memory: only one of them runs. What they yield
// is the If's result, without a copy, also through a call.
// CHECK-LABEL: func.func @main
// CHECK: "top.Input"(%{{.*}}) : (tensor<4096xi8>) -> tensor<4096xi8, [[$X:[0-9]+]] : i64>
// CHECK: "tpu.If"
// CHECK:   call @then(%{{.*}}) : (tensor<4096xi8, [[$X]] : i64>) -> tensor<4096xi8, [[$Y:[0-9]+]] : i64>
// CHECK:   "tpu.Yield"(%{{.*}}) : (tensor<4096xi8, [[$Y]] : i64>) -> ()
// CHECK:   "tpu.Active"(%{{.*}}) {{.*}} -> tensor<4096xi8, [[$B0:[0-9]+]] : i64>
// CHECK:   "tpu.Yield"(%{{.*}}) : (tensor<4096xi8, [[$Y]] : i64>) -> ()
// CHECK: -> tensor<4096xi8, [[$Y]] : i64>
// CHECK-LABEL: func.func @then
// CHECK-SAME: (%{{.*}}: tensor<4096xi8, [[$X]] : i64>) -> tensor<4096xi8, [[$Y]] : i64>
// CHECK:   "tpu.Active"(%{{.*}}){{.*}} -> tensor<4096xi8, [[$B0]] : i64>
module @net attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4096xi8>, %c: tensor<1xi32>) -> tensor<4096xi8> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8> loc("x")
    %cond = "top.Input"(%c) : (tensor<1xi32>) -> tensor<1xi32> loc("cond")
    %y = "tpu.If"(%cond) ({
      %a = func.call @then(%x) : (tensor<4096xi8>) -> tensor<4096xi8>
      "tpu.Yield"(%a) : (tensor<4096xi8>) -> ()
    }, {
      %b0 = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b0")
      %b1 = "tpu.Active"(%b0) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("b1")
      "tpu.Yield"(%b1) : (tensor<4096xi8>) -> ()
    }) : (tensor<1xi32>) -> tensor<4096xi8> loc("y")
    %z = "tpu.Add"(%y, %y) : (tensor<4096xi8>, tensor<4096xi8>) -> tensor<4096xi8> loc("z")
    return %z : tensor<4096xi8>
  }
  func.func @then(%x: tensor<4096xi8>) -> tensor<4096xi8> {
    %a0 = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a0")
    %a1 = "tpu.Active"(%a0) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8>) -> tensor<4096xi8> loc("a1")
    return %a1 : tensor<4096xi8>
  }
}

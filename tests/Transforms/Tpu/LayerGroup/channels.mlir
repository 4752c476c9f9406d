// Neither whole channels nor whole rows leave room: both are cut.
// RUN: tpuc-opt %s --tpu-layer-group=remarks=false --tpu-verify-local | FileCheck %s
// RUN: tpuc-opt %s --tpu-layer-group="cut-channels=false remarks=false" | FileCheck %s --check-prefix=ROWS
// CHECK: "tpu.Group"
// CHECK: "tpu.MulConst"
// CHECK: "tpu.Add"
// CHECK: "tpu.Softmax"
// CHECK: csecs = {{[2-9]|[1-9][0-9]+}} : i64
// CHECK-SAME: hsecs = {{[2-9]|[1-9][0-9]+}} : i64
// ROWS-NOT: "tpu.Softmax"({{.*}}ginfo
module @scores attributes {module.chip = "cv181x"} {
  func.func @main(%arg0: tensor<1x32x512x1024xbf16>, %arg1: tensor<1x1x512x1024xbf16>) -> tensor<1x32x512x1024xbf16> {
    %none = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x32x512x1024xbf16>) -> tensor<1x32x512x1024xbf16> loc("x")
    %m = "top.Input"(%arg1) : (tensor<1x1x512x1024xbf16>) -> tensor<1x1x512x1024xbf16> loc("m")
    %k = "tpu.MulConst"(%x) {const_val = 0.5 : f64} : (tensor<1x32x512x1024xbf16>) -> tensor<1x32x512x1024xbf16> loc("k")
    %a = "tpu.Add"(%k, %m) : (tensor<1x32x512x1024xbf16>, tensor<1x1x512x1024xbf16>) -> tensor<1x32x512x1024xbf16> loc("a")
    %s = "tpu.Softmax"(%a, %none, %none, %none, %none, %none) {axis = 3 : si32} : (tensor<1x32x512x1024xbf16>, none, none, none, none, none) -> tensor<1x32x512x1024xbf16> loc("s")
    return %s : tensor<1x32x512x1024xbf16>
  }
}

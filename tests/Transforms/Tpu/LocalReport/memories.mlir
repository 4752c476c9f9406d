// What of the traffic is weights, and what is between L2 and local memory: of
// 512 x 1024 halves that are loaded, 301 x 1024 that are written to L2 and read
// from there, 301 x 512 that come in and 301 x 1024 that go out.
// RUN: tpuc-opt %s --tpu-global-memory --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s
// RUN: tpuc-opt %s --tpu-global-memory --tpu-local-report=format=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: tpuc-opt %s --tpu-local-report=format=table -o /dev/null 2>&1 | FileCheck %s --check-prefix=NOWHERE

// CHECK: traffic 3,206,144 B
// CHECK-NEXT: of it weights 1,048,576 B, L2 1,232,896 B, activations in global memory 924,672 B

// JSON: "byMemory": {
// JSON-NEXT: "globalActivationBytes": 924672,
// JSON-NEXT: "l2Bytes": 1232896,
// JSON-NEXT: "weightBytes": 1048576

// Nothing has an address yet.
// NOWHERE: traffic 3,206,144 B
// NOWHERE-NOT: of it

module @net attributes {module.chip = "bm1690", module.cores = 8 : i64} {
  func.func @main(%arg0: tensor<1x301x512xf16>) -> tensor<1x301x1024xf16> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<1x301x512xf16>) -> tensor<1x301x512xf16> loc("x")
    %w = "top.Weight"() : () -> tensor<512x1024xf16> loc("w")
    %m = "tpu.MatMul"(%x, %w, %n, %n, %n) {left_transpose = false, right_transpose = false} : (tensor<1x301x512xf16>, tensor<512x1024xf16>, none, none, none) -> tensor<1x301x1024xf16> loc("m")
    %s = "tpu.Softmax"(%m, %n, %n, %n, %n, %n) {axis = 1 : si32} : (tensor<1x301x1024xf16>, none, none, none, none, none) -> tensor<1x301x1024xf16> loc("s")
    return %s : tensor<1x301x1024xf16>
  }
}

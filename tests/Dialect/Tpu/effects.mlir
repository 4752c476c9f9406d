// RUN: tpuc-opt %s --canonicalize --cse | FileCheck %s

// Two scratch buffers of one size are two, and transfers stay even when
// nothing reads what they bring: the schedule of a group names them.

// CHECK-LABEL: func.func @keeps
func.func @keeps(%arg0: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>) {
  // CHECK-COUNT-2: "tpu.Buffer"()
  %b0 = "tpu.Buffer"() : () -> tensor<64xf16>
  %b1 = "tpu.Buffer"() : () -> tensor<64xf16>
  // CHECK-NOT: "tpu.Relu"
  %dead = "tpu.Relu"(%arg0) : (tensor<4xf16>) -> tensor<4xf16>
  // CHECK-COUNT-2: "tpu.Permute"
  %0 = "tpu.Permute"(%arg0, %b0) : (tensor<4xf16>, tensor<64xf16>) -> tensor<4xf16>
  %1 = "tpu.Permute"(%arg0, %b1) : (tensor<4xf16>, tensor<64xf16>) -> tensor<4xf16>
  // CHECK: "tpu.Group"
  "tpu.Group"(%arg0) ({
    // CHECK-COUNT-2: "tpu.Load"
    %l0 = "tpu.Load"(%arg0) : (tensor<4xf16>) -> tensor<4xf16>
    %l1 = "tpu.Load"(%arg0) : (tensor<4xf16>) -> tensor<4xf16>
    "tpu.Yield"() : () -> ()
  }) : (tensor<4xf16>) -> ()
  // CHECK: "tpu.Unheard"
  "tpu.Unheard"() : () -> ()
  return %0, %1 : tensor<4xf16>, tensor<4xf16>
}

// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" | FileCheck %s
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" --tpu-global-memory -o /dev/null

// What a region yields and a loop carries has the mode's type; conditions and
// trip counts keep theirs.
module @net attributes {module.chip = "bm1684x", module.state = "TOP_F32"} {
  // CHECK-LABEL: func.func @branches
  func.func @branches(%c: tensor<1xi32>, %arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // CHECK: %[[X:.*]] = "tpu.Cast"(%{{.*}}) {{.*}} -> tensor<4x8xf16>
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    %cond = "top.Input"(%c) : (tensor<1xi32>) -> tensor<1xf32> loc("cond")
    // A weight that a region reads is stored outside, where all can see it.
    // CHECK: %[[W:.*]] = "top.Weight"() {origin = "w"} : () -> tensor<4x8xf16>
    %w = "top.Weight"() : () -> tensor<4x8xf32> loc("w")
    // CHECK: %[[Y:.*]] = "tpu.If"(%{{.*}}) ({
    // CHECK-NEXT: %[[A:.*]] = "tpu.Add"(%[[X]], %[[W]]) : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16>
    // CHECK-NEXT: "tpu.Yield"(%[[A]]) : (tensor<4x8xf16>) -> ()
    // CHECK-NEXT: }, {
    // The values of TopK are f32.
    // CHECK-NEXT: %[[V:.*]], %{{.*}} = "tpu.TopK"
    // CHECK-NEXT: %[[VC:.*]] = "tpu.Cast"(%[[V]]) {{.*}} -> tensor<4x8xf16>
    // CHECK-NEXT: "tpu.Yield"(%[[VC]]) : (tensor<4x8xf16>) -> ()
    // CHECK-NEXT: }) : (tensor<1xi32>) -> tensor<4x8xf16>
    %y = "top.If"(%cond) ({
      %a = "top.Add"(%x, %w) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("a")
      "top.Yield"(%a) : (tensor<4x8xf32>) -> ()
    }, {
      %v, %i = "top.TopK"(%x) {K = 8 : i64, axis = 1 : i64} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>)
      "top.Yield"(%v) : (tensor<4x8xf32>) -> ()
    }) : (tensor<1xf32>) -> tensor<4x8xf32> loc("y")
    // CHECK: "tpu.Mul"(%[[Y]], %[[W]])
    %z = "top.Mul"(%y, %w) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("z")
    return %z : tensor<4x8xf32>
  }

  // CHECK-LABEL: func.func @iterations
  func.func @iterations(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %m = "top.Weight"() : () -> tensor<1xi32> loc("m")
    %c = "top.Weight"() : () -> tensor<1xf32> loc("c")
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    // CHECK: "tpu.Loop"
    // CHECK-NEXT: ^bb0(%{{.*}}: tensor<1xi32>, %{{.*}}: tensor<1xf32>, %[[S:.*]]: tensor<4x8xf16>):
    // CHECK-NEXT: %[[D:.*]] = "tpu.Add"(%[[S]], %[[S]])
    // CHECK-NEXT: %[[R:.*]] = "tpu.Reduce"(%[[D]], {{.*}} -> tensor<1xf16>
    // CHECK-NEXT: %[[RC:.*]] = "tpu.Cast"(%[[R]]) {{.*}} -> tensor<1xf32>
    // CHECK-NEXT: "tpu.Yield"(%[[RC]], %[[D]]) : (tensor<1xf32>, tensor<4x8xf16>) -> ()
    // CHECK-NEXT: }) : (tensor<1xi32>, tensor<1xf32>, tensor<4x8xf16>) -> tensor<4x8xf16>
    %y = "top.Loop"(%m, %c, %x) ({
    ^bb0(%iter: tensor<1xi32>, %cond: tensor<1xf32>, %s: tensor<4x8xf32>):
      %d = "top.Add"(%s, %s) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("d")
      %r = "top.Reduce"(%d) {axes = [0, 1], keepdims = false, mode = "ReduceMax"} : (tensor<4x8xf32>) -> tensor<1xf32> loc("r")
      "top.Yield"(%r, %d) : (tensor<1xf32>, tensor<4x8xf32>) -> ()
    }) : (tensor<1xi32>, tensor<1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc("y")
    return %y : tensor<4x8xf32>
  }
}

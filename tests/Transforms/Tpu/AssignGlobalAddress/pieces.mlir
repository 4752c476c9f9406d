// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-assign-weight-address --tpu-assign-global-address --tpu-verify-addresses -o /dev/null

// Two images: the rows of one piece are no run of bytes of the whole.
module @images attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<2x4x8xf32>) -> tensor<2x8x8xf32> {
    %x = "top.Input"(%arg0) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32> loc("a")
    %b = "tpu.Active"(%x) {mode = #tpu<active_mode LN>} : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32> loc("b")
    // expected-error @+1 {{'tpu.Concat' is marked 'only_merge', but its operands are not consecutive pieces of the result; clear 'only_merge' on the op [TPUMEM-E008]}}
    %c = "tpu.Concat"(%a, %b) {axis = 1 : si32, only_merge = true} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x8x8xf32>
    return %c : tensor<2x8x8xf32>
  }
}

// -----

// Three elements of half a byte: the second piece begins inside a byte.
module @half attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x3xi4>, %arg1: tensor<1x2xi4>) -> tensor<1x5xi4> {
    %x = "top.Input"(%arg0) : (tensor<1x3xi4>) -> tensor<1x3xi4> loc("x")
    %y = "top.Input"(%arg1) : (tensor<1x2xi4>) -> tensor<1x2xi4> loc("y")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<1x3xi4>) -> tensor<1x3xi4> loc("a")
    %b = "tpu.Active"(%y) {mode = #tpu<active_mode LN>} : (tensor<1x2xi4>) -> tensor<1x2xi4> loc("b")
    // expected-error @+1 {{'tpu.Concat' is marked 'only_merge', but its operands are not consecutive pieces of the result}}
    %c = "tpu.Concat"(%a, %b) {axis = 1 : si32, only_merge = true} : (tensor<1x3xi4>, tensor<1x2xi4>) -> tensor<1x5xi4>
    return %c : tensor<1x5xi4>
  }
}

// -----

// The last piece may end inside a byte, and an axis may count from the end.
module @last attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x4xi4>, %arg1: tensor<1x3xi4>) -> tensor<1x7xi4> {
    %x = "top.Input"(%arg0) : (tensor<1x4xi4>) -> tensor<1x4xi4> loc("x")
    %y = "top.Input"(%arg1) : (tensor<1x3xi4>) -> tensor<1x3xi4> loc("y")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<1x4xi4>) -> tensor<1x4xi4> loc("a")
    %b = "tpu.Active"(%y) {mode = #tpu<active_mode LN>} : (tensor<1x3xi4>) -> tensor<1x3xi4> loc("b")
    %c = "tpu.Concat"(%a, %b) {axis = -1 : si32, only_merge = true} : (tensor<1x4xi4>, tensor<1x3xi4>) -> tensor<1x7xi4> loc("c")
    return %c : tensor<1x7xi4>
  }
}

// -----

// Parts along columns copy; the referee agrees.
module @columns attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %x = "top.Input"(%arg0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %y = "tpu.Parallel"(%x) ({
      // expected-remark @+1 {{'tpu.Split' has to copy: the cores' parts are no runs of bytes of the whole}}
      %p:2 = "tpu.Split"(%x) {axis = 1 : si32} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
      %a = "tpu.Active"(%p#0) {mode = #tpu<active_mode EXP>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %b = "tpu.Active"(%p#1) {mode = #tpu<active_mode LN>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
      // expected-remark @+1 {{'tpu.Join' has to copy}}
      %j = "tpu.Join"(%a, %b) {axis = -1 : si32} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
      "tpu.Yield"(%j) : (tensor<2x8xf32>) -> ()
    }) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %y : tensor<2x8xf32>
  }
}

// -----

// A join of less than the whole copies; the referee agrees.
module @join attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4x8x16xf32>) -> tensor<8x8x16xf32> {
    %x = "top.Input"(%arg0) : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<4x8x16xf32>) -> tensor<4x8x16xf32> loc("a")
    // expected-remark @+1 {{'tpu.CoreJoin' has to copy}}
    %v = "tpu.CoreJoin"(%a) : (tensor<4x8x16xf32>) -> tensor<8x8x16xf32>
    return %v : tensor<8x8x16xf32>
  }
}

// -----

// expected-error @+1 {{chip 'bm1688' has no L2 (0 B): pool 'l2' cannot be used [TPUMEM-E005]}}
module @no_l2 attributes {module.chip = "bm1688", module.pools = ["name=neuron,cost=10", "name=l2,cost=1"]} {
  func.func @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode EXP>} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("a")
    return %a : tensor<4x8xf32>
  }
}

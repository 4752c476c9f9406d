// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-verify-addresses

// Two tensors that are alive together at one address.
module @clobbered attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 12288 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-error @+1 {{'tpu.Add' reads 'top.Input#0' at [4294967296, 4294971392), but byte 4294967296 holds 'tpu.Active#0' by then [TPUMEM-E012]}}
    %y = "tpu.Add"(%x, %b) : (tensor<4096xi8, 4294967296 : i64>, tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294975488 : i64>
    %z = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294975488 : i64>) -> tensor<4096xi8, 4294967296 : i64>
    return %z : tensor<4096xi8, 4294967296 : i64>
  }
}

// -----

// G1: an op writes over what it reads.
module @in_place attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64> {
    // expected-note @+1 {{'top.Input#0' comes from here}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-error @+1 {{'tpu.Active' writes 'tpu.Active#0' at [4294967296, 4294971392) over 'top.Input#0' at [4294967296, 4294971392), which it uses itself [TPUMEM-E012]}}
    %y = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294967296 : i64>
    return %y : tensor<4096xi8, 4294967296 : i64>
  }
}

// -----

// G2: an input that the mode promises to keep.
module @input_lost attributes {module.chip = "bm1684x", module.addr_mode = "basic", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> {
    // expected-error @+1 {{'top.Input' reads 'top.Input#0' at [4294967296, 4294971392), but byte 4294967296 holds 'tpu.Active#0' by then}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    // expected-note @+1 {{comes from here}}
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294967296 : i64>
    %y = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    return %y : tensor<4096xi8, 4294971392 : i64>
  }
}

// -----

module @ranges attributes {module.chip = "bm1684x", module.coeff_addr = 4294967296 : i64, module.coeff_size = 4096 : i64, module.neuron_addr = 4294971392 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294975490 : i64> {
    // expected-error @+2 {{'top.Weight#0' at [4294967300, 4294971396) lies outside the weight region [TPUMEM-E013]}}
    // expected-note @+1 {{comes from here}}
    %w = "top.Weight"() : () -> tensor<4096xi8, 4294967300 : i64>
    // expected-error @+2 {{'top.Input#0' has no address [TPUMEM-E011]}}
    // expected-note @+1 {{comes from here}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8>
    // expected-error @+2 {{'tpu.Active#0' at [4294975490, 4294979586) lies in no region for results [TPUMEM-E013]}}
    // expected-note @+1 {{comes from here}}
    %y = "tpu.Active"(%w) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967300 : i64>) -> tensor<4096xi8, 4294975490 : i64>
    return %y : tensor<4096xi8, 4294975490 : i64>
  }
}

// -----

// W1 and W2: each weight on its own, at a multiple of 4096.
module @weights attributes {module.chip = "bm1684x", module.coeff_addr = 4294967296 : i64, module.coeff_size = 8192 : i64, module.neuron_addr = 4294975488 : i64, module.neuron_size = 0 : i64} {
  func.func @main() {
    // expected-note @+1 {{'top.Weight#0' comes from here}}
    %0 = "top.Weight"() : () -> tensor<4097xi8, 4294967296 : i64>
    // expected-error @+1 {{'top.Weight#0' at [4294971392, 4294971396) overlaps weight 'top.Weight#0' [TPUMEM-E013]}}
    %1 = "top.Weight"() : () -> tensor<4xi8, 4294971392 : i64>
    // expected-error @+2 {{'top.Weight#0' at [4294971408, 4294971412) is not aligned to 4096 bytes [TPUMEM-E013]}}
    // expected-note @+1 {{comes from here}}
    %2 = "top.Weight"() : () -> tensor<4xi8, 4294971408 : i64>
    return
  }
}

// -----

// expected-error @+1 {{regions are out of order, weights < inputs and outputs < neurons: weights [4294971392, 4294975488)}}
module @order attributes {module.chip = "bm1684x", module.coeff_addr = 4294971392 : i64, module.coeff_size = 4096 : i64, module.neuron_addr = 4294967296 : i64, module.neuron_size = 4096 : i64} {
  func.func @main() {
    return
  }
}

// -----

// expected-error @+1 {{regions overlap: 'neuron' is [4294967296, 4294975488), 'coeff' is [4294971392, 4294975488) [TPUMEM-E013]}}
module @overlap attributes {module.chip = "bm1684x", module.coeff_addr = 4294971392 : i64, module.coeff_size = 4096 : i64, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main() {
    return
  }
}

// -----

// A merged concat emits no copy: its operands have to lie inside it.
module @merge attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 32768 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<8192xi8, 4294979584 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294979584 : i64>
    // expected-note @+1 {{comes from here}}
    %b = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    // expected-error @+1 {{'tpu.Concat' emits no copy, but 'tpu.Active#0' is at 4294971392, not at 4294983680 inside the result [TPUMEM-E008]}}
    %y = "tpu.Concat"(%a, %b) {axis = 0 : si32, only_merge = true} : (tensor<4096xi8, 4294979584 : i64>, tensor<4096xi8, 4294971392 : i64>) -> tensor<8192xi8, 4294979584 : i64>
    return %y : tensor<8192xi8, 4294979584 : i64>
  }
}

// -----

// The second run of a loop's body finds what the first one left.
module @loop attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 32768 : i64} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<1xi32>) -> tensor<4096xi8, 4294987776 : i64> {
    %none = "top.None"() : () -> none
    // expected-note @+1 {{comes from here}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %m = "top.Input"(%arg1) : (tensor<1xi32>) -> tensor<1xi32, 4294991872 : i64>
    %y = "tpu.Loop"(%m, %none, %x) ({
    ^bb0(%iter: tensor<1xi32, 4294975488 : i64>, %cond: none, %s: tensor<4096xi8, 4294979584 : i64>):
      // expected-error @+1 {{'tpu.Add' reads 'top.Input#0' at [4294967296, 4294971392), but byte 4294967296 holds}}
      %t = "tpu.Add"(%s, %x) : (tensor<4096xi8, 4294979584 : i64>, tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
      %u = "tpu.Active"(%t) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294967296 : i64>
      "tpu.Yield"(%cond, %u) : (none, tensor<4096xi8, 4294967296 : i64>) -> ()
    }) : (tensor<1xi32, 4294991872 : i64>, none, tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294987776 : i64>
    return %y : tensor<4096xi8, 4294987776 : i64>
  }
}

// -----

// The cores of a parallel op run at the same time.
module @parallel attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 32768 : i64} {
  func.func @main(%arg0: tensor<2x4096xi8>) -> tensor<2x4096xi8, 4294975488 : i64> {
    %x = "top.Input"(%arg0) : (tensor<2x4096xi8>) -> tensor<2x4096xi8, 4294967296 : i64>
    %y = "tpu.CoreParallel"(%x) ({
      %p:2 = "tpu.CoreSplit"(%x) : (tensor<2x4096xi8, 4294967296 : i64>) -> (tensor<1x4096xi8, 4294967296 : i64>, tensor<1x4096xi8, 4294971392 : i64>)
      // expected-note @+1 {{comes from here}}
      %a = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294967296 : i64>) -> tensor<1x4096xi8, 4294983680 : i64>
      %a2 = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294983680 : i64>) -> tensor<1x4096xi8, 4294975488 : i64>
      // expected-error @+1 {{over 'tpu.Active#0' at [4294983680, 4294987776), which runs at the same time}}
      %b = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294971392 : i64>) -> tensor<1x4096xi8, 4294983680 : i64>
      %b2 = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x4096xi8, 4294983680 : i64>) -> tensor<1x4096xi8, 4294979584 : i64>
      %j = "tpu.CoreJoin"(%a2, %b2) : (tensor<1x4096xi8, 4294975488 : i64>, tensor<1x4096xi8, 4294979584 : i64>) -> tensor<2x4096xi8, 4294975488 : i64>
      "tpu.Yield"(%j) : (tensor<2x4096xi8, 4294975488 : i64>) -> ()
    }) : (tensor<2x4096xi8, 4294967296 : i64>) -> tensor<2x4096xi8, 4294975488 : i64>
    return %y : tensor<2x4096xi8, 4294975488 : i64>
  }
}

// -----

// Parts along columns are no runs of bytes of the whole.
module @columns attributes {module.chip = "bm1684x", module.addr_mode = "in_reuse", module.neuron_addr = 4294967296 : i64, module.neuron_size = 32768 : i64} {
  func.func @main(%arg0: tensor<2x8192xi8>) -> tensor<2x8192xi8, 4294983680 : i64> {
    // expected-note @+1 {{comes from here}}
    %x = "top.Input"(%arg0) : (tensor<2x8192xi8>) -> tensor<2x8192xi8, 4294967296 : i64>
    %y = "tpu.CoreParallel"(%x) ({
      // expected-error @+2 {{'tpu.CoreSplit' writes 'tpu.CoreSplit#0' at [4294967296, 4294975488) over 'top.Input#0' at [4294967296, 4294983680), which it uses itself: neither is one run of bytes of the other [TPUMEM-E012]}}
      // expected-error @+1 {{'tpu.CoreSplit' writes 'tpu.CoreSplit#1' at [4294975488, 4294983680) over 'top.Input#0' at [4294967296, 4294983680), which it uses itself: neither is one run of bytes of the other [TPUMEM-E012]}}
      %p:2 = "tpu.CoreSplit"(%x) {axis = 1 : si32} : (tensor<2x8192xi8, 4294967296 : i64>) -> (tensor<2x4096xi8, 4294967296 : i64>, tensor<2x4096xi8, 4294975488 : i64>)
      // expected-note @+1 {{comes from here}}
      %a = "tpu.Active"(%p#0) {mode = #tpu<active_mode ABSVAL>} : (tensor<2x4096xi8, 4294967296 : i64>) -> tensor<2x4096xi8, 4294983680 : i64>
      %b = "tpu.Active"(%p#1) {mode = #tpu<active_mode ABSVAL>} : (tensor<2x4096xi8, 4294975488 : i64>) -> tensor<2x4096xi8, 4294991872 : i64>
      // expected-error @+1 {{over 'tpu.Active#0' at [4294983680, 4294991872), which it uses itself: neither is one run of bytes of the other}}
      %j = "tpu.CoreJoin"(%a, %b) {axis = 1 : si32} : (tensor<2x4096xi8, 4294983680 : i64>, tensor<2x4096xi8, 4294991872 : i64>) -> tensor<2x8192xi8, 4294983680 : i64>
      "tpu.Yield"(%j) : (tensor<2x8192xi8, 4294983680 : i64>) -> ()
    }) : (tensor<2x8192xi8, 4294967296 : i64>) -> tensor<2x8192xi8, 4294983680 : i64>
    return %y : tensor<2x8192xi8, 4294983680 : i64>
  }
}

// -----

// expected-error @+1 {{the module does not say where its neurons are: 'module.neuron_addr' and 'module.neuron_size' are missing; run 'tpu-assign-global-address' [TPUMEM-E011]}}
module @not_addressed attributes {module.chip = "bm1684x"} {
  func.func @main() {
    return
  }
}

// -----

// expected-error @+1 {{the module does not say where its neurons are: 'module.neuron_addr' is missing;}}
module @no_begin attributes {module.chip = "bm1684x", module.neuron_size = 4096 : i64} {
  func.func @main() {
    return
  }
}

// -----

// expected-error @+1 {{the module does not say where its neurons are: 'module.neuron_size' is missing;}}
module @no_size attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64} {
  func.func @main() {
    return
  }
}

// -----

module @weights_nowhere attributes {module.chip = "bm1684x", module.coeff_addr = 4294967296 : i64, module.neuron_addr = 4294975488 : i64, module.neuron_size = 0 : i64} {
  func.func @main() {
    // expected-error @+1 {{'top.Weight#0' is at address 4294967296, but 'module.coeff_size', which says how far such tensors go, is missing [TPUMEM-E011]}}
    %w = "top.Weight"() : () -> tensor<16xi8, 4294967296 : i64>
    return
  }
}

// -----

// expected-error @+1 {{'module.neuron_size' is 9223372036854775807, but the region begins at 4294967296: it would end beyond the addresses of 63 bits [TPUMEM-E013]}}
module @endless attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 9223372036854775807 : i64} {
  func.func @main() {
    return
  }
}

// A function that several places call is as good as its text at each of them.
// RUN: not tpuc-opt %s --split-input-file --tpu-verify-addresses -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=error:

// Twice the same, at every level, in loops, branches and parallel ops.
module @right attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294979584 : i64> {
    %a = call @outer(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294975488 : i64>
    %k = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294975488 : i64>) -> tensor<16xi8, 4294983680 : i64>
    %b = call @outer(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294975488 : i64>
    %c = "tpu.Add"(%b, %k) : (tensor<16xi8, 4294975488 : i64>, tensor<16xi8, 4294983680 : i64>) -> tensor<16xi8, 4294979584 : i64>
    return %c : tensor<16xi8, 4294979584 : i64>
  }
  func.func @outer(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294975488 : i64> {
    %i = "tpu.If"(%x) ({
      %a = call @inner(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
      "tpu.Yield"(%a) : (tensor<16xi8, 4294971392 : i64>) -> ()
    }, {
      %a = call @inner(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
      "tpu.Yield"(%a) : (tensor<16xi8, 4294971392 : i64>) -> ()
    }) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294987776 : i64>
    %p = "tpu.CoreParallel"(%i) ({
      %a = call @inner(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
      "tpu.Yield"(%a) : (tensor<16xi8, 4294971392 : i64>) -> ()
    }) : (tensor<16xi8, 4294987776 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %r = "tpu.Active"(%p) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294975488 : i64>
    return %r : tensor<16xi8, 4294975488 : i64>
  }
  func.func @inner(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    %r = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    return %r : tensor<16xi8, 4294971392 : i64>
  }
}

// -----

// The second call overwrites what the first one handed back.
module @lost_result attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294979584 : i64> {
    %a = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %b = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    // CHECK: error: 'tpu.Add' reads 'func.call#0' at [4294971392, 4294971408), but byte 4294971392 holds 'r' by then [TPUMEM-E012]
    %c = "tpu.Add"(%a, %b) : (tensor<16xi8, 4294971392 : i64>, tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294979584 : i64>
    return %c : tensor<16xi8, 4294979584 : i64>
  }
  func.func @f(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    %r = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> loc("r")
    return %r : tensor<16xi8, 4294971392 : i64>
  }
}

// -----

// Only the second call does harm: it overwrites what its caller made since.
module @lost_neighbour attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294979584 : i64> {
    %a = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %k = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294975488 : i64> loc("kept")
    %b = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    // CHECK: error: 'tpu.Add' reads 'kept' at [4294975488, 4294975504), but byte 4294975488 holds 'scratch' by then
    %c = "tpu.Add"(%b, %k) : (tensor<16xi8, 4294971392 : i64>, tensor<16xi8, 4294975488 : i64>) -> tensor<16xi8, 4294979584 : i64>
    return %c : tensor<16xi8, 4294979584 : i64>
  }
  func.func @f(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    %s = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294975488 : i64> loc("scratch")
    %r = "tpu.Active"(%s) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294975488 : i64>) -> tensor<16xi8, 4294971392 : i64> loc("r")
    return %r : tensor<16xi8, 4294971392 : i64>
  }
}

// -----

// The second call gets an argument that is not there any more.
module @lost_argument attributes {module.addr_mode = "in_reuse", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    %a = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %k = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294967296 : i64> loc("k")
    %b = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    return %b : tensor<16xi8, 4294971392 : i64>
  }
  func.func @f(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    // CHECK: error: {{.*}}'tpu.Reshape' reads 'arg0' at [4294967296, 4294967312), but byte 4294967296 holds 'k' by then
    %v = "tpu.Reshape"(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294967296 : i64> loc("v")
    // CHECK: error: 'tpu.Active' reads 'v' at [4294967296, 4294967312), but byte 4294967296 holds 'k' by then
    %r = "tpu.Active"(%v) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    return %r : tensor<16xi8, 4294971392 : i64>
  }
}

// -----

// What a function returns may be its argument, each time another one.
module @handed_through attributes {module.addr_mode = "in_reuse", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> (tensor<16xi8, 4294967296 : i64>, tensor<16xi8, 4294971392 : i64>) {
    %a = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294967296 : i64>
    %k = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %y = "tpu.Active"(%k) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294967296 : i64> loc("y")
    %b = call @f(%y) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294967296 : i64>
    // CHECK: error: 'func.return' reads 'func.call#0' at [4294967296, 4294967312), but byte 4294967296 holds 'y' by then
    return %a, %k : tensor<16xi8, 4294967296 : i64>, tensor<16xi8, 4294971392 : i64>
  }
  func.func @f(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294967296 : i64> {
    %v = "tpu.Reshape"(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294967296 : i64>
    return %v : tensor<16xi8, 4294967296 : i64>
  }
}

// -----

// A call overwrites what runs beside it, also when it repeats one that ran alone.
module @parallel attributes {module.addr_mode = "basic", module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 65536 : i64} {
  func.func @main(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294979584 : i64> {
    %a = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
    %p = "tpu.CoreParallel"(%a) ({
      %b = call @f(%x) : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64>
      // CHECK: error: {{.*}}'tpu.Active' writes 'beside' at [4294975488, 4294975504) over 'scratch' at [4294975488, 4294975504), which runs at the same time
      %c = "tpu.Active"(%b) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294975488 : i64> loc("beside")
      %d = "tpu.Active"(%c) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294975488 : i64>) -> tensor<16xi8, 4294979584 : i64> loc("d")
      "tpu.Yield"(%d) : (tensor<16xi8, 4294979584 : i64>) -> ()
    }) : (tensor<16xi8, 4294971392 : i64>) -> tensor<16xi8, 4294979584 : i64>
    return %p : tensor<16xi8, 4294979584 : i64>
  }
  func.func @f(%x: tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294971392 : i64> {
    %s = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294967296 : i64>) -> tensor<16xi8, 4294975488 : i64> loc("scratch")
    %r = "tpu.Active"(%s) {mode = #tpu<active_mode ABSVAL>} : (tensor<16xi8, 4294975488 : i64>) -> tensor<16xi8, 4294971392 : i64> loc("r")
    return %r : tensor<16xi8, 4294971392 : i64>
  }
}

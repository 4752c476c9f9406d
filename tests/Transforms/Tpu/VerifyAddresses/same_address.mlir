// An output at the place of an input: where the module records it, or in a
// state that lies apart and is read.
//
// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-verify-addresses

// Nothing reads the first input, but whoever calls the network fills both.
module @two_inputs attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64> {
    // expected-error @+1 {{'top.Input' reads 'top.Input#0' at [4294967296, 4294971392), but byte 4294967296 holds 'top.Input#0' by then [TPUMEM-E012]}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-note @+1 {{'top.Input#0' comes from here}}
    %y = "top.Input"(%arg1) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    return %y : tensor<4096xi8, 4294967296 : i64>
  }
}

// -----

module @nobody_reads attributes {module.chip = "bm1684x", module.addr_mode = "io_alone", module.neuron_addr = 4294975488 : i64, module.neuron_size = 0 : i64, module.io_addr = 4294967296 : i64, module.io_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> {
    // expected-error @+1 {{'top.Input' reads 'top.Input#0' at [4294971392, 4294975488), but byte 4294971392 holds 'tpu.Active#0' by then [TPUMEM-E012]}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64>
    %y = "top.Input"(%arg1) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %b = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    return %b : tensor<4096xi8, 4294971392 : i64>
  }
}

// -----

// Recorded: input 0 and output 0.
module @recorded attributes {module.chip = "bm1684x", module.same_addr = "0:0", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64>
    %y = "top.Input"(%arg1) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %b = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    return %b : tensor<4096xi8, 4294971392 : i64>
  }
}

// -----

// Of another input the record says nothing.
module @other_pair attributes {module.chip = "bm1684x", module.same_addr = "1:0", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>, %arg1: tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> {
    // expected-error @+1 {{but byte 4294971392 holds 'tpu.Active#0' by then [TPUMEM-E012]}}
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64>
    %y = "top.Input"(%arg1) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %b = "tpu.Active"(%y) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    return %b : tensor<4096xi8, 4294971392 : i64>
  }
}

// -----

// Other toolchains keep no record of a decoder's state.
module @state attributes {module.chip = "bm1684x", module.addr_mode = "io_alone", module.neuron_addr = 4294971392 : i64, module.neuron_size = 4096 : i64, module.io_addr = 4294967296 : i64, module.io_size = 4096 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294967296 : i64>
    return %b : tensor<4096xi8, 4294967296 : i64>
  }
}

// -----

// expected-error @+1 {{attribute 'module.same_addr' has to be a string of pairs of an input and an output, such as '0:0,1:2' [TPUMEM-E005]}}
module @no_record attributes {module.chip = "bm1684x", module.same_addr = "zero", module.neuron_addr = 4294967296 : i64, module.neuron_size = 4096 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    return %x : tensor<4096xi8, 4294967296 : i64>
  }
}

// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-verify-addresses

// An op that may write over its operand does.
module @over attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    %b = "tpu.Add"(%a, %x) {in_place} : (tensor<4096xi8, 4294971392 : i64>, tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    return %b : tensor<4096xi8, 4294971392 : i64>
  }
}

// -----

// Over a value that is read later.
module @too_early attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 12288 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<4096xi8, 4294975488 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>, in_place} : (tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294971392 : i64>
    // expected-error @+1 {{'tpu.Add' reads 'tpu.Active#0' at [4294971392, 4294975488), but byte 4294971392 holds 'tpu.Active#0' by then [TPUMEM-E012]}}
    %y = "tpu.Add"(%a, %b) : (tensor<4096xi8, 4294971392 : i64>, tensor<4096xi8, 4294971392 : i64>) -> tensor<4096xi8, 4294975488 : i64>
    return %y : tensor<4096xi8, 4294975488 : i64>
  }
}

// -----

// Nearly the place of the operand.
module @beside attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 16384 : i64} {
  func.func @main(%arg0: tensor<4096xi8>) -> tensor<8192xi8, 4294975488 : i64> {
    %x = "top.Input"(%arg0) : (tensor<4096xi8>) -> tensor<4096xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Tile#0' comes from here}}
    %a = "tpu.Tile"(%x) {tile = [2]} : (tensor<4096xi8, 4294967296 : i64>) -> tensor<8192xi8, 4294971392 : i64>
    // expected-error @+1 {{'tpu.Active' writes 'tpu.Active#0' at [4294975488, 4294983680) over 'tpu.Tile#0' at [4294971392, 4294979584), which it uses itself [TPUMEM-E012]}}
    %b = "tpu.Active"(%a) {mode = #tpu<active_mode ABSVAL>, in_place} : (tensor<8192xi8, 4294971392 : i64>) -> tensor<8192xi8, 4294975488 : i64>
    return %b : tensor<8192xi8, 4294975488 : i64>
  }
}

// -----

// A product needs all of a row for each element: the attribute changes nothing.
module @row attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32, 4294971392 : i64> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4x4xf32, 4294967296 : i64>) -> tensor<4x4xf32, 4294971392 : i64>
    // expected-error @+1 {{'tpu.MatMul' writes 'tpu.MatMul#0' at [4294971392, 4294971456) over 'tpu.Active#0' at [4294971392, 4294971456), which it uses itself [TPUMEM-E012]}}
    %b = "tpu.MatMul"(%a, %x, %n) {in_place} : (tensor<4x4xf32, 4294971392 : i64>, tensor<4x4xf32, 4294967296 : i64>, none) -> tensor<4x4xf32, 4294971392 : i64>
    return %b : tensor<4x4xf32, 4294971392 : i64>
  }
}

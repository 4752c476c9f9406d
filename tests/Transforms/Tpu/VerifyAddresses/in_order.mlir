// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-verify-addresses=alignment=1

// Each element reads the row above: 8 elements and one more.
module @near attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

// -----

// One byte nearer.
module @too_near attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971400 : i64>
    // expected-error @+1 {{'tpu.Pool2D' writes 'tpu.Pool2D#0' at [4294971392, 4294971520) over 'tpu.Active#0' at [4294971400, 4294971528), which it uses itself: in the order of its elements it has to begin 9 or more bytes below [TPUMEM-E012]}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order} : (tensor<1x2x8x8xi8, 4294971400 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

// -----

// From above.
module @above attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971401 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    // expected-error @+1 {{it has to begin 9 or more bytes below [TPUMEM-E012]}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order} : (tensor<1x2x8x8xi8, 4294971392 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971401 : i64>
  }
}

// -----

// The chip does not say that its kernels do so, and nobody else does.
module @no_promise attributes {module.chip = "bm1684x", module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    // expected-error @+1 {{which it uses itself: nothing says that the chip's kernels read before they write [TPUMEM-E012]}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

// -----

// Nor is the op asked to.
module @no_mark attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    // expected-error @+1 {{over 'tpu.Active#0' at [4294971401, 4294971529), which it uses itself [TPUMEM-E012]}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

// -----

// A product goes over its rows again and again.
module @product attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32, 4294971392 : i64> {
    %n = "top.None"() : () -> none
    %x = "top.Input"(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<4x4xf32, 4294967296 : i64>) -> tensor<4x4xf32, 4294971440 : i64>
    // expected-error @+1 {{it does not read that in the order of its result [TPUMEM-E012]}}
    %b = "tpu.MatMul"(%a, %x, %n) {in_order} : (tensor<4x4xf32, 4294971440 : i64>, tensor<4x4xf32, 4294967296 : i64>, none) -> tensor<4x4xf32, 4294971392 : i64>
    return %b : tensor<4x4xf32, 4294971392 : i64>
  }
}

// -----

// What is read afterwards is gone.
module @read_again attributes {module.chip = "bm1684x", module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971600 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    // expected-note @+1 {{'tpu.Pool2D#0' comes from here}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    // expected-error @+1 {{'tpu.Add' reads 'tpu.Active#0' at [4294971401, 4294971529), but byte 4294971401 holds 'tpu.Pool2D#0' by then [TPUMEM-E012]}}
    %y = "tpu.Add"(%a, %b) : (tensor<1x2x8x8xi8, 4294971401 : i64>, tensor<1x2x8x8xi8, 4294971392 : i64>) -> tensor<1x2x8x8xi8, 4294971600 : i64>
    return %y : tensor<1x2x8x8xi8, 4294971600 : i64>
  }
}

// -----

// A kernel that divides itself has no order between its cores.
module @cores attributes {module.chip = "bm1684x", module.cores = 2 : i64, module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    // expected-note @+1 {{'tpu.Active#0' comes from here}}
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    // expected-error @+1 {{which it uses itself: several cores work on it, and none waits for what others read [TPUMEM-E012]}}
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order, multicore = true} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

// -----

// On one core the word says nothing.
module @one_core attributes {module.chip = "bm1684x", module.cores = 1 : i64, module.kernels_in_order, module.neuron_addr = 4294967296 : i64, module.neuron_size = 8192 : i64} {
  func.func @main(%arg0: tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294971392 : i64> {
    %x = "top.Input"(%arg0) : (tensor<1x2x8x8xi8>) -> tensor<1x2x8x8xi8, 4294967296 : i64>
    %a = "tpu.Active"(%x) {mode = #tpu<active_mode ABSVAL>} : (tensor<1x2x8x8xi8, 4294967296 : i64>) -> tensor<1x2x8x8xi8, 4294971401 : i64>
    %b = "tpu.Pool2D"(%a) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1], pool_mode = #tpu<pool_mode Max>, in_order, multicore = true} : (tensor<1x2x8x8xi8, 4294971401 : i64>) -> tensor<1x2x8x8xi8, 4294971392 : i64>
    return %b : tensor<1x2x8x8xi8, 4294971392 : i64>
  }
}

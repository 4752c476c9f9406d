// RUN: tpuc-opt %s --split-input-file --verify-diagnostics --tpu-assign-weight-address --tpu-assign-global-address

// expected-error @+1 {{no chip is given: set the attribute 'module.chip' or the option 'chip'}}
module @no_chip {
}

// -----

// expected-error @+1 {{unknown chip 'bm9999'; known chips: bm1684,}}
module @unknown_chip attributes {module.chip = "bm9999"} {
}

// -----

// expected-error @+1 {{attribute 'module.chip' has to be a string [TPUMEM-E005]}}
module @chip_of_wrong_type attributes {module.chip = 7 : i64} {
}

// -----

// Weights have no slots on this chip, activations do.
module @weight_from_function attributes {module.chip = "bm1684"} {
  func.func @main(%arg0: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
    %x = "top.Input"(%arg0) : (tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
    %w = call @table() : () -> tensor<1x8x4x4xi8>
    %y = "tpu.Add"(%x, %w) {do_relu = false} : (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8>
    return %y : tensor<1x8x4x4xi8>
  }
  func.func @table() -> tensor<1x8x4x4xi8> {
    %w = "top.Weight"() : () -> tensor<1x8x4x4xi8> loc("w")
    // expected-error @+1 {{'func.return' emits no copy, but weight 'w' is stored as 1N, and what functions hand over as 4N on this chip; copy it by 'tpu.Weight2Activation' [TPUMEM-E008]}}
    return %w : tensor<1x8x4x4xi8>
  }
}

// -----

module @weight_into_function attributes {module.chip = "bm1684"} {
  func.func @main(%arg0: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
    %x = "top.Input"(%arg0) : (tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
    %w = "top.Weight"() : () -> tensor<1x8x4x4xf16> loc("w")
    // expected-error @+1 {{'func.call' emits no copy, but weight 'w' is stored as 1N, and what functions hand over as 2N}}
    %y = call @add(%x, %w) : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
    return %y : tensor<1x8x4x4xf16>
  }
  func.func @add(%x: tensor<1x8x4x4xf16>, %w: tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16> {
    %y = "tpu.Add"(%x, %w) {do_relu = false} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x8x4x4xf16>
    return %y : tensor<1x8x4x4xf16>
  }
}

// -----

// Those that have them are handed over as they are, and all others elsewhere.
module @weight_in_slots attributes {module.chip = "bm1684"} {
  func.func @main(%arg0: tensor<1x8x4x4xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xf32>) {
    %w = "top.Weight"() {store_mode = "4N"} : () -> tensor<1x8x4x4xi8> loc("w")
    %v = "top.Weight"() : () -> tensor<1x8x4x4xf32> loc("v")
    return %w, %v : tensor<1x8x4x4xi8>, tensor<1x8x4x4xf32>
  }
}

// -----

module @weight_elsewhere attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
    %w = "top.Weight"() : () -> tensor<1x8x4x4xi8> loc("w")
    return %w : tensor<1x8x4x4xi8>
  }
}

// -----

module @dynamic attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<1x?xf32>) -> tensor<1x?xf32> {
    // expected-error @+1 {{of type 'tensor<1x?xf32>' has no static size in bytes}}
    %0 = "top.Input"(%arg0) : (tensor<1x?xf32>) -> tensor<1x?xf32>
    return %0 : tensor<1x?xf32>
  }
}

// -----

module @cycle attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @a(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @a(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @b(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @b(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{call of 'a' closes a cycle of calls}}
    %0 = func.call @a(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @no_entry attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{call of 'main' closes a cycle of calls}}
    %0 = func.call @main(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module @several_calls attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // expected-note @+1 {{also called here}}
    %0 = func.call @a(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'a' is called from several places}}
    %1 = func.call @a(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func @a(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "tpu.Add"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// expected-error @+1 {{chip 'bm1684x' has no I/O mode 'io_tag'}}
module @unsupported_mode attributes {module.chip = "bm1684x", module.addr_mode = "io_tag"} {
}

// -----

module @concat_of_weight attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<8xf32> {
    // expected-note @+1 {{the operand comes from here}}
    %w = "top.Weight"() : () -> tensor<4xf32>
    // expected-error @+1 {{'tpu.Concat' emits no copy, but 'top.Weight#0' cannot lie inside its result}}
    %0 = "tpu.Concat"(%arg0, %w) {axis = 0 : si32, only_merge = true} : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module @negative attributes {module.chip = "bm1684x"} {
  func.func @main(%arg0: tensor<4611686018427387904xf32>) {
    // expected-error @+1 {{has no static size in bytes; planning needs fixed shapes, sized elements and less than 2^63 bits a tensor [TPUMEM-E002]}}
    %0 = "top.Input"(%arg0) : (tensor<4611686018427387904xf32>) -> tensor<4611686018427387904xf32>
    return
  }
}

// -----

// expected-error @+1 {{attribute 'module.cores' of the module has to be a positive integer [TPUMEM-E005]}}
module @no_cores attributes {module.chip = "bm1690", module.cores = 0 : i64} {
}

// -----

// expected-error @+1 {{attribute 'module.cores' of the module has to be a positive integer [TPUMEM-E005]}}
module @negative_cores attributes {module.chip = "bm1690", module.cores = -1 : i64} {
}

// -----

// Weights come first.
module @weight_and_tensor attributes {module.chip = "bm1684x"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %w = "top.Weight"() : () -> tensor<4xf32>
    // expected-error @+1 {{'arith.addf' cannot be given addresses, which are part of the types: 'arith.addf' op requires the same encoding for all operands and results; write it as an op of 'top' or 'tpu' [TPUMEM-E010]}}
    %y = arith.addf %x, %w : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

module @two_tensors attributes {module.chip = "bm1684x"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{'arith.negf' cannot be given addresses, which are part of the types: 'arith.negf' op requires the same encoding for all operands and results; write it as an op of 'top' or 'tpu' [TPUMEM-E010]}}
    %y = arith.negf %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
}

// -----

// What only the verifier of the op knows counts, too.
module @own_verifier attributes {module.chip = "bm1684x"} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf64> {
    // expected-error @+1 {{'arith.extf' cannot be given addresses, which are part of the types: 'arith.extf' op operand type}}
    %y = arith.extf %x : tensor<4xf32> to tensor<4xf64>
    return %y : tensor<4xf64>
  }
}

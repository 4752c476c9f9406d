// RUN: tpuc-opt %s --verify-diagnostics --split-input-file

func.func @buffer(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'tpu.Buffer' op is scratch memory and takes no operands, but has 1}}
  %0 = "tpu.Buffer"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @interleaved_address() {
  // expected-error @+1 {{'tpu.Buffer' op address must not be negative, but is -8}}
  %0 = "tpu.Buffer"() : () -> tensor<2xf32, #tpu.ddr_interleave<interleave_dim = 0, region_id = 0, offset = [], address = -8>>
  return
}

// -----

func.func @branch_yields_nothing(%c: tensor<1xf32>, %arg0: tensor<4xf32>) {
  // expected-error @+1 {{'tpu.If' op has 1 results, but a branch yields 0 values}}
  %0 = "tpu.If"(%c) ({
    "tpu.Yield"(%arg0) : (tensor<4xf32>) -> ()
  }, {
    "tpu.Yield"() : () -> ()
  }) : (tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @group_empty() {
  // expected-error @+1 {{'tpu.Group' op region must end in 'tpu.Yield'}}
  "tpu.Group"() ({
    "top.Yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @group_arguments() {
  // expected-error @+1 {{'tpu.Group' op region takes no arguments, but has 1}}
  "tpu.Group"() ({
  ^bb0(%0: tensor<4xf32>):
    "tpu.Yield"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @group_count(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{'tpu.Group' op has 2 results, but its region yields 1 values}}
  %0:2 = "tpu.Group"() ({
    "tpu.Yield"(%arg0) : (tensor<4xf32>) -> ()
  }) : () -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @group_type(%arg0: tensor<4xf32>) {
  // expected-error @+1 {{'tpu.Group' op result #0 is 'tensor<5xf32>', but the region yields 'tensor<4xf32>'}}
  %0 = "tpu.Group"() ({
    "tpu.Yield"(%arg0) : (tensor<4xf32>) -> ()
  }) : () -> tensor<5xf32>
  return
}

// -----

func.func @load_inside(%arg0: tensor<4xf32>) {
  "tpu.Group"(%arg0) ({
    // expected-note @+1 {{made here}}
    %0 = "tpu.Load"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{'tpu.Load' op loads a value that the group itself makes}}
    %1 = "tpu.Load"(%0) : (tensor<4xf32>) -> tensor<4xf32>
    "tpu.Yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @line_buffer_alone(%a: tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16> {
  // expected-error @+1 {{'tpu.LineBuffer' op keeps rows of a layer group's sections, and is in none}}
  %0 = "tpu.LineBuffer"(%a) : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16>
  return %0 : tensor<1x4x8x8xf16>
}

// -----

func.func @line_buffer_of_another_type(%a: tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16> {
  %0 = "tpu.Group"(%a) ({
    %1 = "tpu.Load"(%a) : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16>
    // expected-error @+1 {{'tpu.LineBuffer' op results in 'tensor<1x4x4x8xf16>', but keeps rows of 'tensor<1x4x8x8xf16>'}}
    %2 = "tpu.LineBuffer"(%1) : (tensor<1x4x8x8xf16>) -> tensor<1x4x4x8xf16>
    "tpu.Yield"(%1) : (tensor<1x4x8x8xf16>) -> ()
  }) : (tensor<1x4x8x8xf16>) -> tensor<1x4x8x8xf16>
  return %0 : tensor<1x4x8x8xf16>
}

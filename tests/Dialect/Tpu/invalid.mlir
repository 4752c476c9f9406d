// RUN: tpuc-opt %s --verify-diagnostics --split-input-file

func.func @wrong_type(%arg0: tensor<1x4xf32>) {
  // expected-error @+1 {{'tpu.Slice' op attribute 'offset' failed to satisfy constraint: 64-bit integer array attribute}}
  %0 = "tpu.Slice"(%arg0) {offset = 3 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @wrong_enum(%arg0: tensor<1x4xf32>) {
  // expected-error @+1 {{'tpu.Cast' op attribute 'round_mode' failed to satisfy constraint}}
  %0 = "tpu.Cast"(%arg0) {round_mode = "HalfUp"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @wrong_ginfo(%arg0: tensor<1x4xf32>) {
  // expected-error @+1 {{'tpu.Relu' op attribute 'ginfo' failed to satisfy constraint}}
  %0 = "tpu.Relu"(%arg0) {ginfo = #tpu.layer<0>} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

// expected-error @+1 {{'Sideways' is not a round_mode, expected HalfAwayFromZero, HalfUp, HalfDown, HalfToEven, HalfToOdd, HalfTowardsZero, TowardsZero, Up, Down}}
"builtin.module"() ({}) {m = #tpu<round_mode Sideways>} : () -> ()

// -----

func.func @concat(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'tpu.Concat' op operands add up to 3 along axis 1, but the result has 4}}
  %0 = "tpu.Concat"(%arg0) : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reshape(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'tpu.Reshape' op changes the number of elements from 6 to 7}}
  %0 = "tpu.Reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @buffer(%arg0: tensor<2xf32>) {
  // expected-error @+1 {{'tpu.Buffer' op is scratch memory and takes no operands, but has 1}}
  %0 = "tpu.Buffer"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @interleaved_address() {
  // expected-error @+1 {{#tpu.ddr_interleave field 'address' must not be negative, but is -8}}
  %0 = "tpu.Buffer"() : () -> tensor<2xf32, #tpu.ddr_interleave<interleave_dim = 0, region_id = 0, offset = [], address = -8>>
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

// expected-error @+1 {{#tpu.lg has no field called 'colour'}}
"builtin.module"() ({}) {m = #tpu.lg<colour = 3>} : () -> ()

// -----

// expected-error @+1 {{#tpu.lg has field 'id' twice}}
"builtin.module"() ({}) {m = #tpu.lg<id = 3, id = 3>} : () -> ()

// -----

// expected-error @+1 {{#tpu.lg has no field 'out_size'}}
"builtin.module"() ({}) {m = #tpu.lg<out_addr = 3>} : () -> ()

// -----

// expected-error @+1 {{expected 'true' or 'false'}}
"builtin.module"() ({}) {m = #tpu.lg<eu_align = maybe>} : () -> ()

// -----

// expected-error @+1 {{#tpu.lg has 2 values in 'h_idx', but 1 in 'h_slice'}}
"builtin.module"() ({}) {m = #tpu.lg<out_addr = 0, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [], n_slice = [], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [0, 4], h_slice = [4], w_idx = [], w_slice = [], id = 0, stage = 0, group_type = 0>} : () -> ()

// -----

// expected-error @+1 {{#tpu.lg field 'out_size' must not be negative, but is -1}}
"builtin.module"() ({}) {m = #tpu.lg<out_addr = 0, out_size = -1, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [], n_slice = [], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [], h_slice = [], w_idx = [], w_slice = [], id = 0, stage = 0, group_type = 0>} : () -> ()

// -----

// expected-error @+1 {{#tpu.lg has a negative value in 'w_idx' or 'w_slice'}}
"builtin.module"() ({}) {m = #tpu.lg<out_addr = 0, out_size = 0, buffer_addr = 0, buffer_size = 0, eu_align = false, n_idx = [], n_slice = [], c_idx = [], c_slice = [], d_idx = [], d_slice = [], h_idx = [], h_slice = [], w_idx = [-1], w_slice = [4], id = 0, stage = 0, group_type = 0>} : () -> ()

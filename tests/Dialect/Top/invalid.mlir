// RUN: tpuc-opt %s --verify-diagnostics --split-input-file

func.func @wrong_type(%arg0: tensor<1x4xf32>) {
  // expected-error @+1 {{'top.Softmax' op attribute 'axis' failed to satisfy constraint: 32-bit signed integer attribute}}
  %0 = "top.Softmax"(%arg0) {axis = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @store_mode() {
  // expected-error @+1 {{'top.Weight' op attribute 'store_mode' failed to satisfy constraint: store mode, one of 1N, 2N, 4N}}
  %0 = "top.Weight"() {store_mode = "3N"} : () -> tensor<4xf32>
  return
}

// -----

func.func @not_a_tensor(%arg0: i32) {
  // expected-error @+1 {{'top.Abs' op operand #0 must be tensor or none, but got 'i32'}}
  %0 = "top.Abs"(%arg0) : (i32) -> tensor<4xf32>
  return
}

// -----

func.func @reshape(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'top.Reshape' op changes the number of elements from 6 to 8}}
  %0 = "top.Reshape"(%arg0) : (tensor<2x3xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @squeeze(%arg0: tensor<1x3xf32>) {
  // expected-error @+1 {{'top.Squeeze' op changes the number of elements from 3 to 2}}
  %0 = "top.Squeeze"(%arg0) {axes = [0]} : (tensor<1x3xf32>) -> tensor<2xf32>
  return
}

// -----

// A dynamic dimension may be anything.
func.func @dynamic(%arg0: tensor<?x3xf32>) {
  %0 = "top.Reshape"(%arg0) : (tensor<?x3xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @concat_axis(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'top.Concat' op axis 2 is out of range for rank 2}}
  %0 = "top.Concat"(%arg0, %arg0) {axis = 2 : si32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_sum(%arg0: tensor<2x3xf32>) {
  // expected-error @+1 {{'top.Concat' op operands add up to 6 along axis -1, but the result has 7}}
  %0 = "top.Concat"(%arg0, %arg0) {axis = -1 : si32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x7xf32>
  return
}

// -----

func.func @concat_other(%arg0: tensor<2x3xf32>, %arg1: tensor<1x3xf32>) {
  // expected-error @+1 {{'top.Concat' op operand #1 has size 1 in dimension 0, but the result has 2}}
  %0 = "top.Concat"(%arg0, %arg1) {axis = 1 : si32} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_rank(%arg0: tensor<2x3xf32>, %arg1: tensor<6xf32>) {
  // expected-error @+1 {{'top.Concat' op operand #1 has rank 1, but the result has rank 2}}
  %0 = "top.Concat"(%arg0, %arg1) {axis = 1 : si32} : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @address_negative() {
  // expected-error @+1 {{'top.Weight' op address must not be negative, but is -4096 in 'tensor<4xf32, -4096 : i64>'}}
  %0 = "top.Weight"() : () -> tensor<4xf32, -4096 : i64>
  return
}

// -----

func.func @address_of_argument(%arg0: tensor<4xf32, -1 : i64>) {
  // expected-error @+1 {{'top.Abs' op address must not be negative, but is -1}}
  %0 = "top.Abs"(%arg0) : (tensor<4xf32, -1 : i64>) -> tensor<4xf32>
  return
}

// -----

func.func @address_width() {
  // expected-error @+1 {{'top.Weight' op address encoding must be an i64, but is 'i32' in 'tensor<4xf32, 64 : i32>'}}
  %0 = "top.Weight"() : () -> tensor<4xf32, 64 : i32>
  return
}

// -----

func.func @two_blocks(%cond: tensor<1xf32>) {
  // expected-error @+1 {{'top.If' op expects region #0 to have 0 or 1 blocks}}
  "top.If"(%cond) ({
    "top.Yield"() : () -> ()
  ^bb1:
    "top.Yield"() : () -> ()
  }, {
  }) : (tensor<1xf32>) -> ()
  return
}

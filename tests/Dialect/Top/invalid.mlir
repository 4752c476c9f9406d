// RUN: tpuc-opt %s --verify-diagnostics --split-input-file

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

func.func @address_too_large() {
  // expected-error @+1 {{'top.Weight' op address does not fit into 63 bits in 'tensor<4xf32, 9223372036854775808 : ui64>'}}
  %0 = "top.Weight"() : () -> tensor<4xf32, 9223372036854775808 : ui64>
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

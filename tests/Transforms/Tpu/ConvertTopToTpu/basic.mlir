// RUN: tpuc-opt %s --convert-top-to-tpu="mode=bf16 chip=bm1684x" | FileCheck %s
// The same again, from the module's own attribute.
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=BF16" | tpuc-opt --convert-top-to-tpu | FileCheck %s

// One op of each kind in the words of the Tpu dialect.

// CHECK: module @net attributes {module.addr_mode = "io_alone", module.asymmetric = false, module.chip = "bm1684x", module.cores = 2 : i64, module.devices = 1 : i64, module.high_precision = false, module.mode = "BF16", module.q_group_size = 128 : i64, module.q_symmetric = false, module.state = "TPU_LOWERED"}
module @net attributes {module.chip = "bm1684x", module.state = "TOP_F32", module.addr_mode = "io_alone", module.cores = 2 : i64} {
  // CHECK-LABEL: func.func @windows
  func.func @windows(%arg0: tensor<1x3x16x16xf32>) -> tensor<1x8x8x8xf32> {
    // CHECK: %[[NONE:.*]] = "top.None"
    %0 = "top.None"() : () -> none
    // CHECK: %[[IN:.*]] = "top.Input"(%{{.*}}) {do_preprocess = false} : (tensor<1x3x16x16xf32>) -> tensor<1x3x16x16xf32>
    // CHECK: %[[X:.*]] = "tpu.Cast"(%[[IN]]) {round_mode = #tpu<round_mode HalfAwayFromZero>, with_scale = true} : (tensor<1x3x16x16xf32>) -> tensor<1x3x16x16xbf16>
    %1 = "top.Input"(%arg0) {do_preprocess = false} : (tensor<1x3x16x16xf32>) -> tensor<1x3x16x16xf32>
    // CHECK: %[[W:.*]] = "top.Weight"() : () -> tensor<8x3x3x3xbf16>
    // CHECK: %[[B:.*]] = "top.Weight"() : () -> tensor<8xf32>
    %2 = "top.Weight"() : () -> tensor<8x3x3x3xf32>
    %3 = "top.Weight"() : () -> tensor<8xf32>
    // CHECK: "tpu.Conv2D"(%[[X]], %[[W]], %[[B]]) {coeff_merged = false, dilations = [1, 1], do_relu = false, group = 1 : i64, kernel_shape = [3, 3], kernel_zp = 0 : i64, pads = [1, 1, 1, 1], quant_mode = #tpu<rq_mode MultiplierShift>, round_mode = #tpu<round_mode HalfUp>, strides = [1, 1], support_compress = true, use_3ic_optimize = 0 : i64, with_bias = true} : (tensor<1x3x16x16xbf16>, tensor<8x3x3x3xbf16>, tensor<8xf32>) -> tensor<1x8x16x16xbf16>
    %4 = "top.Conv"(%1, %2, %3) {auto_pad = "NOTSET", dilations = [1, 1], do_relu = false, group = 1 : i64, kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x3x16x16xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x16x16xf32>
    // CHECK: "tpu.Pool2D"(%{{.*}}) {first_round_mode = #tpu<round_mode HalfAwayFromZero>, is_adaptive = false, kernel_shape = [2, 2], pads = [0, 0, 0, 0], pool_mode = #tpu<pool_mode Max>, round_mode = #tpu<round_mode HalfUp>, strides = [2, 2]} : (tensor<1x8x16x16xbf16>) -> tensor<1x8x8x8xbf16>
    %5 = "top.MaxPool"(%4) {kernel_shape = [2, 2], pads = [0, 0, 0, 0], round_mode = "HalfUp", strides = [2, 2]} : (tensor<1x8x16x16xf32>) -> tensor<1x8x8x8xf32>
    // CHECK: "tpu.Pool2D"(%{{.*}}) {{.*}}pool_mode = #tpu<pool_mode Avg>
    %6 = "top.AvgPool"(%5) {kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    // CHECK: %[[OUT:.*]] = "tpu.Cast"(%{{.*}}) {{.*}} : (tensor<1x8x8x8xbf16>) -> tensor<1x8x8x8xf32>
    // CHECK: return %[[OUT]] : tensor<1x8x8x8xf32>
    return %6 : tensor<1x8x8x8xf32>
  }

  // The rank decides which of the three.
  // CHECK-LABEL: func.func @ranks
  func.func @ranks(%a: tensor<1x2x8xf32>, %b: tensor<1x2x4x8x8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4x4x8x8xf32>, tensor<1x2x2x4x4xf32>, tensor<1x4x8x16x16xf32>) {
    %0 = "top.None"() : () -> none
    %1 = "top.Weight"() : () -> tensor<4x2x1xf32>
    %2 = "top.Weight"() : () -> tensor<4x2x1x1x1xf32>
    %3 = "top.Weight"() : () -> tensor<2x4x2x2x2xf32>
    // CHECK: "tpu.Conv1D"{{.*}}with_bias = false
    %4 = "top.Conv"(%a, %1, %0) {kernel_shape = [1], pads = [0, 0], strides = [1]} : (tensor<1x2x8xf32>, tensor<4x2x1xf32>, none) -> tensor<1x4x8xf32>
    // CHECK: "tpu.Conv3D"
    %5 = "top.Conv"(%b, %2, %0) {kernel_shape = [1, 1, 1], pads = [0, 0, 0, 0, 0, 0], strides = [1, 1, 1]} : (tensor<1x2x4x8x8xf32>, tensor<4x2x1x1x1xf32>, none) -> tensor<1x4x4x8x8xf32>
    // CHECK: "tpu.Pool3D"
    %6 = "top.MaxPool"(%b) {kernel_shape = [2, 2, 2], pads = [0, 0, 0, 0, 0, 0], strides = [2, 2, 2]} : (tensor<1x2x4x8x8xf32>) -> tensor<1x2x2x4x4xf32>
    // CHECK: "tpu.Deconv3D"(%{{.*}}, %{{.*}}, %{{.*}}) {kernel_shape = [2, 2, 2], quant_mode = #tpu<rq_mode MultiplierShift>, strides = [2, 2, 2], with_bias = false}
    %7 = "top.Deconv"(%b, %3, %0) {kernel_shape = [2, 2, 2], strides = [2, 2, 2]} : (tensor<1x2x4x8x8xf32>, tensor<2x4x2x2x2xf32>, none) -> tensor<1x4x8x16x16xf32>
    return %4, %5, %6, %7 : tensor<1x4x8xf32>, tensor<1x4x4x8x8xf32>, tensor<1x2x2x4x4xf32>, tensor<1x4x8x16x16xf32>
  }

  // CHECK-LABEL: func.func @matrices
  func.func @matrices(%x: tensor<1x8x256xf32>) -> tensor<1x8x4xf32> {
    // A none is made where the network has none.
    // CHECK-NEXT: %[[NONE:.*]] = "top.None"() : () -> none
    // CHECK-NEXT: %[[X:.*]] = "tpu.Cast"
    %q = "top.Weight"() : () -> tensor<64x128xui8> loc("a.qweight")
    %s = "top.Weight"() : () -> tensor<64x2xf32> loc("a.scales")
    %z = "top.Weight"() : () -> tensor<64x2xui8> loc("a.qzeros")
    // CHECK: %[[Q:.*]] = "top.Weight"() {origin = "a.qweight"} : () -> tensor<64x128xui8>
    // CHECK: %[[S:.*]] = "top.Weight"() {origin = "a.scales"} : () -> tensor<64x2xbf16>
    // CHECK: %[[Z:.*]] = "top.Weight"() {origin = "a.qzeros"} : () -> tensor<64x2xui8>
    // CHECK: "tpu.A16MatMul"(%[[X]], %[[Q]], %[[S]], %[[Z]], %[[NONE]]) {dq_type = "NONE", q_group_size = 128 : i64, sign = true, w_transpose = true, weight_bits = 4 : i64} : (tensor<1x8x256xbf16>, tensor<64x128xui8>, tensor<64x2xbf16>, tensor<64x2xui8>, none) -> tensor<1x8x64xbf16>
    %1 = "top.A16MatMul"(%x, %q, %s, %z) {dq_type = "NONE", q_group_size = 128 : i64, right_transpose = true, weight_bits = 4 : i64} : (tensor<1x8x256xf32>, tensor<64x128xui8>, tensor<64x2xf32>, tensor<64x2xui8>) -> tensor<1x8x64xf32> loc("a")
    %w = "top.Weight"() : () -> tensor<64x4xf32> loc("w")
    %b = "top.Weight"() : () -> tensor<1x1x4xf32> loc("b")
    // CHECK: "tpu.MatMul"(%{{.*}}, %{{.*}}, %{{.*}}, %[[NONE]], %[[NONE]]) {fuse_rq = false, input_zp = 0 : i64, left_reuse = 1 : i64, multipliers = [1], quant_mode = #tpu<rq_mode MultiplierShift>, right_transpose = false, right_zp = 0 : i64, round_mode = #tpu<round_mode HalfAwayFromZero>, rshifts = [0]} : (tensor<1x8x64xbf16>, tensor<64x4xbf16>, tensor<1x1x4xbf16>, none, none) -> tensor<1x8x4xbf16>
    %2 = "top.MatMul"(%1, %w, %b) {right_transpose = false} : (tensor<1x8x64xf32>, tensor<64x4xf32>, tensor<1x1x4xf32>) -> tensor<1x8x4xf32>
    return %2 : tensor<1x8x4xf32>
  }

  // CHECK-LABEL: func.func @elementwise
  func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // CHECK: "tpu.Add"(%{{.*}}, %{{.*}}) {do_relu = false} : (tensor<4x8xbf16>, tensor<4x8xbf16>) -> tensor<4x8xbf16>
    %1 = "top.Add"(%x, %y) {do_relu = false} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Sub"
    %2 = "top.Sub"(%1, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Mul"(%{{.*}}, %{{.*}}) {multiplier = 1 : si32, quant_mode = #tpu<rq_mode MultiplierShift>, rshift = 0 : si32}
    %3 = "top.Mul"(%2, %y) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.MulConst"(%{{.*}}) {const_val = 2.000000e+00 : f64, multiplier = 1 : si32, rshift = 0 : si32}
    %4 = "top.MulConst"(%3) {const_val = 2.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode SILU>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Cast"(%{{.*}}) {{.*}} : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    %5 = "top.SiLU"(%4) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {bias = 0.000000e+00 : f64, log = false, mode = #tpu<active_mode SIGMOID>, scale = 1.000000e+00 : f64}
    %6 = "top.Sigmoid"(%5) {bias = 0.000000e+00 : f64, log = false, round_mode = "HalfAwayFromZero", scale = 1.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {log = true, mode = #tpu<active_mode LOG_SIGMOID>}
    %7 = "top.Sigmoid"(%6) {log = true} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode GELU>}
    %8 = "top.GELU"(%7) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode TGELU>}
    %9 = "top.GELU"(%8) {approx_mode = "tanh"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode SOFT_PLUS>}
    %10 = "top.Softplus"(%9) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {coeffs = [5.000000e-01, 2.500000e-01], mode = #tpu<active_mode HSIGMOID>}
    %11 = "top.HardSigmoid"(%10) {alpha = 2.500000e-01 : f64, beta = 5.000000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Active"(%{{.*}}) {coeffs = [7.500000e-01], mode = #tpu<active_mode ELU>}
    %12 = "top.Elu"(%11) {alpha = 7.500000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.LeakyRelu"(%{{.*}}) {alpha = 1.000000e-01 : f64}
    %13 = "top.LeakyRelu"(%12) {alpha = 1.000000e-01 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Clip"(%{{.*}}) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64}
    %14 = "top.Clip"(%13) {max = 6.000000e+00 : f64, min = 0.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.CompareConst"(%{{.*}}) {const_val = 0.000000e+00 : f64, inversed = false, mode = "Equal"}
    %15 = "top.Not"(%14) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: "tpu.Where"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>, none)
    %16 = "top.Where"(%15, %14, %13) : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %16 : tensor<4x8xf32>
  }

  // CHECK-LABEL: func.func @layers
  func.func @layers(%x: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
    %g = "top.Weight"() : () -> tensor<1x1x16xf32>
    // CHECK: "tpu.RMSNorm"(%{{.*}}, %{{.*}}) {eps = 1.250000e-01 : f64} : (tensor<1x8x16xbf16>, tensor<1x1x16xbf16>) -> tensor<1x8x16xbf16>
    %1 = "top.RMSNorm"(%x, %g) {eps = 1.250000e-01 : f64} : (tensor<1x8x16xf32>, tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
    // CHECK: "tpu.LayerNorm"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {axis = 2 : si32, eps = 1.000000e-05 : f64} : (tensor<1x8x16xbf16>, tensor<1x1x16xbf16>, none, none, none) -> tensor<1x8x16xbf16>
    %2 = "top.LayerNorm"(%1, %g) {axis = 2 : si32, eps = 1.000000e-05 : f64} : (tensor<1x8x16xf32>, tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
    // CHECK: "tpu.Softmax"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {axis = 2 : si32, beta = 1.000000e+00 : f64, log = false, round_mode = #tpu<round_mode HalfAwayFromZero>} : (tensor<1x8x16xbf16>, none, none, none, none, none) -> tensor<1x8x16xbf16>
    %3 = "top.Softmax"(%2) {axis = 2 : si32, beta = 1.000000e+00 : f64, log = false} : (tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    // CHECK: "tpu.Reduce"(%{{.*}}, %{{.*}}, %{{.*}}) {axes = [2], keepdims = true, mode = "ReduceMean"} : (tensor<1x8x16xbf16>, none, none) -> tensor<1x8x1xbf16>
    %4 = "top.Reduce"(%3) {axes = [2], keepdims = true, mode = "ReduceMean"} : (tensor<1x8x16xf32>) -> tensor<1x8x1xf32>
    %5 = "top.Sub"(%3, %4) : (tensor<1x8x16xf32>, tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
    // CHECK: "tpu.Rope"(%{{.*}}, %{{.*}}, %{{.*}}) {rope_mode = #tpu<rope_mode contiguous_halves>}
    %6 = "top.Rope"(%5, %5, %5) {rope_mode = "contiguous_halves"} : (tensor<1x8x16xf32>, tensor<1x8x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
    return %6 : tensor<1x8x16xf32>
  }

  // CHECK-LABEL: func.func @shapes
  func.func @shapes(%x: tensor<1x4x8x8xf32>) -> tensor<1x8x10x8xf32> {
    %0 = "top.None"() : () -> none
    // CHECK: "tpu.Permute"(%{{.*}}, %{{.*}}) {order = [0, 1, 3, 2]} : (tensor<1x4x8x8xbf16>, none) -> tensor<1x4x8x8xbf16>
    %1 = "top.Permute"(%x) {order = [0, 1, 3, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    // CHECK: "tpu.Slice"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {axes = [], ends = [1, 2, 8, 8], offset = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xbf16>, none, none, none, none) -> tensor<1x2x8x8xbf16>
    %2 = "top.Slice"(%1, %0, %0, %0) {axes = [], ends = [1, 2, 8, 8], offset = [0, 0, 0, 0], steps = [1, 1, 1, 1]} : (tensor<1x4x8x8xf32>, none, none, none) -> tensor<1x2x8x8xf32>
    // CHECK: "tpu.Concat"(%{{.*}}, %{{.*}}) {axis = 1 : si32, only_merge = false} : (tensor<1x2x8x8xbf16>, tensor<1x2x8x8xbf16>) -> tensor<1x4x8x8xbf16>
    %3 = "top.Concat"(%2, %2) {axis = 1 : si32} : (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) -> tensor<1x4x8x8xf32>
    // CHECK: "tpu.Reshape"(%{{.*}}) {flatten_start_dim = -1 : i64, shape = [1, 8, 4, 8]} : (tensor<1x4x8x8xbf16>) -> tensor<1x8x4x8xbf16>
    %4 = "top.Reshape"(%3) {shape = [1, 8, 4, 8]} : (tensor<1x4x8x8xf32>) -> tensor<1x8x4x8xf32>
    // CHECK: "tpu.Upsample"(%{{.*}}) {scale_h = 2 : i64, scale_w = 1 : i64}
    %5 = "top.Upsample"(%4) {scale_h = 2 : i64, scale_w = 1 : i64} : (tensor<1x8x4x8xf32>) -> tensor<1x8x8x8xf32>
    // CHECK: "tpu.Interp"(%{{.*}}, %{{.*}}, %{{.*}}) {coord_mode = #tpu<coord_mode half_pixel>, mode = #tpu<mode linear>}
    %6 = "top.Interp"(%5, %0) {coord_mode = "half_pixel", mode = "linear"} : (tensor<1x8x8x8xf32>, none) -> tensor<1x8x8x8xf32>
    // CHECK: "tpu.Pad"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) {mode = #tpu<Pad_Mode constant>, paddings = [0, 0, 1, 0, 0, 0, 1, 0], val = 0.000000e+00 : f64, with_insert_zero = false} : (tensor<1x8x8x8xbf16>, none, none, none, none) -> tensor<1x8x10x8xbf16>
    %7 = "top.Pad"(%6) {mode = "constant", paddings = [0, 0, 1, 0, 0, 0, 1, 0], val = 0.000000e+00 : f64} : (tensor<1x8x8x8xf32>) -> tensor<1x8x10x8xf32>
    // CHECK: "tpu.Reshape"(%{{.*}}) {flatten_start_dim = -1 : i64, shape = []} : (tensor<1x8x10x8xbf16>) -> tensor<1x640xbf16>
    %8 = "top.Flatten"(%7) {start_dim = 1 : i64} : (tensor<1x8x10x8xf32>) -> tensor<1x640xf32>
    // CHECK: "tpu.Unsqueeze"(%{{.*}}) {axes = [0]}
    %9 = "top.Unsqueeze"(%8) {axes = [0]} : (tensor<1x640xf32>) -> tensor<1x1x640xf32>
    %10 = "top.Reshape"(%9) : (tensor<1x1x640xf32>) -> tensor<1x8x10x8xf32>
    return %10 : tensor<1x8x10x8xf32>
  }

  // A clamp belongs to the op that writes, and so does its name; not when the
  // value is read before the clamp, too.
  // CHECK-LABEL: func.func @relu
  func.func @relu(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    // CHECK: %[[Y:.*]] = "tpu.Add"(%{{.*}}, %{{.*}}) {do_relu = true, relu_limit = 6.000000e+00 : f64}
    %1 = "top.Add"(%x, %x) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = "top.Relu"(%1) {relu_limit = 6.000000e+00 : f64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    // CHECK: %[[Z:.*]] = "tpu.Mul"(%[[Y]], %[[Y]]) {multiplier = 1
    // CHECK: %[[R:.*]] = "tpu.Relu"(%[[Z]])
    // CHECK: "tpu.Relu"(%[[R]])
    %3 = "top.Mul"(%2, %2) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %4 = "top.Relu"(%3) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %5 = "top.Relu"(%4) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %3, %5 : tensor<4x8xf32>, tensor<4x8xf32>
  }
}

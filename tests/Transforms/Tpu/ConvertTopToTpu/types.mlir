// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F16" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,F16
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=BF16" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,BF16
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=W8BF16 high-precision=true" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,BF16,HIGH
// RUN: tpuc-opt %s --convert-top-to-tpu="mode=F32" --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefixes=ALL,F32

// HIGH: module.high_precision = true, module.mode = "W8BF16"
module @net attributes {module.chip = "bm1684x", module.state = "TOP_F32"} {
  // Biases: f32, but f16 in a depthwise convolution, bf16 in a product.
  // ALL-LABEL: func.func @biases
  func.func @biases(%arg0: tensor<1x8x4x4xf32>) -> tensor<8x4xf32> {
    %0 = "top.None"() : () -> none loc(unknown)
    %x = "top.Input"(%arg0) : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> loc("x")
    // F16: "tpu.Cast"(%{{.*}}) {{.*}} -> tensor<1x8x4x4xf16> loc("xdw_f16")
    // BF16: "tpu.Cast"(%{{.*}}) {{.*}} -> tensor<1x8x4x4xbf16> loc("xdw_bf16")
    // F32-NOT: tpu.Cast
    // F16: tensor<8x1x1x1xf16> loc("dw.weight_f16")
    // F16: tensor<8xf16> loc("dw.bias_f16")
    // BF16: tensor<8x1x1x1xbf16> loc("dw.weight_bf16")
    // BF16: tensor<8xf32> loc("dw.bias")
    // F32: tensor<8x1x1x1xf32> loc("dw.weight")
    // F32: tensor<8xf32> loc("dw.bias")
    %w0 = "top.Weight"() : () -> tensor<8x1x1x1xf32> loc("dw.weight")
    %b0 = "top.Weight"() : () -> tensor<8xf32> loc("dw.bias")
    %1 = "top.Conv"(%x, %w0, %b0) {group = 8 : i64, kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x1x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32> loc("dw")
    // F16: tensor<8xf32> loc("pw.bias")
    // BF16: tensor<8xf32> loc("pw.bias")
    %w1 = "top.Weight"() : () -> tensor<8x8x1x1xf32> loc("pw.weight")
    %b1 = "top.Weight"() : () -> tensor<8xf32> loc("pw.bias")
    %2 = "top.Conv"(%1, %w1, %b1) {kernel_shape = [1, 1], pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x8x4x4xf32>, tensor<8x8x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32> loc("pw")
    %3 = "top.Reshape"(%2) : (tensor<1x8x4x4xf32>) -> tensor<8x16xf32> loc("r")
    // F16: tensor<4xf32> loc("m.bias")
    // BF16: tensor<4xbf16> loc("m.bias_bf16")
    %w2 = "top.Weight"() : () -> tensor<16x4xf32> loc("m.weight")
    %b2 = "top.Weight"() : () -> tensor<4xf32> loc("m.bias")
    %4 = "top.MatMul"(%3, %w2, %b2) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<8x4xf32> loc("m")
    // F16: -> tensor<8x4xf32> loc("m_f32")
    // BF16: -> tensor<8x4xf32> loc("m_f32")
    // F32-NOT: tpu.Cast
    // ALL: return
    return %4 : tensor<8x4xf32> loc(unknown)
  } loc(unknown)

  // With high precision what is approximated is computed in f32; a reshape
  // takes what comes; one cast serves all readers.
  // ALL-LABEL: func.func @precise
  func.func @precise(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
    %x = "top.Input"(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("x")
    // HIGH: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode ABSVAL>} : (tensor<4x8xbf16>)
    // HIGH-NEXT: "tpu.Cast"(%{{.*}}) {{.*}} : (tensor<4x8xbf16>) -> tensor<4x8xf32> loc("as_f32")
    // HIGH-NEXT: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode SIN>} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("s")
    // HIGH-NEXT: %[[R:.*]] = "tpu.Reshape"(%{{.*}}) {{.*}} : (tensor<4x8xf32>) -> tensor<8x4xf32> loc("r")
    // HIGH-NEXT: %[[C:.*]] = "tpu.Cast"(%[[R]]) {{.*}} : (tensor<8x4xf32>) -> tensor<8x4xbf16> loc("rp_bf16")
    // HIGH-NEXT: "tpu.Add"(%[[C]], %[[C]])
    // HIGH-NEXT: "tpu.Sub"(%{{.*}}, %[[C]])
    // F16: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode SIN>} : (tensor<4x8xf16>) -> tensor<4x8xf16> loc("s")
    %a = "top.Abs"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("a")
    %s = "top.Sin"(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("s")
    %r = "top.Reshape"(%s) : (tensor<4x8xf32>) -> tensor<8x4xf32> loc("r")
    %p = "top.Add"(%r, %r) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("p")
    %q = "top.Sub"(%p, %r) : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32> loc("q")
    // ALL: return %{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x4xf32>
    return %a, %q : tensor<4x8xf32>, tensor<8x4xf32> loc(unknown)
  } loc(unknown)

  // What is called f32 but is passed as integers are integers; indices are
  // i32 and are returned as such.
  // ALL-LABEL: func.func @integers
  // ALL-SAME: -> (tensor<2x4xf32>, tensor<2x1xi32>, tensor<2x2xsi32>, tensor<2x8xf32>, tensor<2x4xsi32>)
  func.func @integers(%arg0: tensor<2xsi32>, %arg1: tensor<2x4xsi32>, %arg2: tensor<2xf32>, %arg3: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x8xf32>, tensor<2x4xsi32>) {
    %0 = "top.None"() : () -> none loc(unknown)
    // ALL: %[[IDS:.*]] = "top.Input"(%{{.*}}) : (tensor<2xsi32>) -> tensor<2xsi32> loc("ids")
    // ALL: %[[MASK:.*]] = "top.Input"(%{{.*}}) : (tensor<2x4xsi32>) -> tensor<2x4xsi32> loc("mask")
    %ids = "top.Input"(%arg0) : (tensor<2xsi32>) -> tensor<2xf32> loc("ids")
    %mask = "top.Input"(%arg1) : (tensor<2x4xsi32>) -> tensor<2x4xf32> loc("mask")
    // An index that comes as a float is cast to one, before it can lose digits.
    // ALL: %[[FIDS:.*]] = "top.Input"(%{{.*}}) : (tensor<2xf32>) -> tensor<2xf32> loc("fids")
    // ALL: %[[CIDS:.*]] = "tpu.Cast"(%[[FIDS]]) {{.*}} -> tensor<2xi32> loc("fidsg1_i32")
    %fids = "top.Input"(%arg2) : (tensor<2xf32>) -> tensor<2xf32> loc("fids")
    %y = "top.Input"(%arg3) : (tensor<2x4xf32>) -> tensor<2x4xf32> loc("y")
    // F16: %[[TABLE:.*]] = "top.Weight"() {origin = "table"} : () -> tensor<100x4xf16> loc("table_f16")
    // BF16: %[[TABLE:.*]] = "top.Weight"() {origin = "table"} : () -> tensor<100x4xbf16> loc("table_bf16")
    // F32: %[[TABLE:.*]] = "top.Weight"() : () -> tensor<100x4xf32> loc("table")
    %table = "top.Weight"() : () -> tensor<100x4xf32> loc("table")
    // ALL: "tpu.Gather"(%[[TABLE]], %[[IDS]], %{{.*}}) {axis = 0 : si32, if_neg_index = true}
    // ALL: "tpu.Gather"(%[[TABLE]], %[[CIDS]], %{{.*}}) {axis = 0 : si32, if_neg_index = true}
    %g0 = "top.Gather"(%table, %ids) {axis = 0 : si32} : (tensor<100x4xf32>, tensor<2xf32>) -> tensor<2x4xf32> loc("g0")
    %g1 = "top.Gather"(%table, %fids) {axis = 0 : si32} : (tensor<100x4xf32>, tensor<2xf32>) -> tensor<2x4xf32> loc("g1")
    %sum = "top.Add"(%g0, %g1) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("sum")
    // Selecting by integers needs no cast.
    // ALL: "tpu.Where"(%[[MASK]],
    %sel = "top.Where"(%mask, %sum, %y) : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("sel")
    // F16: "tpu.Cast"(%{{.*}}) {{.*}} : (tensor<2x4xf16>) -> tensor<2x4xf32> loc("selval_f32")
    // ALL: "tpu.TopK"(%{{.*}}, %{{.*}}, %{{.*}}) {K = 1 : i64, axis = 1 : i64, values_used_only = false} : (tensor<2x4xf32>, none, none) -> (tensor<2x1xf32>, tensor<2x1xi32>)
    %v, %i = "top.TopK"(%sel) {K = 1 : i64, axis = 1 : i64} : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) loc(fused["val", "idx"])
    // Moving integers, also through views; computing with them and with floats.
    // ALL: "tpu.Slice"(%[[MASK]], {{.*}} : (tensor<2x4xsi32>, none, none, none, none) -> tensor<2x2xsi32>
    %m = "top.Slice"(%mask, %0, %0, %0) {axes = [], ends = [2, 2], offset = [0, 0], steps = [1, 1]} : (tensor<2x4xf32>, none, none, none) -> tensor<2x2xf32> loc("m")
    // F16: "tpu.Concat"({{.*}} : (tensor<2x4xf16>, tensor<2x4xf16>) -> tensor<2x8xf16>
    %c = "top.Concat"(%mask, %sel) {axis = 1 : si32} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32> loc("c")
    // ALL: "tpu.Add"(%[[MASK]], %[[MASK]]) : (tensor<2x4xsi32>, tensor<2x4xsi32>) -> tensor<2x4xsi32>
    %twice = "top.Add"(%mask, %mask) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xsi32> loc("twice")
    return %sel, %i, %m, %c, %twice : tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x8xf32>, tensor<2x4xsi32> loc(unknown)
  } loc(unknown)

  // Weights: one copy for each type that is read, in front of its first
  // reader; unread ones stay where they are.
  // ALL-LABEL: func.func @weights
  func.func @weights(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
    // F16-NEXT: %{{.*}} = "tpu.Cast"(%arg0) {{.*}} -> tensor<4x8xf16>
    // F16-NEXT: "top.Weight"() {origin = "unread", placeholder = true} : () -> tensor<2x2xf16> loc("unread_f16")
    // F16-NEXT: "top.Weight"() : () -> tensor<3xui8> loc("unread_packed")
    %u = "top.Weight"() {placeholder = true} : () -> tensor<2x2xf32> loc("unread")
    %v = "top.Weight"() : () -> tensor<3xui8> loc("unread_packed")
    %g = "top.Weight"() : () -> tensor<1x8xf32> loc("g")
    // F16-NEXT: "top.Weight"() {origin = "g"} : () -> tensor<1x8xf16> loc("g_f16")
    // F16-NEXT: "tpu.RMSNorm"
    // F16-NEXT: "tpu.RMSNorm"
    // F16-NEXT: "top.Weight"() : () -> tensor<1x8xf32> loc("g")
    // F16-NEXT: "tpu.RMSNorm"(%{{.*}}, %{{.*}}) {weight_keep_f32 = true} : (tensor<4x8xf16>, tensor<1x8xf32>) -> tensor<4x8xf16>
    %1 = "top.RMSNorm"(%arg0, %g) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32> loc("n1")
    %2 = "top.RMSNorm"(%1, %g) : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32> loc("n2")
    %3 = "top.RMSNorm"(%2, %g) {weight_keep_f32 = true} : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32> loc("n3")
    // A front end's own cast to what the value is by now is nothing.
    // F16-NEXT: "tpu.Cast"(%{{.*}}) {{.*}} -> tensor<4x8xf32> loc("n3_f32")
    // F16-NEXT: return
    %4 = "top.Cast"(%3) {to = "F16"} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("c")
    return %4 : tensor<4x8xf32> loc(unknown)
  } loc(unknown)

  // Calibration is of no use to floats.
  // ALL-LABEL: func.func @calibrated
  func.func @calibrated(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    // F16: "top.Input"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
    // F16: "tpu.Active"(%{{.*}}) {mode = #tpu<active_mode ABSVAL>} : (tensor<4xf16>) -> tensor<4xf16>
    %x = "top.Input"(%arg0) : (tensor<4xf32>) -> tensor<4x!quant.calibrated<f32<-1.0:1.0>>> loc("x")
    %a = "top.Abs"(%x) : (tensor<4x!quant.calibrated<f32<-1.0:1.0>>>) -> tensor<4xf32> loc("a")
    return %a : tensor<4xf32> loc(unknown)
  } loc(unknown)
} loc(unknown)

// RUN: tpuc-opt %s --top-fuse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

!t = tensor<2x8x4x6xf32>
!large = tensor<2x2x8x12xf32>

// CHECK-LABEL: @depth_to_space_dcr
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = false, out_is_NCHW = true, swap_cr = false} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @depth_to_space_dcr(%x: !t) -> !large {
  %0 = "top.Reshape"(%x) {shape = [2, 2, 2, 2, 4, 6]} : (!t) -> tensor<2x2x2x2x4x6xf32>
  %1 = "top.Permute"(%0) {order = [0, 3, 4, 1, 5, 2]} : (tensor<2x2x2x2x4x6xf32>) -> tensor<2x2x4x2x6x2xf32>
  %y = "top.Reshape"(%1) {shape = [2, 2, 8, 12]} : (tensor<2x2x4x2x6x2xf32>) -> !large loc("y")
  return %y : !large
}

// Blocks that are no squares.
// CHECK-LABEL: @depth_to_space_crd
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 4 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = true, is_inversed = false
// CHECK-NEXT: return
func.func @depth_to_space_crd(%x: !t) -> tensor<2x1x16x12xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 1, 4, 2, 4, 6]} : (!t) -> tensor<2x1x4x2x4x6xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 4, 2, 5, 3]} : (tensor<2x1x4x2x4x6xf32>) -> tensor<2x1x4x4x6x2xf32>
  %y = "top.Reshape"(%1) {shape = [2, 1, 16, 12]} : (tensor<2x1x4x4x6x2xf32>) -> tensor<2x1x16x12xf32>
  return %y : tensor<2x1x16x12xf32>
}

// CHECK-LABEL: @space_to_depth_dcr
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = false, is_inversed = true
// CHECK-NEXT: return
func.func @space_to_depth_dcr(%x: !large) -> !t {
  %0 = "top.Reshape"(%x) {shape = [2, 2, 4, 2, 6, 2]} : (!large) -> tensor<2x2x4x2x6x2xf32>
  %1 = "top.Permute"(%0) {order = [0, 3, 5, 1, 2, 4]} : (tensor<2x2x4x2x6x2xf32>) -> tensor<2x2x2x2x4x6xf32>
  %y = "top.Reshape"(%1) {shape = [2, 8, 4, 6]} : (tensor<2x2x2x2x4x6xf32>) -> !t
  return %y : !t
}

// CHECK-LABEL: @space_to_depth_crd
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 2 : i64, in_is_NCHW = true, is_CRD = true, is_inversed = true
// CHECK-NEXT: return
func.func @space_to_depth_crd(%x: !large) -> !t {
  %0 = "top.Reshape"(%x) {shape = [2, 2, 4, 2, 6, 2]} : (!large) -> tensor<2x2x4x2x6x2xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 3, 5, 2, 4]} : (tensor<2x2x4x2x6x2xf32>) -> tensor<2x2x2x2x4x6xf32>
  %y = "top.Reshape"(%1) {shape = [2, 8, 4, 6]} : (tensor<2x2x2x2x4x6xf32>) -> !t
  return %y : !t
}

// Channels last.
// CHECK-LABEL: @depth_to_space_last_dcr
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = false, is_CRD = false, is_inversed = false, out_is_NCHW = false
// CHECK-NEXT: return
func.func @depth_to_space_last_dcr(%x: tensor<2x4x5x42xf32>) -> tensor<2x8x15x7xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 4, 5, 2, 3, 7]} : (tensor<2x4x5x42xf32>) -> tensor<2x4x5x2x3x7xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 3, 2, 4, 5]} : (tensor<2x4x5x2x3x7xf32>) -> tensor<2x4x2x5x3x7xf32>
  %y = "top.Reshape"(%1) {shape = [2, 8, 15, 7]} : (tensor<2x4x2x5x3x7xf32>) -> tensor<2x8x15x7xf32>
  return %y : tensor<2x8x15x7xf32>
}

// CHECK-LABEL: @depth_to_space_last_crd
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = false, is_CRD = true, is_inversed = false, out_is_NCHW = false
// CHECK-NEXT: return
func.func @depth_to_space_last_crd(%x: tensor<2x4x5x42xf32>) -> tensor<2x8x15x7xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 4, 5, 7, 2, 3]} : (tensor<2x4x5x42xf32>) -> tensor<2x4x5x7x2x3xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 4, 2, 5, 3]} : (tensor<2x4x5x7x2x3xf32>) -> tensor<2x4x2x5x3x7xf32>
  %y = "top.Reshape"(%1) {shape = [2, 8, 15, 7]} : (tensor<2x4x2x5x3x7xf32>) -> tensor<2x8x15x7xf32>
  return %y : tensor<2x8x15x7xf32>
}

// CHECK-LABEL: @space_to_depth_last_dcr
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = false, is_CRD = false, is_inversed = true, out_is_NCHW = false
// CHECK-NEXT: return
func.func @space_to_depth_last_dcr(%x: tensor<2x8x15x7xf32>) -> tensor<2x4x5x42xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 4, 2, 5, 3, 7]} : (tensor<2x8x15x7xf32>) -> tensor<2x4x2x5x3x7xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 3, 2, 4, 5]} : (tensor<2x4x2x5x3x7xf32>) -> tensor<2x4x5x2x3x7xf32>
  %y = "top.Reshape"(%1) {shape = [2, 4, 5, 42]} : (tensor<2x4x5x2x3x7xf32>) -> tensor<2x4x5x42xf32>
  return %y : tensor<2x4x5x42xf32>
}

// CHECK-LABEL: @space_to_depth_last_crd
// CHECK-NEXT: "top.Depth2Space"(%arg0) {block_h = 2 : i64, block_w = 3 : i64, in_is_NCHW = false, is_CRD = true, is_inversed = true, out_is_NCHW = false
// CHECK-NEXT: return
func.func @space_to_depth_last_crd(%x: tensor<2x8x15x7xf32>) -> tensor<2x4x5x42xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 4, 2, 5, 3, 7]} : (tensor<2x8x15x7xf32>) -> tensor<2x4x2x5x3x7xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 3, 5, 2, 4]} : (tensor<2x4x2x5x3x7xf32>) -> tensor<2x4x5x7x2x3xf32>
  %y = "top.Reshape"(%1) {shape = [2, 4, 5, 42]} : (tensor<2x4x5x7x2x3xf32>) -> tensor<2x4x5x42xf32>
  return %y : tensor<2x4x5x42xf32>
}

// Windows of an image, one after the other, are no channels.
// CHECK-LABEL: @windows
// CHECK-NOT: Depth2Space
func.func @windows(%x: tensor<2x8x15x7xf32>) -> tensor<40x6x7xf32> {
  %0 = "top.Reshape"(%x) {shape = [2, 4, 2, 5, 3, 7]} : (tensor<2x8x15x7xf32>) -> tensor<2x4x2x5x3x7xf32>
  %1 = "top.Permute"(%0) {order = [0, 1, 3, 2, 4, 5]} : (tensor<2x4x2x5x3x7xf32>) -> tensor<2x4x5x2x3x7xf32>
  %y = "top.Reshape"(%1) {shape = [40, 6, 7]} : (tensor<2x4x5x2x3x7xf32>) -> tensor<40x6x7xf32>
  return %y : tensor<40x6x7xf32>
}

// Rows and columns of the block are exchanged; an image of another shape.
// CHECK-LABEL: @no_depth_to_space
// CHECK-NOT: Depth2Space
func.func @no_depth_to_space(%x: !t) -> (!large, tensor<2x2x12x8xf32>) {
  %0 = "top.Reshape"(%x) {shape = [2, 2, 2, 2, 4, 6]} : (!t) -> tensor<2x2x2x2x4x6xf32>
  %1 = "top.Permute"(%0) {order = [0, 3, 4, 2, 5, 1]} : (tensor<2x2x2x2x4x6xf32>) -> tensor<2x2x4x2x6x2xf32>
  %2 = "top.Reshape"(%1) {shape = [2, 2, 8, 12]} : (tensor<2x2x4x2x6x2xf32>) -> !large
  %3 = "top.Reshape"(%x) {shape = [2, 2, 2, 2, 4, 6]} : (!t) -> tensor<2x2x2x2x4x6xf32>
  %4 = "top.Permute"(%3) {order = [0, 3, 4, 1, 5, 2]} : (tensor<2x2x2x2x4x6xf32>) -> tensor<2x2x4x2x6x2xf32>
  %5 = "top.Reshape"(%4) {shape = [2, 2, 12, 8]} : (tensor<2x2x4x2x6x2xf32>) -> tensor<2x2x12x8xf32>
  return %2, %5 : !large, tensor<2x2x12x8xf32>
}

// CHECK-LABEL: @depth_to_space_with_a_reader
// CHECK-NOT: Depth2Space
func.func @depth_to_space_with_a_reader(%x: !t) -> (!large, tensor<2x2x4x2x6x2xf32>) {
  %0 = "top.Reshape"(%x) {shape = [2, 2, 2, 2, 4, 6]} : (!t) -> tensor<2x2x2x2x4x6xf32>
  %1 = "top.Permute"(%0) {order = [0, 3, 4, 1, 5, 2]} : (tensor<2x2x2x2x4x6xf32>) -> tensor<2x2x4x2x6x2xf32>
  %y = "top.Reshape"(%1) {shape = [2, 2, 8, 12]} : (tensor<2x2x4x2x6x2xf32>) -> !large
  return %y, %1 : !large, tensor<2x2x4x2x6x2xf32>
}

// CHECK-LABEL: @two_permutes
// CHECK-NEXT: "top.Permute"(%arg0) {order = [0, 1, 3, 2]} : {{.*}} loc("b")
// CHECK-NEXT: return
func.func @two_permutes(%x: !t) -> tensor<2x8x6x4xf32> {
  %a = "top.Permute"(%x) {order = [0, 2, 3, 1]} : (!t) -> tensor<2x4x6x8xf32> loc("a")
  %b = "top.Permute"(%a) {order = [0, 3, 2, 1]} : (tensor<2x4x6x8xf32>) -> tensor<2x8x6x4xf32> loc("b")
  return %b : tensor<2x8x6x4xf32>
}

// Two stay two where somebody reads the first.
// CHECK-LABEL: @two_permutes_with_a_reader
// CHECK-COUNT-2: "top.Permute"
func.func @two_permutes_with_a_reader(%x: !t) -> (tensor<2x8x6x4xf32>, tensor<2x4x6x8xf32>) {
  %a = "top.Permute"(%x) {order = [0, 2, 3, 1]} : (!t) -> tensor<2x4x6x8xf32>
  %b = "top.Permute"(%a) {order = [0, 3, 2, 1]} : (tensor<2x4x6x8xf32>) -> tensor<2x8x6x4xf32>
  return %b, %a : tensor<2x8x6x4xf32>, tensor<2x4x6x8xf32>
}

// There and back: nothing, though somebody reads what is in between.
// CHECK-LABEL: @there_and_back
// CHECK-NEXT: %[[A:.*]] = "top.Permute"(%arg0)
// CHECK-NEXT: %[[Y:.*]] = "top.Tanh"(%arg0)
// CHECK-NEXT: return %[[Y]], %[[A]]
func.func @there_and_back(%x: !t) -> (!t, tensor<2x4x6x8xf32>) {
  %a = "top.Permute"(%x) {order = [0, 2, 3, 1]} : (!t) -> tensor<2x4x6x8xf32>
  %b = "top.Permute"(%a) {order = [0, 3, 1, 2]} : (tensor<2x4x6x8xf32>) -> !t
  %y = "top.Tanh"(%b) : (!t) -> !t
  return %y, %a : !t, tensor<2x4x6x8xf32>
}

// What the network returns keeps its name.
// CHECK-LABEL: @identities
// CHECK-NEXT: %[[Y:.*]] = "top.Tanh"(%arg0) : {{.*}} loc("y")
// CHECK-NEXT: return %[[Y]]
func.func @identities(%x: !t) -> !t {
  %0 = "top.Permute"(%x) {order = [0, 1, 2, 3]} : (!t) -> !t
  %1 = "top.Reshape"(%0) {shape = [2, 8, 4, 6]} : (!t) -> !t
  %2 = "top.Tanh"(%1) : (!t) -> !t loc("tanh")
  %y = "top.Reshape"(%2) {shape = [2, 8, 4, 6]} : (!t) -> !t loc("y")
  return %y : !t
}

// Nobody can take the name over: it is an argument's, or read twice.
// CHECK-LABEL: @identities_that_stay
// CHECK-COUNT-2: "top.Reshape"
func.func @identities_that_stay(%x: !t) -> (!t, !t, !t) {
  %0 = "top.Reshape"(%x) {shape = [2, 8, 4, 6]} : (!t) -> !t loc("copy")
  %1 = "top.Tanh"(%x) : (!t) -> !t loc("tanh")
  %2 = "top.Reshape"(%1) {shape = [2, 8, 4, 6]} : (!t) -> !t loc("y")
  return %0, %1, %2 : !t, !t, !t
}

// CHECK-LABEL: @only_ones_move
// CHECK-NEXT: "top.Reshape"(%arg0) {flatten_start_dim = -1 : i64, shape = [1, 3, 4, 1]} : {{.*}} loc("y")
func.func @only_ones_move(%x: tensor<3x1x4x1xf32>) -> tensor<1x3x4x1xf32> {
  %y = "top.Permute"(%x) {order = [1, 0, 2, 3]} : (tensor<3x1x4x1xf32>) -> tensor<1x3x4x1xf32> loc("y")
  return %y : tensor<1x3x4x1xf32>
}

// An order that is none is nobody's.
// CHECK-LABEL: @no_order
// CHECK-COUNT-2: "top.Permute"
func.func @no_order(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "top.Permute"(%x) {order = [0, 0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = "top.Permute"(%0) {order = [0]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// CHECK-LABEL: @views_in_a_row
// CHECK-NEXT: "top.Reshape"(%arg0) {flatten_start_dim = -1 : i64, shape = [16, 1, 24]} : {{.*}} loc("y")
// CHECK-NEXT: return
func.func @views_in_a_row(%x: !t) -> tensor<16x1x24xf32> {
  %0 = "top.Flatten"(%x) {start_dim = 2 : i64} : (!t) -> tensor<2x8x24xf32>
  %1 = "top.Reshape"(%0) {shape = [16, 24]} : (tensor<2x8x24xf32>) -> tensor<16x24xf32>
  %y = "top.Unsqueeze"(%1) {axes = [1]} : (tensor<16x24xf32>) -> tensor<16x1x24xf32> loc("y")
  return %y : tensor<16x1x24xf32>
}

// CHECK-LABEL: @views_with_a_reader
// CHECK-COUNT-2: "top.Reshape"
func.func @views_with_a_reader(%x: !t) -> (tensor<16x24xf32>, tensor<384xf32>) {
  %0 = "top.Reshape"(%x) {shape = [384]} : (!t) -> tensor<384xf32>
  %1 = "top.Reshape"(%0) {shape = [16, 24]} : (tensor<384xf32>) -> tensor<16x24xf32>
  return %1, %0 : tensor<16x24xf32>, tensor<384xf32>
}

// CHECK-LABEL: @a_weight_in_another_shape
// CHECK-NEXT: %[[W:.*]] = "top.Weight"() : () -> tensor<1x6xf32> loc("w")
// CHECK-NEXT: "top.Add"(%arg0, %[[W]])
func.func @a_weight_in_another_shape(%x: !t) -> !t {
  %w = "top.Weight"() : () -> tensor<6xf32> loc("w")
  %0 = "top.Unsqueeze"(%w) {axes = [0]} : (tensor<6xf32>) -> tensor<1x6xf32>
  %1 = "top.Add"(%x, %0) : (!t, tensor<1x6xf32>) -> !t
  return %1 : !t
}

// CHECK-LABEL: @a_weight_in_two_shapes
// CHECK: "top.Unsqueeze"
func.func @a_weight_in_two_shapes(%x: !t) -> !t {
  %w = "top.Weight"() : () -> tensor<6xf32> loc("w2")
  %0 = "top.Unsqueeze"(%w) {axes = [0]} : (tensor<6xf32>) -> tensor<1x6xf32>
  %1 = "top.Add"(%x, %0) : (!t, tensor<1x6xf32>) -> !t
  %2 = "top.Mul"(%1, %w) : (!t, tensor<6xf32>) -> !t
  return %2 : !t
}

// CHECK-LABEL: @a_weight_that_says_more
// CHECK: "top.Unsqueeze"
func.func @a_weight_that_says_more(%x: !t) -> !t {
  %w = "top.Weight"() {allow_split = [1]} : () -> tensor<6xf32> loc("w3")
  %0 = "top.Unsqueeze"(%w) {axes = [0]} : (tensor<6xf32>) -> tensor<1x6xf32>
  %1 = "top.Add"(%x, %0) : (!t, tensor<1x6xf32>) -> !t
  return %1 : !t
}

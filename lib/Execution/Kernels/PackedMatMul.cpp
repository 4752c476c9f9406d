//===- PackedMatMul.cpp - Multiply by matrices of 4 or 8 bits -------------===//
//
// Unpacks the rows with the scale and zero point of each group, then takes the
// ordinary product.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/MatMul.h"

namespace tpu_mlir::execution {

namespace {

struct PackedShape {
  int64_t columns = 0, depth = 0, group = 0, groups = 0, lanes = 1;
  /// Where the scale of `column` is for the numbers of group 0.
  int64_t scaleRow(int64_t column) const {
    return (column % lanes * (columns / lanes) + column / lanes) * groups;
  }
};

} // namespace

static Outcome readShape(const TensorView &left, const PackedWeight &right,
                         PackedShape &shape) {
  if (Outcome error =
          check({left, right.numbers, right.scales, right.zeroPoints}, {}))
    return error;
  if (left.rank() < 1 || right.numbers.rank() != 2 ||
      (right.bits != 4 && right.bits != 8) ||
      bitsOf(right.numbers.type.element) != 8)
    return KernelError{"a weight [columns, depth] of 4 or 8 bits a number is "
                       "needed"};
  shape.depth = left.type.shape.back();
  shape.columns = right.numbers.dim(0);
  shape.group = right.group > 0 ? right.group : shape.depth;
  if (right.numbers.dim(1) * 8 != shape.depth * right.bits ||
      shape.group == 0 || shape.depth % shape.group != 0)
    return KernelError{"a weight " + describe(right.numbers.type.shape) +
                       " with groups of " + std::to_string(shape.group) +
                       " does not fit a depth of " +
                       std::to_string(shape.depth)};
  shape.groups = shape.depth / shape.group;
  if (right.scales.rank() == 3)
    shape.lanes = right.scales.dim(0);
  if (shape.lanes < 1 || shape.columns % shape.lanes != 0 ||
      right.scales.elements() != shape.columns * shape.groups ||
      right.zeroPoints.elements() != shape.columns * shape.groups)
    return KernelError{"scales or zero points do not fit the weight"};
  return std::nullopt;
}

/// [columns, depth] in f32.
static std::vector<float> unpack(const PackedWeight &right,
                                 const PackedShape &shape) {
  const std::vector<float> scales = floatsOf(right.scales);
  const std::vector<float> zeros = floatsOf(right.zeroPoints);
  const ElementType element =
      right.bits == 4 ? ElementType::U4 : right.numbers.type.element;
  std::vector<float> values(shape.columns * shape.depth);
  readFloats(element, right.numbers.bytes.data(), 0, values.size(),
             values.data());
  for (int64_t column = 0; column < shape.columns; ++column) {
    const int64_t row = shape.scaleRow(column);
    float *numbers = values.data() + column * shape.depth;
    for (int64_t k = 0; k < shape.depth; ++k) {
      const int64_t at = row + k / shape.group;
      numbers[k] = (numbers[k] - zeros[at]) * scales[at];
    }
  }
  return values;
}

Outcome matMulPacked(const TensorView &left, const PackedWeight &right,
                     const TensorView *bias, const FusedRelu &relu,
                     const TensorSpan &result, unsigned threads) {
  PackedShape shape;
  if (Outcome error = readShape(left, right, shape))
    return error;
  Tensor weight(TensorType{ElementType::F32, {shape.columns, shape.depth}});
  store(unpack(right, shape), weight.span());
  MatMul how;
  how.rightTranspose = true;
  how.relu = relu;
  return matMul(how, left, weight.view(), bias, result, threads);
}

} // namespace tpu_mlir::execution

//===- RandomTasks.cpp - Draw random tasks --------------------------------===//
//
// Shapes, windows and types of all families, always valid.
//
//===----------------------------------------------------------------------===//

#include "tests/OneDnn/RandomTasks.h"

#include <cmath>
#include <numeric>

namespace tpu_mlir::test {

using namespace execution;

int64_t RandomTasks::between(int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random() % (most - least + 1));
}

Shape RandomTasks::shapeOf(int64_t rank, int64_t most) {
  Shape shape;
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(between(1, most));
  return shape;
}

TensorView RandomTasks::tensor(Shape shape, float size, float middle) {
  tensors.emplace_back(TensorType{ElementType::F32, std::move(shape), 1, 0});
  std::vector<float> values(tensors.back().view().elements());
  for (float &value : values)
    value = (static_cast<float>(random() % 65536) / 32768.0f - 1.0f) * size +
            middle;
  store(llvm::ArrayRef<float>(values), tensors.back().span());
  return tensors.back().view();
}

OptionalView RandomTasks::coefficients(int64_t count) {
  if (chance(25))
    return std::nullopt;
  return tensor({chance(20) ? 1 : count});
}

FusedRelu RandomTasks::relu() {
  if (chance(60))
    return {};
  return {true, chance(50) ? 0.25 : -1};
}

Shape RandomTasks::narrowed(Shape shape, size_t least) {
  for (int64_t &dim : shape)
    if (chance(25))
      dim = 1;
  while (shape.size() > least && chance(25))
    shape.erase(shape.begin());
  return shape;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// False when no place is left for the window.
bool RandomTasks::drawWindow(Convolution &how, bool isTransposed, Shape &in,
                             Shape &out) {
  const int64_t spatial = chance(60) ? 2 : between(1, 3);
  Shape after;
  for (int64_t i = 0; i < spatial; ++i) {
    const int64_t kernel = between(1, 4), stride = between(1, 3),
                  dilation = chance(60) ? 1 : between(2, 3);
    const int64_t covered = (kernel - 1) * dilation + 1;
    const int64_t before = between(0, covered - 1),
                  behind = between(0, covered - 1);
    in.push_back(between(1, 13));
    how.kernel.push_back(kernel);
    how.strides.push_back(stride);
    how.dilations.push_back(dilation);
    how.pads.push_back(before);
    after.push_back(behind);
    const int64_t room = in.back() + before + behind - covered;
    out.push_back(isTransposed ? (in.back() - 1) * stride + covered - before -
                                     behind + between(0, stride - 1)
                  : room < 0   ? 0
                               : room / stride + 1);
    if (out.back() < 1)
      return false;
  }
  how.pads.append(after.begin(), after.end());
  return true;
}

Task RandomTasks::convolution(bool isTransposed) {
  tensors.clear();
  Convolution how;
  Shape in, out;
  while (!drawWindow(how, isTransposed, in, out)) {
    how = {};
    in.clear(), out.clear();
  }
  how.group = chance(50) ? 1 : between(2, 5);
  how.relu = relu();
  const int64_t inGroup = chance(30) ? 1 : between(1, 19),
                outGroup = chance(30) ? 1 : between(1, 19),
                images = between(1, 2);
  in.insert(in.begin(), {images, inGroup * how.group});
  result = out;
  result.insert(result.begin(), {images, outGroup * how.group});
  Shape filter = {outGroup * how.group, inGroup};
  filter.append(how.kernel.begin(), how.kernel.end());
  return ConvolutionTask{isTransposed, how, tensor(in), tensor(filter),
                         coefficients(result[1])};
}

Task RandomTasks::convolution() { return convolution(false); }
Task RandomTasks::deconvolution() { return convolution(true); }

Task RandomTasks::pooling() {
  tensors.clear();
  Pooling how;
  how.kind = chance(50) ? Pooling::Kind::Max : Pooling::Kind::Average;
  how.countsPads = chance(50);
  how.relu = relu();
  Shape input = shapeOf(2, 4), after;
  result = input;
  for (int64_t i = chance(60) ? 2 : between(1, 3); i > 0; --i) {
    const int64_t kernel = between(1, 4), stride = between(1, 3),
                  before = between(0, kernel - 1),
                  behind = between(0, kernel - 1);
    const int64_t in = between(kernel, 13),
                  room = in + before + behind - kernel;
    how.kernel.push_back(kernel);
    how.strides.push_back(stride);
    how.pads.push_back(before);
    after.push_back(behind);
    input.push_back(in);
    // As in ceil_mode, unless the last window begins behind the input.
    const int64_t more = (room + stride - 1) / stride;
    result.push_back(chance(50) && more * stride < in + before
                         ? more + 1
                         : room / stride + 1);
  }
  how.pads.append(after.begin(), after.end());
  return PoolingTask{how, tensor(input)};
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Task RandomTasks::matrices() {
  tensors.clear();
  MatMul how;
  const int64_t rank = between(2, 5);
  how.leftTranspose = chance(40), how.rightTranspose = chance(40);
  how.headsInside = rank > 2 && chance(30);
  how.outputTranspose = chance(20);
  how.relu = relu();
  const int64_t rows = between(1, 33), depth = between(1, 300),
                columns = between(1, 33);
  const size_t heads = how.headsInside ? 1 : 0;
  const Shape batch = shapeOf(rank - 2, 4);
  auto stored = [&](Shape stack, int64_t height, int64_t width,
                    bool isTransposed) {
    stack.append({height, width});
    const size_t last = stack.size() - 1;
    if (isTransposed)
      std::swap(stack[last - 1], stack[last]);
    if (how.headsInside)
      std::swap(stack[last - 2], stack[last - 1]);
    return stack;
  };
  result = stored(batch, rows, columns, how.outputTranspose);
  return MatMulTask{
      how,
      tensor(stored(narrowed(batch, heads), rows, depth, how.leftTranspose)),
      tensor(
          stored(narrowed(batch, heads), depth, columns, how.rightTranspose)),
      coefficients(columns)};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Task RandomTasks::softmax() {
  tensors.clear();
  result = shapeOf(between(1, 4), 40);
  const int64_t rank = result.size();
  return SoftmaxTask{tensor(result, 5), between(-rank, rank - 1), 1,
                     chance(30)};
}

Task RandomTasks::layerNorm() {
  tensors.clear();
  result = shapeOf(between(1, 4), 17);
  const int64_t rank = result.size(), axis = between(0, rank - 1);
  const int64_t row = countOf(result, axis, rank);
  return LayerNormTask{tensor(result, 3, 1), axis, 1e-5, coefficients(row),
                       coefficients(row)};
}

Task RandomTasks::groupNorm() {
  tensors.clear();
  result = shapeOf(between(2, 5), 7);
  const int64_t groups = between(1, 4);
  result[1] *= groups;
  return GroupNormTask{tensor(result, 3, 1), groups, 1e-5,
                       coefficients(result[1]), coefficients(result[1])};
}

Task RandomTasks::scale() {
  tensors.clear();
  result = shapeOf(between(2, 5));
  return ScaleTask{tensor(result), coefficients(result[1]),
                   coefficients(result[1]), relu()};
}

Task RandomTasks::reduction() {
  tensors.clear();
  const auto kind = static_cast<Reduction>(between(0, 6));
  const bool isProduct = kind == Reduction::Product;
  // Neither too large nor too small for F32.
  const Shape input = shapeOf(between(1, 5), isProduct ? 3 : 9);
  result = input;
  Shape axes;
  for (size_t dim = 0; dim < input.size(); ++dim)
    if (chance(50) || (axes.empty() && dim + 1 == input.size())) {
      axes.push_back(dim);
      result[dim] = 1;
    }
  return ReductionTask{
      kind, isProduct ? tensor(input, 0.5f, 1.25f) : tensor(input), axes};
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Task RandomTasks::combination() {
  tensors.clear();
  result = shapeOf(between(1, 5));
  Views operands = {tensor(result)};
  for (int64_t i = chance(80) ? 1 : 2; i > 0; --i)
    operands.push_back(
        tensor(chance(50) ? result : narrowed(result, 1), 1, 0.1f));
  if (chance(20))
    std::swap(operands[0], operands[1]);
  return CombinationTask{static_cast<Binary>(between(0, 5)), operands, relu()};
}

Task RandomTasks::constant() {
  tensors.clear();
  result = shapeOf(between(0, 5));
  return ConstantTask{static_cast<Binary>(between(0, 5)), tensor(result, 1, 3),
                      static_cast<double>(between(-20, 20)) / 8, chance(30),
                      relu()};
}

Task RandomTasks::function() {
  tensors.clear();
  result = shapeOf(between(0, 5));
  const auto function =
      static_cast<Function>(between(0, static_cast<int64_t>(Function::Tanh)));
  const bool isPositive =
      function == Function::Log || function == Function::Sqrt ||
      function == Function::Rsqrt || function == Function::Reciprocal ||
      function == Function::Power;
  return FunctionTask{function,
                      {0.5, 0.25},
                      isPositive ? tensor(result, 4, 4.5f) : tensor(result, 8),
                      relu()};
}

Task RandomTasks::clip() {
  tensors.clear();
  result = shapeOf(between(0, 5));
  return ClipTask{tensor(result, 2), -0.5, chance(50) ? 1.5 : INFINITY};
}

Task RandomTasks::leakyRelu() {
  tensors.clear();
  result = shapeOf(between(0, 5));
  return LeakyReluTask{tensor(result), chance(20) ? -0.25 : 0.1};
}

Task RandomTasks::prelu() {
  tensors.clear();
  result = shapeOf(between(2, 5));
  Shape slope(result.size(), 1);
  slope[1] = chance(20) ? 1 : result[1];
  return PReluTask{tensor(result), tensor(slope)};
}

//===----------------------------------------------------------------------===//
// Elements in other places
//===----------------------------------------------------------------------===//

Task RandomTasks::permute() {
  tensors.clear();
  const Shape input = shapeOf(between(1, 6), 7);
  Shape order(input.size());
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[between(0, i)]);
  result.clear();
  for (int64_t dim : order)
    result.push_back(input[dim]);
  return PermuteTask{tensor(input), order};
}

Task RandomTasks::concat() {
  tensors.clear();
  result = shapeOf(between(1, 5));
  const int64_t axis = between(0, result.size() - 1);
  Views operands;
  int64_t whole = 0;
  for (int64_t i = between(1, 5); i > 0; --i) {
    Shape part = result;
    part[axis] = between(1, 9);
    whole += part[axis];
    operands.push_back(tensor(part));
  }
  result[axis] = whole;
  return ConcatTask{operands, axis};
}

Task RandomTasks::upsample() {
  tensors.clear();
  const Shape input = shapeOf(4);
  const Shape scales = {1, 1, between(1, 4), between(1, 4)};
  result = input;
  result[2] *= scales[2], result[3] *= scales[3];
  return UpsampleTask{tensor(input), scales};
}

Task RandomTasks::interpolation() {
  tensors.clear();
  Interpolation how;
  how.mode =
      chance(60) ? Interpolation::Mode::Linear : Interpolation::Mode::Nearest;
  how.coordinates = static_cast<Interpolation::Coordinates>(between(0, 3));
  const Shape input = shapeOf(4);
  result = input;
  for (size_t dim : {2, 3})
    result[dim] = chance(50) ? input[dim] * between(1, 4) : between(1, 20);
  return InterpolationTask{how, tensor(input)};
}

} // namespace tpu_mlir::test

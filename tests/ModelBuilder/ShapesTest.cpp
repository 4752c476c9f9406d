//===- ShapesTest.cpp - Every shape, computed a second time ---------------===//
//
// From operands and attributes alone, without the builder's formulas.
//
//===----------------------------------------------------------------------===//

#include "Networks.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <map>

using namespace mlir;

namespace tpu_mlir {
namespace {

std::vector<int64_t> numbers(Operation *op, StringRef name) {
  std::vector<int64_t> result;
  for (Attribute value : op->getAttrOfType<ArrayAttr>(name))
    result.push_back(cast<IntegerAttr>(value).getInt());
  return result;
}
int64_t number(Operation *op, StringRef name) {
  return cast<IntegerAttr>(op->getAttr(name)).getValue().getSExtValue();
}

/// Counts the places of a window, one after the other.
int64_t places(int64_t size, int64_t kernel, int64_t stride, int64_t before,
               int64_t after) {
  int64_t count = 0;
  for (int64_t start = -before; start + kernel <= size + after; start += stride)
    ++count;
  return count;
}

/// The window with what is between its pixels.
std::vector<int64_t> spans(Operation *op) {
  std::vector<int64_t> kernel = numbers(op, "kernel_shape");
  if (op->hasAttr("dilations"))
    for (auto [size, gap] : llvm::zip_equal(kernel, numbers(op, "dilations")))
      size += (size - 1) * (gap - 1);
  return kernel;
}

Shape windowed(Operation *op, int64_t channels) {
  Shape shape = shapeOf(op->getOperand(0));
  auto kernel = spans(op), strides = numbers(op, "strides"),
       pads = numbers(op, "pads");
  return {shape[0], channels,
          places(shape[2], kernel[0], strides[0], pads[0], pads[2]),
          places(shape[3], kernel[1], strides[1], pads[1], pads[3])};
}

Shape convolved(Operation *op) {
  Shape in = shapeOf(op->getOperand(0)), filter = shapeOf(op->getOperand(1));
  EXPECT_EQ(filter[1] * number(op, "group"), in[1]);
  EXPECT_EQ(filter[0] % number(op, "group"), 0);
  EXPECT_EQ(Shape(filter.begin() + 2, filter.end()),
            numbers(op, "kernel_shape"));
  return windowed(op, filter[0]);
}

/// A window of each input pixel side by side, as the kernel is the stride.
Shape deconvolved(Operation *op) {
  Shape in = shapeOf(op->getOperand(0)), filter = shapeOf(op->getOperand(1));
  EXPECT_EQ(numbers(op, "kernel_shape"), numbers(op, "strides"));
  EXPECT_EQ(filter[1], in[1]);
  return {in[0], filter[0], in[2] * filter[2], in[3] * filter[3]};
}

Shape multiplied(Operation *op) {
  Shape left = shapeOf(op->getOperand(0)), right = shapeOf(op->getOperand(1));
  EXPECT_EQ(left.back(), right[right.size() - 2]);
  if (right.size() > 2) {
    EXPECT_EQ(Shape(left.begin(), left.end() - 2),
              Shape(right.begin(), right.end() - 2));
  }
  left.back() = right.back();
  return left;
}

Shape concatenated(Operation *op) {
  Shape shape = shapeOf(op->getOperand(0));
  int64_t axis = number(op, "axis");
  shape[axis] = 0;
  for (Value piece : op->getOperands())
    shape[axis] += shapeOf(piece)[axis];
  return shape;
}

Shape sliced(Operation *op) {
  Shape shape = shapeOf(op->getOperand(0));
  auto offset = numbers(op, "offset"), ends = numbers(op, "ends");
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    EXPECT_LE(ends[dim], shape[dim]);
    shape[dim] = ends[dim] - offset[dim];
  }
  return shape;
}

Shape permuted(Operation *op) {
  Shape in = shapeOf(op->getOperand(0)), shape;
  for (int64_t dim : numbers(op, "order"))
    shape.push_back(in[dim]);
  return shape;
}

Shape gathered(Operation *op) {
  Shape shape = shapeOf(op->getOperand(1)), table = shapeOf(op->getOperand(0));
  shape.insert(shape.end(), table.begin() + 1, table.end());
  return shape;
}

Shape upsampled(Operation *op) {
  Shape shape = shapeOf(op->getOperand(0));
  shape[2] *= number(op, "scale_h");
  shape[3] *= number(op, "scale_w");
  return shape;
}

/// The larger of what meets, which must be equal or 1.
Shape broadcasted(Operation *op) {
  Shape shape = shapeOf(op->getResult(0));
  std::vector<int64_t> largest(shape.size(), 1);
  for (Value operand : op->getOperands()) {
    Shape given = shapeOf(operand);
    Shape padded(shape.size() - given.size(), 1);
    padded.insert(padded.end(), given.begin(), given.end());
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      EXPECT_TRUE(padded[dim] == 1 || padded[dim] == shape[dim]);
      largest[dim] = std::max(largest[dim], padded[dim]);
    }
  }
  return largest;
}

Shape expected(Operation *op) {
  static const std::map<std::string, Shape (*)(Operation *)> kRules = {
      {"Conv", convolved},    {"Conv2D", convolved},    {"Deconv", deconvolved},
      {"MatMul", multiplied}, {"Concat", concatenated}, {"Slice", sliced},
      {"Permute", permuted},  {"Gather", gathered},     {"Upsample", upsampled},
      {"Add", broadcasted},   {"Mul", broadcasted}};
  std::string kind = kindOf(op);
  if (kind == "MaxPool" || kind == "AvgPool" || kind == "Pool2D")
    return windowed(op, shapeOf(op->getOperand(0))[1]);
  if (kind == "Reshape")
    return numbers(op, "shape");
  auto rule = kRules.find(kind);
  return rule == kRules.end() ? shapeOf(op->getOperand(0)) : rule->second(op);
}

TEST_P(EveryModel, HasTheShapesOfItsLayers) {
  Network network(given());
  for (Operation *op : network.layers()) {
    EXPECT_EQ(shapeOf(op->getResult(0)), expected(op)) << nameOf(op);
    if (kindOf(op) == "Reshape") {
      EXPECT_EQ(elements(op->getResult(0)), elements(op->getOperand(0)))
          << nameOf(op);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryModel,
                         testing::Combine(testing::ValuesIn(modelNames()),
                                          testing::Values(Level::Top,
                                                          Level::Tpu)),
                         testName);

} // namespace
} // namespace tpu_mlir

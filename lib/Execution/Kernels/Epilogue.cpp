//===- Epilogue.cpp - Prologue and epilogue of kernels --------------------===//
//
// Reading operands as numbers, biases, fused ReLU, requantization, and storing
// with one rounding.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"

#include <algorithm>
#include <cmath>

namespace tpu_mlir::execution {

std::vector<float> numbersOf(const TensorView &view) {
  std::vector<float> values = floatsOf(view);
  const TensorType &type = view.type;
  if (type.scale == 1 && type.zeroPoint == 0)
    return values;
  for (float &value : values)
    value = static_cast<float>((value - type.zeroPoint) * type.scale);
  return values;
}

std::vector<double> exactNumbers(const TensorView &view) {
  if (isFloat(view.type.element)) {
    const std::vector<float> values = floatsOf(view);
    return std::vector<double>(values.begin(), values.end());
  }
  const std::vector<int64_t> values = integersOf(view);
  return std::vector<double>(values.begin(), values.end());
}

void storeNumbers(llvm::ArrayRef<double> values, const TensorSpan &to) {
  if (isFloat(to.type.element))
    return store(std::vector<float>(values.begin(), values.end()), to);
  std::vector<int64_t> whole;
  whole.reserve(values.size());
  for (double value : values)
    whole.push_back(std::isnan(value)
                        ? 0
                        : std::llround(std::clamp(value, -0x1p62, 0x1p62)));
  store(whole, to);
}

Outcome readBias(const TensorView *bias, int64_t channels,
                 std::optional<BiasOf> &to) {
  if (!bias)
    return std::nullopt;
  if (Outcome error = check(*bias, {}))
    return error;
  if (bias->elements() != 1 && bias->elements() != channels)
    return KernelError{"the bias has " + std::to_string(bias->elements()) +
                       " elements for " + std::to_string(channels) +
                       " channels"};
  to = BiasOf{numbersOf(*bias)};
  return std::nullopt;
}

Outcome readIntegers(const Requant &requant, const FusedRelu &relu,
                     const TensorView &left, const TensorView &right,
                     const TensorView *bias, int64_t channels,
                     const TensorSpan &result, std::vector<int64_t> &to) {
  for (ElementType element : {left.type.element, right.type.element})
    if (isFloat(element) || bitsOf(element) > 8)
      return KernelError{"requantized are sums of products of 8 bits, not of " +
                         std::string(nameOf(element))};
  if (isFloat(result.type.element) || relu.limit >= 0)
    return KernelError{"a requantized result is no float and has no limit"};
  if (Outcome error = checkRequant(requant, channels))
    return error;
  to.assign(channels, 0);
  if (!bias)
    return std::nullopt;
  if (Outcome error = check(*bias, {}))
    return error;
  if (bias->elements() != channels || isFloat(bias->type.element))
    return KernelError{"the bias " + describe(bias->type.shape) +
                       " is no integer for each of " +
                       std::to_string(channels) + " channels"};
  to = integersOf(*bias);
  return std::nullopt;
}

Outcome readDifferences(const TensorView &view, int64_t zeroPoint,
                        std::vector<float> &to) {
  if (zeroPoint < leastOf(view.type.element) ||
      zeroPoint > largestOf(view.type.element))
    return KernelError{"the zero point " + std::to_string(zeroPoint) +
                       " is no " + nameOf(view.type.element)};
  to = floatsOf(view);
  for (float &value : to)
    value -= static_cast<float>(zeroPoint);
  return std::nullopt;
}

Outcome checkSameCount(const TensorView &input, const TensorSpan &result) {
  if (Outcome error = check({input}, {result}))
    return error;
  if (input.elements() != result.elements())
    return KernelError{describe(input.type.shape) + " and " +
                       describe(result.type.shape) +
                       " do not have the same number of elements"};
  return std::nullopt;
}

} // namespace tpu_mlir::execution

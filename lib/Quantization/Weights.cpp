//===- Weights.cpp - Filters, biases and tables as integers ---------------===//

#include "tpu_mlir/Quantization/Weights.h"

#include "tpu_mlir/Execution/Element.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tpu_mlir::quantization {

bool areFinite(llvm::ArrayRef<float> numbers) {
  return llvm::all_of(numbers, [](float each) { return std::isfinite(each); });
}

static double largestOf(llvm::ArrayRef<float> values) {
  double largest = 0;
  for (float value : values)
    largest = std::max<double>(largest, std::abs(value));
  return largest;
}

static int64_t rounded(double value, int64_t least, int64_t most) {
  if (std::isnan(value))
    return 0;
  return static_cast<int64_t>(
      std::clamp<double>(std::round(value), least, most));
}

static int32_t biasOf(double value) {
  return static_cast<int32_t>(rounded(value,
                                      std::numeric_limits<int32_t>::min(),
                                      std::numeric_limits<int32_t>::max()));
}

IntegerWeights quantizeForQdm(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias, int64_t channels,
                              const LayerScales &scales) {
  IntegerWeights result;
  result.weights.reserve(weights.size());
  const size_t row = weights.size() / std::max<int64_t>(channels, 1);
  const double ratio = scales.input / scales.output;
  for (int64_t c = 0; c < channels; ++c) {
    llvm::ArrayRef<float> own = weights.slice(c * row, row);
    double real = std::min(largestOf(own) * ratio / 127, 0.999999);
    if (!bias.empty()) {
      const double needed =
          std::abs(bias[c]) / (0.998 * 0x1p31 * scales.output);
      if (needed > real && needed < 1)
        real = needed;
    }
    // The least that a factor can be.
    real = std::max(real, 0x1p-32);
    for (float weight : own)
      result.weights.push_back(
          static_cast<int16_t>(rounded(weight * ratio / real, -128, 127)));
    if (!bias.empty())
      result.bias.push_back(biasOf(bias[c] / scales.output / real));
    result.factors.push_back(qdmFactor(real));
  }
  return result;
}

IntegerWeights quantizeForShift(llvm::ArrayRef<float> weights,
                                llvm::ArrayRef<float> bias, int64_t channels,
                                const LayerScales &scales) {
  IntegerWeights result;
  result.weights.reserve(weights.size());
  result.isSigned =
      !bias.empty() || std::any_of(weights.begin(), weights.end(),
                                   [](float weight) { return weight < 0; });
  const int64_t most = result.isSigned ? 127 : 255;
  const size_t row = weights.size() / std::max<int64_t>(channels, 1);
  for (int64_t c = 0; c < channels; ++c) {
    llvm::ArrayRef<float> own = weights.slice(c * row, row);
    const double scale = std::max(largestOf(own) / most, 1e-5);
    int64_t sum = 0;
    for (float weight : own) {
      const int64_t element =
          rounded(weight / scale, result.isSigned ? -128 : 0, most);
      sum += element;
      result.weights.push_back(static_cast<int16_t>(element));
    }
    const double offset = static_cast<double>(scales.inputZeroPoint * sum);
    if (!bias.empty() || scales.inputZeroPoint != 0)
      result.bias.push_back(biasOf(
          (bias.empty() ? 0 : bias[c] / (scale * scales.input)) - offset));
    result.factors.push_back(wideFactor(scale * scales.input / scales.output));
  }
  return result;
}

/// What the zero point of the input adds to each column.
static std::vector<int64_t> sumsOfColumns(llvm::ArrayRef<int16_t> weights,
                                          int64_t columns, bool isTurned) {
  std::vector<int64_t> sums(columns);
  const int64_t count = static_cast<int64_t>(weights.size());
  const int64_t depth = std::max<int64_t>(count / columns, 1);
  for (int64_t i = 0; i < count; ++i)
    sums[isTurned ? i / depth : i % columns] += weights[i];
  return sums;
}

IntegerWeights quantizeMatrix(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias,
                              const LayerScales &scales, Scheme scheme,
                              int64_t columns, bool isTurned) {
  double scale = std::max(largestOf(weights) / 127, 1e-5);
  double real = scale * scales.input / scales.output;
  if (scheme == Scheme::Qdm) {
    // A bias has 31 bits, and a factor is less than one.
    const double needed = largestOf(bias) / (0.998 * 0x1p31 * scales.output);
    real = std::min(real, 0.999999);
    if (needed > real && needed < 1)
      real = needed;
    scale = real * scales.output / scales.input;
  }
  IntegerWeights result;
  result.factors.push_back(scheme == Scheme::Qdm ? qdmFactor(real)
                                                 : wideFactor(real));
  for (float weight : weights)
    result.weights.push_back(
        static_cast<int16_t>(rounded(weight / scale, -128, 127)));
  if (scales.inputZeroPoint == 0 || columns < 1) {
    for (float number : bias)
      result.bias.push_back(biasOf(number / (scale * scales.input)));
    return result;
  }
  const auto sums = sumsOfColumns(result.weights, columns, isTurned);
  for (int64_t c = 0; c < columns; ++c) {
    const double own = bias.empty() ? 0 : bias[bias.size() == 1 ? 0 : c];
    result.bias.push_back(
        biasOf(own / (scale * scales.input) -
               static_cast<double>(scales.inputZeroPoint * sums[c])));
  }
  return result;
}

std::optional<IntegerConstant> quantizeConstant(llvm::ArrayRef<float> numbers,
                                                bool mayBeUnsigned) {
  if (!areFinite(numbers))
    return std::nullopt;
  IntegerConstant result;
  result.isSigned = !mayBeUnsigned ||
                    llvm::any_of(numbers, [](float each) { return each < 0; });
  const int64_t most = result.isSigned ? 127 : 255;
  result.scale = std::max(largestOf(numbers), 1e-5) / most;
  for (float number : numbers)
    result.elements.push_back(static_cast<int16_t>(
        rounded(number / result.scale, result.isSigned ? -128 : 0, most)));
  return result;
}

std::optional<ChannelFactors> quantizeChannels(llvm::ArrayRef<float> factors,
                                               llvm::ArrayRef<float> bias,
                                               const LayerScales &scales) {
  if (!areFinite(factors) || !areFinite(bias))
    return std::nullopt;
  ChannelFactors result;
  for (size_t c = 0; c < factors.size(); ++c) {
    const double factor = factors[c] * scales.input / scales.output;
    const double addend = bias.empty() ? 0 : bias[c] / scales.output;
    int64_t shift = 0;
    const auto fits = [&](int64_t by) {
      return std::abs(std::ldexp(factor, by)) < 127.5 &&
             std::abs(std::ldexp(addend, by)) < 32767.5;
    };
    if (!fits(0))
      return std::nullopt;
    while (shift < 15 && fits(shift + 1))
      ++shift;
    result.factors.push_back(
        static_cast<int16_t>(rounded(std::ldexp(factor, shift), -127, 127)));
    if (!bias.empty())
      result.bias.push_back(static_cast<int16_t>(
          rounded(std::ldexp(addend, shift), -32767, 32767)));
    result.shifts.push_back(static_cast<int16_t>(shift));
  }
  return result;
}

Float8Weights quantizeToFloat8(llvm::ArrayRef<float> weights, int64_t rows) {
  using execution::ElementType;
  Float8Weights result;
  const size_t row = weights.size() / std::max<int64_t>(rows, 1);
  const double largest = execution::largestFloat8(ElementType::F8E4M3);
  std::vector<float> scaled;
  scaled.reserve(weights.size());
  for (int64_t r = 0; r < rows; ++r) {
    llvm::ArrayRef<float> own = weights.slice(r * row, row);
    const double scale = std::max(largestOf(own), 1e-5) / largest;
    for (float weight : own)
      scaled.push_back(static_cast<float>(weight / scale));
    result.scales.push_back(scale);
  }
  result.weights.resize(scaled.size());
  execution::writeFloats(ElementType::F8E4M3, result.weights.data(), 0,
                         static_cast<int64_t>(scaled.size()), scaled.data());
  return result;
}

std::vector<uint8_t> bytesOf(llvm::ArrayRef<int16_t> elements) {
  return {elements.begin(), elements.end()};
}

/// The lowest byte first.
template <typename Number>
static std::vector<uint8_t> littleEndian(llvm::ArrayRef<Number> numbers) {
  std::vector<uint8_t> bytes(sizeof(Number) * numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    llvm::support::endian::write<Number, llvm::endianness::little>(
        bytes.data() + sizeof(Number) * i, numbers[i]);
  return bytes;
}

std::vector<uint8_t> wideBytesOf(llvm::ArrayRef<int16_t> numbers) {
  return littleEndian(numbers);
}

std::vector<uint8_t> bytesOf(llvm::ArrayRef<int32_t> numbers) {
  return littleEndian(numbers);
}

uint8_t elementOf(double number, const ElementScale &scale) {
  return static_cast<uint8_t>(rounded(number / scale.scale + scale.zeroPoint,
                                      scale.isSigned ? -128 : 0,
                                      scale.isSigned ? 127 : 255));
}

std::array<uint8_t, 256> tableOf(const std::function<double(double)> &function,
                                 const ElementScale &from,
                                 const ElementScale &to) {
  std::array<uint8_t, 256> table;
  for (int64_t i = 0; i < 256; ++i) {
    const int64_t element =
        from.isSigned ? static_cast<int8_t>(static_cast<uint8_t>(i)) : i;
    table[i] = elementOf(function((element - from.zeroPoint) * from.scale), to);
  }
  return table;
}

} // namespace tpu_mlir::quantization

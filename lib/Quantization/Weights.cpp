//===- Weights.cpp - Filters, biases and tables as integers ---------------===//

#include "tpu_mlir/Quantization/Weights.h"

#include "llvm/Support/Endian.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tpu_mlir::quantization {

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

IntegerWeights quantizeMatrix(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias,
                              const LayerScales &scales, Scheme scheme) {
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
  for (float number : bias)
    result.bias.push_back(biasOf(number / (scale * scales.input)));
  return result;
}

std::vector<uint8_t> bytesOf(llvm::ArrayRef<int16_t> elements) {
  return {elements.begin(), elements.end()};
}

std::vector<uint8_t> bytesOf(llvm::ArrayRef<int32_t> numbers) {
  std::vector<uint8_t> bytes(4 * numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    llvm::support::endian::write32le(bytes.data() + 4 * i,
                                     static_cast<uint32_t>(numbers[i]));
  return bytes;
}

std::array<uint8_t, 256> tableOf(const std::function<double(double)> &function,
                                 const ElementScale &from,
                                 const ElementScale &to) {
  std::array<uint8_t, 256> table;
  for (int64_t i = 0; i < 256; ++i) {
    const int64_t element =
        from.isSigned ? static_cast<int8_t>(static_cast<uint8_t>(i)) : i;
    const double value =
        function((element - from.zeroPoint) * from.scale) / to.scale +
        to.zeroPoint;
    table[i] = static_cast<uint8_t>(
        rounded(value, to.isSigned ? -128 : 0, to.isSigned ? 127 : 255));
  }
  return table;
}

} // namespace tpu_mlir::quantization

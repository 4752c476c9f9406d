//===- Weights.h - Filters, biases and tables as integers -------*- C++ -*-===//
//
// Symmetric: a weight w of channel c is q * scale_c, a channel's largest one
// 127. What a sum has to be multiplied with to become an element of the result
// is a factor of the channel.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_WEIGHTS_H
#define TPU_MLIR_QUANTIZATION_WEIGHTS_H

#include "tpu_mlir/Quantization/Factors.h"
#include "tpu_mlir/Quantization/Scheme.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace tpu_mlir::quantization {

/// What is not has no scale: the layer stays a float. O(numbers).
bool areFinite(llvm::ArrayRef<float> numbers);

/// Elements as they are stored: signed or not, one byte each.
struct IntegerWeights {
  std::vector<int16_t> weights; ///< In the order of the floats.
  bool isSigned = true;
  std::vector<int32_t> bias;   ///< One a channel; empty without one.
  std::vector<Factor> factors; ///< One a channel.
};

/// What a layer's numbers are multiplied with on the way in and out.
struct LayerScales {
  double input = 1, output = 1;
  int64_t inputZeroPoint = 0;
};

/// For chips that multiply by a 31-bit fraction (qdmFactor). `weights` has
/// `channels` rows. A row's factor is at least what its bias needs to fit into
/// 31 bits. Empty `bias`: none. O(weights).
IntegerWeights quantizeForQdm(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias, int64_t channels,
                              const LayerScales &scales);

/// For chips that multiply and shift (wideFactor). Rows of weights without a
/// negative one are unsigned where all rows are so and there is no bias.
/// O(weights).
IntegerWeights quantizeForShift(llvm::ArrayRef<float> weights,
                                llvm::ArrayRef<float> bias, int64_t channels,
                                const LayerScales &scales);

/// A matrix whose elements have one scale, with one factor; signed. A zero
/// point of the input is taken off by the bias, which then has a number for
/// each of `columns`: those of the weights' last dimension, or with `isTurned`
/// its rows. O(weights + bias).
IntegerWeights quantizeMatrix(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias,
                              const LayerScales &scales, Scheme scheme,
                              int64_t columns = 0, bool isTurned = false);

/// A constant beside activations: elements with one scale, unsigned where no
/// number is negative and `mayBeUnsigned`. nullopt for numbers that are not all
/// finite. O(numbers).
struct IntegerConstant {
  std::vector<int16_t> elements;
  double scale = 1;
  bool isSigned = true;
};
std::optional<IntegerConstant> quantizeConstant(llvm::ArrayRef<float> numbers,
                                                bool mayBeUnsigned);

/// y = x * factor + bias for each of channels in integers: (x * factors[c] +
/// bias[c]) / 2^shifts[c], factors of 8 bits, the bias of 16. nullopt where a
/// number is not finite, or the bias does not fit without cutting off the
/// factor. Empty `bias`: none. O(channels).
struct ChannelFactors {
  std::vector<int16_t> factors;
  std::vector<int16_t> bias, shifts;
};
std::optional<ChannelFactors> quantizeChannels(llvm::ArrayRef<float> factors,
                                               llvm::ArrayRef<float> bias,
                                               const LayerScales &scales);

/// Floats of 8 bits (E4M3): a row's largest number is the largest of these.
struct Float8Weights {
  std::vector<uint8_t> weights; ///< As they are stored.
  std::vector<double> scales;   ///< One a row.
};
Float8Weights quantizeToFloat8(llvm::ArrayRef<float> weights, int64_t rows);

/// As they are stored: a byte each; two, and four, little-endian ones.
std::vector<uint8_t> bytesOf(llvm::ArrayRef<int16_t> elements);
std::vector<uint8_t> wideBytesOf(llvm::ArrayRef<int16_t> numbers);
std::vector<uint8_t> bytesOf(llvm::ArrayRef<int32_t> numbers);

/// Elements of 8 bits and what they stand for.
struct ElementScale {
  double scale = 1;
  int64_t zeroPoint = 0;
  bool isSigned = true;
};

/// The byte of the element that is nearest to a number, saturated; 0 for what
/// is no number.
uint8_t elementOf(double number, const ElementScale &scale);

/// The table of a function: entry i is the result for the element whose byte is
/// i, saturated. A result that is no number is 0.
std::array<uint8_t, 256> tableOf(const std::function<double(double)> &function,
                                 const ElementScale &from,
                                 const ElementScale &to);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_WEIGHTS_H

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
#include <vector>

namespace tpu_mlir::quantization {

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

/// A matrix whose elements have one scale, with one factor; signed. The input
/// has no zero point. O(weights + bias).
IntegerWeights quantizeMatrix(llvm::ArrayRef<float> weights,
                              llvm::ArrayRef<float> bias,
                              const LayerScales &scales, Scheme scheme);

/// As they are stored: a byte each, and four little-endian ones.
std::vector<uint8_t> bytesOf(llvm::ArrayRef<int16_t> elements);
std::vector<uint8_t> bytesOf(llvm::ArrayRef<int32_t> numbers);

/// Elements of 8 bits and what they stand for.
struct ElementScale {
  double scale = 1;
  int64_t zeroPoint = 0;
  bool isSigned = true;
};

/// The table of a function: entry i is the result for the element whose byte is
/// i, saturated. A result that is no number is 0.
std::array<uint8_t, 256> tableOf(const std::function<double(double)> &function,
                                 const ElementScale &from,
                                 const ElementScale &to);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_WEIGHTS_H

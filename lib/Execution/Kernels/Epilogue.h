//===- Epilogue.h - What kernels have in common -----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_KERNELS_EPILOGUE_H
#define TPU_MLIR_LIB_EXECUTION_KERNELS_EPILOGUE_H

#include "tpu_mlir/Execution/MatMul.h"
#include "tpu_mlir/Support/Bytes.h"

#include <cmath>

namespace tpu_mlir::execution {

/// At the nearer end of the type where it is no int64_t: those of Support are
/// for bytes, which are not negative.
inline int64_t saturatedProduct(int64_t a, int64_t b) {
  return checkedMul(a, b).value_or((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN);
}
inline int64_t saturatedSum(int64_t a, int64_t b) {
  return checkedAdd(a, b).value_or(a < 0 ? INT64_MIN : INT64_MAX);
}

/// One number for all channels, or one for each.
struct BiasOf {
  std::vector<float> values;
  float at(int64_t channel) const {
    return values.size() == 1 ? values[0] : values[channel];
  }
};

/// As numbers: (q - zeroPoint) * scale of integers, in f32.
std::vector<float> numbersOf(const TensorView &view);

/// All elements, exactly: f64 holds those of every type. The other way they are
/// rounded as in Element.h.
std::vector<double> exactNumbers(const TensorView &view);
void storeNumbers(llvm::ArrayRef<double> values, const TensorSpan &to);

/// The bias, when there is one; an error when it has neither 1 nor `channels`
/// elements.
Outcome readBias(const TensorView *bias, int64_t channels,
                 std::optional<BiasOf> &to);

/// An error unless sums of products of the elements of both, of 8 bits at most,
/// can become integers of the result by `requant`, a channel each; the bias, 0
/// where there is none, goes to `to`.
Outcome readIntegers(const Requant &requant, const FusedRelu &relu,
                     const TensorView &left, const TensorView &right,
                     const TensorView *bias, int64_t channels,
                     const TensorSpan &result, std::vector<int64_t> &to);

/// The elements less `zeroPoint`, an error unless that is one of their type:
/// products of two such differences of 8 bits are those of 8 bits to a sum.
Outcome readDifferences(const TensorView &view, int64_t zeroPoint,
                        std::vector<float> &to);

/// The element that an exact sum becomes.
inline int64_t finish(int64_t sum, llvm::ArrayRef<int64_t> bias,
                      int64_t channel, const Requant &requant,
                      const FusedRelu &relu) {
  const int64_t value = requant.apply(sum + bias[channel], channel);
  return relu.isOn ? std::max(value, requant.offset) : value;
}

/// An error unless both are well formed and have as many elements.
Outcome checkSameCount(const TensorView &input, const TensorSpan &result);

/// Of two floats, a NaN where one of them is: as in numpy.
template <typename Float> Float largerOf(Float a, Float b) {
  return std::isnan(a) || a > b ? a : b;
}
template <typename Float> Float smallerOf(Float a, Float b) {
  return std::isnan(a) || a < b ? a : b;
}

inline float limited(float value, const FusedRelu &relu) {
  if (!relu.isOn)
    return value;
  // A NaN stays one.
  value = value < 0 ? 0 : value;
  return relu.limit >= 0 && value > relu.limit ? static_cast<float>(relu.limit)
                                               : value;
}

inline float finish(float sum, const std::optional<BiasOf> &bias,
                    int64_t channel, const FusedRelu &relu) {
  return limited(bias ? sum + bias->at(channel) : sum, relu);
}

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_KERNELS_EPILOGUE_H

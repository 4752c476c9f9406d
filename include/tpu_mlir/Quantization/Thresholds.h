//===- Thresholds.h - How large numbers of a tensor get ---------*- C++ -*-===//
//
// A threshold decides which numbers integers can hold: larger ones saturate,
// and the smaller it is, the finer are the others. Samples are seen twice, for
// the largest number first.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_THRESHOLDS_H
#define TPU_MLIR_QUANTIZATION_THRESHOLDS_H

#include "tpu_mlir/Quantization/CalibrationTable.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <optional>

namespace tpu_mlir::quantization {

enum class ThresholdMethod {
  /// The largest |x|.
  Max,
  /// That whose integers are distributed most like the numbers: the least
  /// Kullback-Leibler divergence between the histogram up to it, what is beyond
  /// added to the last bin, and the same histogram in 128 steps. Zeros do not
  /// count.
  Kl,
  /// The least mean square error of a sample, and the mean of that.
  Mse,
  /// Above which there is one number in 10,000, or fewer.
  Percentile,
};

/// "max", "kl", "mse", "percentile9999"; nullopt for another name.
std::optional<ThresholdMethod> thresholdMethodOf(std::string_view name);
/// "kl, max, ...": for messages.
std::string thresholdMethods();

/// Of one tensor.
class NumberStatistics {
public:
  /// First: all samples. Numbers that are not finite do not count. O(n).
  void extend(llvm::ArrayRef<float> numbers);
  /// Then again, in the same order. O(n), and for `method` Mse 20 times that.
  void count(llvm::ArrayRef<float> numbers, ThresholdMethod method);
  /// `share`: of the numbers that a percentile holds. 0 for nothing but zeroes.
  ValueRange range(ThresholdMethod method, double share) const;

private:
  static constexpr int kBins = 2048;

  double binWidth() const;
  double klThreshold() const;
  double percentile(double share) const;

  double least = 0, most = 0;
  bool isEmpty = true;
  std::array<int64_t, kBins> bins = {};
  int64_t counted = 0;
  double mseSum = 0;
  int64_t samples = 0;
};

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_THRESHOLDS_H

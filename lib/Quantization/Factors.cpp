//===- Factors.cpp - Real factors as integers and shifts ------------------===//

#include "tpu_mlir/Quantization/Factors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tpu_mlir::quantization {

Factor qdmFactor(double real) {
  constexpr int64_t kOne = int64_t(1) << 31;
  int exponent = 0;
  // In single precision, as the toolchain computes it.
  const double fraction = std::frexp(static_cast<float>(real), &exponent);
  if (!(real >= 0x1p-32))
    return {kOne / 2, 31};
  int64_t multiplier = std::llround(fraction * kOne);
  if (multiplier == kOne) {
    multiplier /= 2;
    ++exponent;
  }
  if (exponent > 0)
    return {kOne - 1, 0};
  return {multiplier, -exponent};
}

Factor nearestFactor(double real, int64_t limit, int64_t leastShift,
                     int64_t mostShift) {
  Factor best{limit - 1, leastShift};
  double leastError = INFINITY;
  for (int64_t shift = leastShift; shift <= mostShift; ++shift) {
    const double scaled = std::round(std::ldexp(real, shift));
    if (scaled >= limit)
      break;
    const double error = std::abs(std::ldexp(scaled, -shift) - real);
    if (error < leastError) {
      leastError = error;
      best = {static_cast<int64_t>(scaled), shift};
    }
  }
  return best;
}

llvm::SmallVector<Factor> factorsWithOneShift(llvm::ArrayRef<double> reals) {
  const double largest =
      reals.empty() ? 0 : *std::max_element(reals.begin(), reals.end());
  int64_t shift = 0;
  while (shift < 30 && std::ldexp(largest, shift + 1) < 127)
    ++shift;
  llvm::SmallVector<Factor> factors;
  for (double real : reals)
    factors.push_back(
        {static_cast<int64_t>(std::min(127., std::ldexp(real, shift))), shift});
  return factors;
}

double scaleOf(double threshold, int bits, bool isSigned) {
  return threshold / ((int64_t(1) << (isSigned ? bits - 1 : bits)) - 1);
}

bool hasScale(double min, double max) {
  const double largest = std::max(std::abs(min), std::abs(max));
  // The least scale is the 448th part of a range of floats of 8 bits.
  return min <= max && largest >= 0x1p-117 &&
         largest <= std::numeric_limits<float>::max();
}

AffineScale affineScaleOf(double min, double max) {
  const bool isSigned = min < 0;
  const double least = isSigned ? -128 : 0, most = least + 255;
  // Zero has to be an element.
  min = std::min(min, 0.);
  max = std::max(max, 0.);
  AffineScale result;
  result.scale = max > min ? (max - min) / 255 : 1;
  result.zeroPoint = static_cast<int64_t>(
      std::clamp(std::round(least - min / result.scale), least, most));
  return result;
}

} // namespace tpu_mlir::quantization

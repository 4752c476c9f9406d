//===- Factors.h - Real factors as integers and shifts ----------*- C++ -*-===//
//
// From the scale of sums to that of the result a chip multiplies by an integer
// and shifts. Which integer and which shift for a real factor is a rule of the
// chip's; the rules here give the numbers of the toolchain's own modules.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_FACTORS_H
#define TPU_MLIR_QUANTIZATION_FACTORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tpu_mlir::quantization {

/// multiplier * 2^-shift; a negative shift is one to the left.
struct Factor {
  int64_t multiplier = 1;
  int64_t shift = 0;
  bool operator==(const Factor &o) const {
    return multiplier == o.multiplier && shift == o.shift;
  }
};

/// real, to 24 bits, = multiplier / 2^31 / 2^shift with a multiplier in [2^30,
/// 2^31) and a shift from 0 to 31. What is below 2^-32 becomes that, what is
/// above the largest such number the largest.
Factor qdmFactor(double real);

/// The nearest to `real` >= 0 with a multiplier below `limit` and a shift in
/// [leastShift, mostShift]; of equally near ones that with the least shift.
Factor nearestFactor(double real, int64_t limit, int64_t leastShift,
                     int64_t mostShift);
/// With 31 bits, for sums of products.
inline Factor wideFactor(double real) {
  return nearestFactor(real, int64_t(1) << 31, -32, 30);
}
/// With 7 bits, for elements.
inline Factor narrowFactor(double real) {
  return nearestFactor(real, 127, 0, 30);
}

/// Multipliers of 7 bits that are cut off, with one shift: the least with which
/// twice the largest multiplier would not fit. Shifts are at most 30.
llvm::SmallVector<Factor> factorsWithOneShift(llvm::ArrayRef<double> reals);

/// Scales of elements of `bits` bits that hold numbers up to `threshold`:
/// threshold / (2^(bits - 1) - 1) with a sign, threshold / (2^bits - 1)
/// without. threshold > 0.
double scaleOf(double threshold, int bits, bool isSigned);

/// Whether every scale that numbers from `min` to `max` can get, and its
/// inverse, is a normal number of f32: the end that is farther from zero is
/// from 2^-117 to the largest f32.
bool hasScale(double min, double max);

/// From `min` to `max`, which may lie on one side of zero: of 8 bits, signed
/// where `min` is negative.
struct AffineScale {
  double scale = 1;
  int64_t zeroPoint = 0;
};
AffineScale affineScaleOf(double min, double max);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_FACTORS_H

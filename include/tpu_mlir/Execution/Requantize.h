//===- Requantize.h - Integers of one scale as those of another -*- C++ -*-===//
//
// Quantized arithmetic is exact in 64 bits up to the end; there a sum becomes
// an element of the result by a multiplier and a shift.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_REQUANTIZE_H
#define TPU_MLIR_EXECUTION_REQUANTIZE_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// What becomes of the bits that a shift to the right drops. "Half": to the
/// nearest, and what lies between two goes that way.
enum class Rounding {
  HalfAwayFromZero,
  HalfUp,
  HalfDown,
  HalfToEven,
  HalfToOdd,
  HalfTowardsZero,
  TowardsZero,
  Up,
  Down,
};

/// value / 2^shift as `rounding` says; value * 2^-shift, saturated at 64 bits,
/// for a negative shift. O(1).
int64_t shiftRounded(int64_t value, int64_t shift, Rounding rounding);

/// The same of a number to an integer, ties of which are exact. O(1).
double rounded(double value, Rounding rounding);

/// Multipliers and shifts: one for all channels, or one for each.
struct Requant {
  enum class Mode {
    /// shiftRounded(value * multiplier, shift)
    MultiplierShift,
    /// h = floor((value * multiplier + 2^30) / 2^31), and then
    /// shiftRounded(h, shift), halves away from zero.
    Qdm,
  };
  Mode mode = Mode::MultiplierShift;
  llvm::SmallVector<int64_t> multipliers, shifts;
  Rounding rounding = Rounding::HalfAwayFromZero;
  /// Added at the end: the zero point of the result. A relu stops there.
  int64_t offset = 0;

  /// Products and sums saturate at 64 bits.
  int64_t apply(int64_t value, int64_t channel) const;
};

/// An error unless there are 1 or `channels` multipliers, and shifts, and each
/// is less than 2^31 and 64 away from 0, the offset less than 2^31.
Outcome checkRequant(const Requant &requant, int64_t channels);

/// Each element less `zeroPoint` by itself, all of one channel; then, with
/// `relu`, at least the offset, and saturated at the type of the result.
/// Errors: elements that are no integers, or not as many.
Outcome requantize(const TensorView &input, const Requant &requant, bool relu,
                   const TensorSpan &result, int64_t zeroPoint = 0);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_REQUANTIZE_H

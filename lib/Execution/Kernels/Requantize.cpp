//===- Requantize.cpp - Rescale integers ----------------------------------===//
//
// Multiplies and shifts in 64 bits with the rounding modes of the chips.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Requantize.h"

#include "Epilogue.h"

#include <algorithm>
#include <cmath>

namespace tpu_mlir::execution {

/// Whether the quotient that was rounded down goes up; `rest` of `whole` is
/// left, and lies between 0 and `whole`.
static bool roundsUp(int64_t down, uint64_t rest, uint64_t whole,
                     Rounding rounding) {
  const bool isHalf = rest == whole - rest, isNegative = down < 0;
  const bool isMore = rest > whole - rest, isOdd = down % 2 != 0;
  switch (rounding) {
  case Rounding::HalfAwayFromZero:
    return isMore || (isHalf && !isNegative);
  case Rounding::HalfUp:
    return isMore || isHalf;
  case Rounding::HalfDown:
    return isMore;
  case Rounding::HalfToEven:
    return isMore || (isHalf && isOdd);
  case Rounding::HalfToOdd:
    return isMore || (isHalf && !isOdd);
  case Rounding::HalfTowardsZero:
    return isMore || (isHalf && isNegative);
  case Rounding::TowardsZero:
    return isNegative;
  case Rounding::Up:
    return true;
  case Rounding::Down:
    return false;
  }
  return false;
}

int64_t shiftRounded(int64_t value, int64_t shift, Rounding rounding) {
  if (shift <= 0)
    return value == 0
               ? 0
               : saturatedProduct(value, shift > -63 ? int64_t(1) << -shift
                                                     : INT64_MAX);
  const int64_t bits = std::min<int64_t>(shift, 63);
  // Rounded down; the rest is that of 2^bits.
  const int64_t down = value >> bits;
  const uint64_t whole = uint64_t(1) << bits;
  const uint64_t rest = static_cast<uint64_t>(value) & (whole - 1);
  return down + (rest != 0 && roundsUp(down, rest, whole, rounding) ? 1 : 0);
}

double rounded(double value, Rounding rounding) {
  if (!std::isfinite(value))
    return value;
  const double down = std::floor(value), rest = value - down;
  // Of the integer its sign and its last bit, of the rest a half or more.
  const int64_t last = std::fmod(down, 2) != 0 ? 1 : 2;
  const uint64_t quarters = rest < 0.5 ? 1 : rest == 0.5 ? 2 : 3;
  const bool isUp =
      rest != 0 && roundsUp(down < 0 ? -last : last, quarters, 4, rounding);
  return down + (isUp ? 1 : 0);
}

int64_t Requant::apply(int64_t value, int64_t channel) const {
  const int64_t multiplier = multipliers[multipliers.size() == 1 ? 0 : channel];
  const int64_t shift = shifts[shifts.size() == 1 ? 0 : channel];
  const int64_t product = saturatedProduct(value, multiplier);
  const int64_t scaled =
      mode == Mode::MultiplierShift
          ? shiftRounded(product, shift, rounding)
          : shiftRounded(shiftRounded(product, 31, Rounding::HalfUp), shift,
                         Rounding::HalfAwayFromZero);
  return saturatedSum(scaled, offset);
}

Outcome checkRequant(const Requant &requant, int64_t channels) {
  const int64_t multipliers = requant.multipliers.size(),
                shifts = requant.shifts.size();
  if ((multipliers != 1 && multipliers != channels) ||
      (shifts != 1 && shifts != channels))
    return KernelError{std::to_string(multipliers) + " multipliers and " +
                       std::to_string(shifts) + " shifts for " +
                       std::to_string(channels) + " channels"};
  for (int64_t multiplier : requant.multipliers)
    if (multiplier >= int64_t(1) << 31 || multiplier < -(int64_t(1) << 31))
      return KernelError{"a multiplier has more than 32 bits"};
  for (int64_t shift : requant.shifts)
    if (shift > 63 || shift < -63)
      return KernelError{"a shift is by more than 63 bits"};
  if (requant.offset != static_cast<int32_t>(requant.offset))
    return KernelError{"a zero point has more than 32 bits"};
  return std::nullopt;
}

Outcome requantize(const TensorView &input, const Requant &requant, bool relu,
                   const TensorSpan &result, int64_t zeroPoint) {
  if (Outcome error = checkSameCount(input, result))
    return error;
  if (isFloat(input.type.element) || isFloat(result.type.element))
    return KernelError{"what is requantized are no integers"};
  if (Outcome error = checkRequant(requant, 1))
    return error;
  if (zeroPoint != static_cast<int32_t>(zeroPoint))
    return KernelError{"a zero point has more than 32 bits"};
  std::vector<int64_t> values = integersOf(input);
  for (int64_t &value : values) {
    value = requant.apply(value - zeroPoint, 0);
    value = relu ? std::max(value, requant.offset) : value;
  }
  store(values, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution

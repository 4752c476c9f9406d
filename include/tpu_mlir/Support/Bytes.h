//===- Bytes.h - Checked byte arithmetic and formatting ---------*- C++ -*-===//
//
// Bytes are int64_t everywhere. Whatever comes from a file or a shape goes
// through these functions, which return nullopt instead of wrapping round.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_BYTES_H
#define TPU_MLIR_SUPPORT_BYTES_H

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_mlir {

/// a + b, or nullopt when the sum is not an int64_t.
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    return std::nullopt;
  return sum;
}
/// a * b, or nullopt when the product is not an int64_t.
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}
/// The smallest multiple of `alignment` that is >= value, or nullopt when it
/// is not an int64_t. `alignment` is at least 1, any number (not only powers
/// of two); `value` is not negative.
inline std::optional<int64_t> checkedAlignUp(int64_t value, int64_t alignment) {
  const int64_t rest = value % alignment;
  return rest == 0 ? value : checkedAdd(value, alignment - rest);
}
/// Same for values that are already known to be far below 2^63.
inline int64_t alignUp(int64_t value, int64_t alignment) {
  const int64_t rest = value % alignment;
  return rest == 0 ? value : value + (alignment - rest);
}
/// a + b and a * b for a, b >= 0, at most INT64_MAX: for values that are only
/// compared, or printed by formatSum(): what leaves 63 bits counts as the
/// largest there is.
inline int64_t saturatedAdd(int64_t a, int64_t b) {
  return checkedAdd(a, b).value_or(std::numeric_limits<int64_t>::max());
}
inline int64_t saturatedMul(int64_t a, int64_t b) {
  return checkedMul(a, b).value_or(std::numeric_limits<int64_t>::max());
}
/// a - b, at least INT64_MIN and at most INT64_MAX.
int64_t saturatedSub(int64_t a, int64_t b);
/// a / b rounded up; a >= 0, b >= 1.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// "0 B", "512 B", "1.5 KiB", "319.0 MiB", "1.31 GiB": three or four
/// significant digits, binary units.
std::string formatBytes(int64_t bytes);
/// The same with the number beside it where it is rounded or could be: "512 B",
/// "1.5 KiB (1,536 B)".
std::string formatExactBytes(int64_t bytes);
/// formatBytes() of a sum by saturatedAdd(): "8.00 EiB or more" where it is
/// not known.
std::string formatSum(int64_t bytes);
/// What every message says about a thing that does not fit: "needs 12.0 KiB
/// (12,288 B), has 8.0 KiB (8,192 B), over by 4.0 KiB (4,096 B)"; "need" and
/// "have" after a plural. need >= have >= 0. The largest int64_t stands for all
/// needs above: "needs 8.00 EiB or more".
std::string formatShortage(int64_t need, int64_t have, bool isPlural = false);
/// "4096", "0x1000", "512K", "2 MiB", "1gib": decimal or hexadecimal digits and
/// a binary unit from K to T, with or without "iB", in any case. nullopt for
/// anything else, also for what is no int64_t.
std::optional<int64_t> parseBytes(std::string_view text);
/// "30,969,856": exact, with separators, for tables.
std::string formatCount(int64_t value);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_BYTES_H

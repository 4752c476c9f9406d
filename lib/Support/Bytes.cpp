//===- Bytes.cpp - Checked byte arithmetic and formatting -----------------===//

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <array>

namespace tpu_mlir {

int64_t saturatedSub(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference))
    return difference;
  return a < b ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

std::optional<int64_t> parseBytes(std::string_view text) {
  llvm::StringRef unit = llvm::StringRef(text).trim();
  const bool isHex = unit.consume_front_insensitive("0x");
  const llvm::StringRef digits = unit.take_while(
      [&](char c) { return isHex ? llvm::isHexDigit(c) : llvm::isDigit(c); });
  unit = unit.drop_front(digits.size()).trim();
  int64_t factor = 1;
  for (auto [name, power] :
       {std::pair("k", 10), {"m", 20}, {"g", 30}, {"t", 40}})
    if (unit.consume_front_insensitive(name)) {
      factor = int64_t(1) << power;
      break;
    }
  int64_t value = 0;
  if (digits.getAsInteger(isHex ? 16 : 10, value) ||
      !(unit.empty() || unit.equals_insensitive(factor > 1 ? "ib" : "b")))
    return std::nullopt;
  return checkedMul(value, factor);
}

/// |value| without overflow for the smallest int64_t.
static uint64_t magnitudeOf(int64_t value) {
  return value < 0 ? uint64_t(0) - uint64_t(value) : uint64_t(value);
}

std::string formatBytes(int64_t bytes) {
  static constexpr std::array<const char *, 7> kUnits = {
      "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  const uint64_t magnitude = magnitudeOf(bytes);
  const std::string sign = bytes < 0 ? "-" : "";
  if (magnitude < 1024)
    return sign + std::to_string(magnitude) + " B";

  // Whole numbers only: the text must not depend on floating-point rounding.
  for (size_t unit = 1;; ++unit) {
    const uint64_t scale = unit < 3 ? 10 : 100;
    const int shift = int(10 * unit);
    const auto half = static_cast<unsigned __int128>(1) << (shift - 1);
    const auto scaled = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(magnitude) * scale + half) >> shift);
    if (scaled >= 1024 * scale && unit + 1 < kUnits.size())
      continue;
    std::string fraction = std::to_string(scaled % scale);
    if (scale == 100 && fraction.size() == 1)
      fraction.insert(0, "0");
    return sign + std::to_string(scaled / scale) + "." + fraction + " " +
           kUnits[unit];
  }
}

/// The largest int64_t is what saturatedAdd() gives for all sums above.
static bool isSaturated(int64_t sum) {
  return sum == std::numeric_limits<int64_t>::max();
}

std::string formatExactBytes(int64_t bytes) {
  if (isSaturated(bytes))
    return formatSum(bytes);
  if (bytes > -1024 && bytes < 1024)
    return formatBytes(bytes);
  return formatBytes(bytes) + " (" + formatCount(bytes) + " B)";
}

std::string formatSum(int64_t bytes) {
  return formatBytes(bytes) + (isSaturated(bytes) ? " or more" : "");
}

std::string formatShortage(int64_t need, int64_t have, bool isPlural) {
  const bool isMore = isSaturated(need);
  const std::string needs =
      (isPlural ? "need " : "needs ") + formatExactBytes(need);
  if (isMore && isSaturated(have))
    return needs + ", more than any memory has";
  const int64_t over = need - have;
  return needs + (isPlural ? ", have " : ", has ") + formatExactBytes(have) +
         ", over by " + formatExactBytes(over) +
         (isMore && !isSaturated(over) ? " or more" : "");
}

std::string formatCount(int64_t value) {
  std::string text = std::to_string(magnitudeOf(value));
  for (size_t i = text.size(); i > 3; i -= 3)
    text.insert(i - 3, ",");
  return value < 0 ? "-" + text : text;
}

} // namespace tpu_mlir

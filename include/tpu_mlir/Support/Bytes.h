//===- Bytes.h - Checked byte arithmetic and formatting ---------*- C++ -*-===//
//
// Bytes are int64_t everywhere. Whatever comes from a file or a shape goes
// through these functions, which return nullopt instead of wrapping round.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_BYTES_H
#define TPU_MLIR_SUPPORT_BYTES_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpu_mlir {

/// a + b, or nullopt when the sum is not an int64_t.
std::optional<int64_t> checkedAdd(int64_t a, int64_t b);
/// a * b, or nullopt when the product is not an int64_t.
std::optional<int64_t> checkedMul(int64_t a, int64_t b);
/// The smallest multiple of `alignment` that is >= value, or nullopt when it
/// is not an int64_t. `alignment` is at least 1, any number (not only powers
/// of two); `value` is not negative.
std::optional<int64_t> checkedAlignUp(int64_t value, int64_t alignment);
/// Same for values that are already known to be far below 2^63.
int64_t alignUp(int64_t value, int64_t alignment);
/// a / b rounded up; a >= 0, b >= 1.
constexpr int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// "0 B", "512 B", "1.5 KiB", "319.0 MiB", "1.31 GiB": three or four
/// significant digits, binary units.
std::string formatBytes(int64_t bytes);
/// "4096", "0x1000", "512K", "2 MiB", "1gib": decimal or hexadecimal digits and
/// a binary unit from K to T, with or without "iB", in any case. nullopt for
/// anything else, also for what is no int64_t.
std::optional<int64_t> parseBytes(std::string_view text);
/// "30,969,856": exact, with separators, for tables.
std::string formatCount(int64_t value);

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_BYTES_H

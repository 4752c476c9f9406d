//===- Names.h - The words for the values of an enum ------------*- C++ -*-===//
//
// One table for both ways:
//
//   constexpr Named<Colour> kColours[] = {{Colour::Red, "red"}, ...};
//   nameIn(kColours, Colour::Red);  // "red"
//   valueIn(kColours, "red");       // Colour::Red
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_SUPPORT_NAMES_H
#define TPU_MLIR_SUPPORT_NAMES_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace tpu_mlir {

template <typename Enum> struct Named {
  Enum value;
  std::string_view name;
};

/// The literal for `value`; empty when the table has none. O(n).
template <typename Enum, size_t n>
constexpr std::string_view nameIn(const Named<Enum> (&table)[n], Enum value) {
  for (const Named<Enum> &row : table)
    if (row.value == value)
      return row.name;
  return {};
}

/// Exact match. O(n).
template <typename Enum, size_t n>
constexpr std::optional<Enum> valueIn(const Named<Enum> (&table)[n],
                                      std::string_view name) {
  for (const Named<Enum> &row : table)
    if (row.name == name)
      return row.value;
  return std::nullopt;
}

} // namespace tpu_mlir

#endif // TPU_MLIR_SUPPORT_NAMES_H

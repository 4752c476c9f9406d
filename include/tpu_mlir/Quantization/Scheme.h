//===- Scheme.h - How a chip computes with integers -------------*- C++ -*-===//

#ifndef TPU_MLIR_QUANTIZATION_SCHEME_H
#define TPU_MLIR_QUANTIZATION_SCHEME_H

#include <cstdint>
#include <optional>

namespace tpu_mlir::quantization {

/// What a chip does to sums of products, and what follows from it for types.
enum class Scheme {
  /// A fraction of 31 bits and a shift. Elements are signed, zero is zero.
  Qdm,
  /// An integer and a shift. Elements are unsigned where nothing is negative.
  Shift,
};

/// By the bytes that a channel's requantisation takes on the chip; nullopt
/// where it has none, or one that is not known here.
inline std::optional<Scheme> schemeOf(int64_t requantBytes) {
  if (requantBytes == 5)
    return Scheme::Qdm;
  if (requantBytes == 8 || requantBytes == 12)
    return Scheme::Shift;
  return std::nullopt;
}

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_SCHEME_H

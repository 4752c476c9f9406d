//===- Functions.h - Layers that are a function of one number ---*- C++ -*-===//
//
// What 256 entries of a table can hold, whatever the function.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_FUNCTIONS_H
#define TPU_MLIR_QUANTIZATION_FUNCTIONS_H

#include "tpu_mlir/Quantization/Weights.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tpu_mlir::quantization {

/// A number that a layer has under a name; the second one where it has none.
using LayerNumber = std::function<double(llvm::StringRef name, double absent)>;

/// The function that the Top op `layer` ("SiLU", without dialect) computes of
/// each element; nullopt where that is none of one number. Where a word chooses
/// among functions, `layer` is that: "GELU", "TGELU" and "QGELU", "Sigmoid" and
/// "LogSigmoid". do_relu and relu_limit are the caller's.
std::optional<std::function<double(double)>>
functionOf(llvm::StringRef layer, const LayerNumber &number);

/// The four tables of 256 bfloat16 by which qdm chips compute a softmax: exp at
/// 256 places of [-15, 1), the differences to the next place, and 1 / x of
/// powers of two and of mantissas. Entry i of the first two is for the place
/// (i as a signed byte) / 16 - 7.
struct SoftmaxTables {
  /// As bytes of bfloat16.
  std::vector<uint8_t> exponential, slope, power, mantissa;
};
SoftmaxTables softmaxTables();

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_FUNCTIONS_H

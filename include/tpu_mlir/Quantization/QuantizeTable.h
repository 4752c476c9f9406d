//===- QuantizeTable.h - Which layers stay floats ---------------*- C++ -*-===//
//
// A text file with a line for each layer that is not to be what the network is:
//
//   # op_name   quantize_mode
//   conv1 F32
//   /model.22/Softmax F16
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_QUANTIZETABLE_H
#define TPU_MLIR_QUANTIZATION_QUANTIZETABLE_H

#include "tpu_mlir/Quantization/CalibrationTable.h"

namespace tpu_mlir::quantization {

struct QuantizeEntry {
  std::string name, mode; ///< The mode in capitals.
  int64_t line = 0;
};

/// The name may have blanks; the mode is the last word. A line with '#' in
/// front is a comment. Errors: a line without a mode, a name with two. O(size).
std::variant<std::vector<QuantizeEntry>, TableError>
parseQuantizeTable(std::string_view text);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_QUANTIZETABLE_H

//===- InlineBytes.h - Numbers that a weight has in the module --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_INLINEBYTES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_INLINEBYTES_H

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace tpu_mlir::weight_files {

/// What `inline_bytes` of the top.Weight says, as bytes or as two hexadecimal
/// digits for each. nullopt: it has none, or not `sizeBytes` of them.
std::optional<std::string> inlineBytes(mlir::Operation *weight,
                                       int64_t sizeBytes);

} // namespace tpu_mlir::weight_files

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_WEIGHTFILE_INLINEBYTES_H

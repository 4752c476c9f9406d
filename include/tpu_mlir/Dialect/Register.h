//===- Register.h - The dialects of this project ----------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_REGISTER_H
#define TPU_MLIR_DIALECT_REGISTER_H

#include "mlir/IR/DialectRegistry.h"

namespace tpu_mlir {

/// Registers every dialect that a network module of this project may contain:
/// top, tpu, func and quant (builtin is always there).
void registerDialects(mlir::DialectRegistry &registry);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_REGISTER_H

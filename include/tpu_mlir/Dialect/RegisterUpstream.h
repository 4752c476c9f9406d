//===- RegisterUpstream.h - MLIR's own dialects -----------------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_REGISTERUPSTREAM_H
#define TPU_MLIR_DIALECT_REGISTERUPSTREAM_H

#include "mlir/IR/DialectRegistry.h"

namespace tpu_mlir {

/// Registers the dialects that a bufferized function may contain, from linalg
/// down to gpu and llvm. They are loaded when they are met.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_REGISTERUPSTREAM_H

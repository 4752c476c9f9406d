//===- KeptText.h - What is not known is kept as text -----------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_KEPTTEXT_H
#define TPU_MLIR_DIALECT_INTERFACES_KEPTTEXT_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace mlir {
class DialectAsmParser;
} // namespace mlir

namespace tpu_mlir {

/// The attribute (the type) that `parser` stands in, as an opaque one of
/// `dialect`: its text is printed as it was read.
mlir::Attribute keptAttribute(mlir::DialectAsmParser &parser,
                              llvm::StringRef dialect, mlir::Type type);
mlir::Type keptType(mlir::DialectAsmParser &parser, llvm::StringRef dialect);

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_INTERFACES_KEPTTEXT_H

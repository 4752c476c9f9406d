//===- Names.h - Tensors by their names -------------------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_NAMES_H
#define TPU_MLIR_ANALYSIS_NAMES_H

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir {

/// The tensors of `module` that an op makes and that are called `name`, inside
/// of layer groups too, in the order of the text. O(ops).
llvm::SmallVector<mlir::Value> tensorsNamed(mlir::ModuleOp module,
                                            llvm::StringRef name);

/// The names in an option such as "conv1; conv2".
llvm::SmallVector<llvm::StringRef> namesIn(llvm::StringRef list);

/// The tensor of `module` that the option `tensors` of a pass calls `name`.
/// Fails with BadOption at the module when there are none or several. O(ops).
llvm::FailureOr<mlir::Value> tensorOfOption(mlir::ModuleOp module,
                                            llvm::StringRef name);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_NAMES_H

//===- AliasRemarks.h - Remarks on what cannot share ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H

#include "mlir/IR/Operation.h"

namespace tpu_mlir::detail {

/// What has no runs of memory to share is memory of its own.
void remarkOnCopies(mlir::Operation *op);

/// What a merge that emits no code cannot do.
void remarkOnNoEffect(mlir::Operation *op);

/// Emits E008 and fails where a call or return hands over a weight that is not
/// stored as activations are. `fourN`: the chip stores four images side by
/// side.
llvm::LogicalResult checkHandedOver(mlir::Operation *by, bool fourN);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H

//===- AliasRemarks.h - Remarks on what cannot share ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H

#include "mlir/IR/Operation.h"

namespace tpu_mlir::detail {

/// What has no runs of memory to share is memory of its own.
void remarkOnCopies(mlir::Operation *op);

/// What a merge that emits no code cannot do.
void remarkOnNoEffect(mlir::Operation *op);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_ALIASREMARKS_H

//===- PoolRemarks.h - Lines of pools without an effect ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_POOLREMARKS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_POOLREMARKS_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

namespace tpu_mlir::global_addresses {

/// Remarks on lines of pools that nothing can be in, and on costs that decide
/// nothing. Fails where the lines cannot be read.
mlir::LogicalResult remarkUnused(mlir::ModuleOp module,
                                 const GlobalProblem &global);

/// There is a memory of the user's that programs may write to.
bool hasUserPool(const GlobalProblem &global);

} // namespace tpu_mlir::global_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_ASSIGNGLOBALADDRESS_POOLREMARKS_H

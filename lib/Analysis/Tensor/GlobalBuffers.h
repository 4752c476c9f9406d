//===- GlobalBuffers.h - The storage of a module, as buffers ----*- C++ -*-===//
//
// Second step from a module to a planning problem: one buffer a storage class,
// with its life, kind, and the pools that it may be in.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALBUFFERS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALBUFFERS_H

#include "lib/Analysis/Tensor/GlobalPools.h"

namespace tpu_mlir::detail {

/// Appends the buffers to `global`, whose pools are there. Emits E001 for
/// scratch that asks for an L2 that is not there, and fails. O(classes *
/// pools).
llvm::LogicalResult addBuffers(GlobalRequest request, const IoClasses &io,
                               const PoolRoles &roles, const UserPins &userPins,
                               GlobalProblem &global);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALBUFFERS_H

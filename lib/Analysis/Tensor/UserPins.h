//===- UserPins.h - Where the user wants tensors ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_USERPINS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_USERPINS_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"

#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::detail {

/// Network inputs and outputs, by storage class.
struct IoClasses {
  llvm::SmallVector<int64_t> order; ///< One entry a class.
  llvm::DenseSet<int64_t> inputs, outputs;
};

/// Lives across functions, or belongs to the host processor.
bool crossesFunctions(const GlobalFacts &facts, const AliasClass &aliasClass);
/// What passes from function to function, or to the host, is in global memory,
/// where whoever runs one of them by itself can reach it.
bool mayBeInL2(const GlobalFacts &facts, const IoClasses &io, int64_t id);
/// Inputs are tensors by themselves, also where one takes the place of an
/// output in the middle of another tensor: how far inside its class the first
/// one begins that would not be at a multiple of `alignment`.
std::optional<int64_t> unalignedInput(const GlobalFacts &facts, int64_t id,
                                      int64_t alignment);

/// By class: to be in a pool, or even at an offset there.
using UserPins =
    llvm::DenseMap<int64_t,
                   std::pair<planning::PoolId, std::optional<int64_t>>>;

/// What `module.pins` asks for. `global` has its pools; `taken` are the classes
/// that the I/O mode has a place for. Emits E005 and fails.
mlir::FailureOr<UserPins>
findUserPins(mlir::ModuleOp module, const GlobalFacts &facts,
             const IoClasses &io, const GlobalProblem &global,
             const llvm::DenseMap<int64_t, planning::Pin> &taken);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_USERPINS_H

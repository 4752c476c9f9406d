//===- GlobalPools.h - The regions of a module, as pools --------*- C++ -*-===//
//
// First step from a module to a planning problem: which regions there are, what
// is left for each, and where the chip itself puts inputs and outputs.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALPOOLS_H
#define TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALPOOLS_H

#include "lib/Analysis/Tensor/UserPins.h"

#include "tpu_mlir/Analysis/Chip.h"

namespace tpu_mlir::detail {

/// What is planned, for what.
struct GlobalRequest {
  mlir::ModuleOp module;
  const GlobalFacts &facts;
  const target::ChipSpec &chip;
  const GlobalPlanOptions &options;

  /// Of storage in the regions of the chip.
  int64_t alignment() const {
    return options.alignment.value_or(chip.neuronAlignment);
  }
};

/// Which pool is what.
struct PoolRoles {
  planning::PoolId neuron = 0;
  std::optional<planning::PoolId> privatePool, l2;
  /// Where a neuron tensor may be: the user's pools, then the neuron region.
  std::vector<planning::PoolId> neuronPools;
  /// By class: inputs and outputs that the I/O mode has a place for.
  llvm::DenseMap<int64_t, planning::Pin> pins;
  /// What the alignments of all neuron pools have in common.
  int64_t bufferAlignment = 1;
};

/// Appends the pools and their regions to `global`, whose I/O mode is known.
/// Emits E001 when weights, inputs and outputs alone do not fit, E005 for bad
/// attributes, and fails. O(pools + inputs and outputs).
mlir::FailureOr<PoolRoles> makePools(GlobalRequest request, const IoClasses &io,
                                     const WeightRegion &weights,
                                     GlobalProblem &global);

} // namespace tpu_mlir::detail

#endif // TPU_MLIR_LIB_ANALYSIS_TENSOR_GLOBALPOOLS_H

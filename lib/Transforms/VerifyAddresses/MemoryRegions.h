//===- MemoryRegions.h - The memory map that a module claims ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_MEMORYREGIONS_H
#define TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_MEMORYREGIONS_H

#include "tpu_mlir/Support/Interval.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tpu_mlir {

/// Named address ranges, from the module's attributes and the chip.
struct MemoryRegions {
  struct Region {
    std::string name;
    Interval bytes;
  };
  std::vector<Region> neurons; ///< Where results may be.
  Interval weights;
  std::vector<Region> parameters; ///< Read-only pools: weights, too.

  bool mayHoldWeight(Interval bytes) const;
  /// The region that holds all of `bytes`, or nullptr.
  const Region *findNeuronRegion(Interval bytes) const;
};

/// Emits E005, E011 or E013 (ill-typed or missing attributes, regions that
/// overlap or are in the wrong order) and fails.
mlir::FailureOr<MemoryRegions> readRegions(mlir::ModuleOp module,
                                           const target::ChipSpec &chip);

/// What `module.pins` names is where it was pinned to (P4). Emits E005 and E013
/// and fails.
llvm::LogicalResult checkPins(mlir::ModuleOp module,
                              const MemoryRegions &regions);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_VERIFYADDRESSES_MEMORYREGIONS_H

//===- MemoryRegions.h - The memory map that a module claims ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYREGIONS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYREGIONS_H

#include "tpu_mlir/Support/Interval.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tpu_mlir::verify_addresses {

/// Named address ranges, from the module's attributes and the chip.
struct MemoryRegions {
  struct Stretch {
    std::string name;
    Interval bytes;
    /// Addresses of whole tensors there are multiples of it.
    int64_t alignment = 1;
  };
  std::vector<Stretch> neurons; ///< Where results may be.
  Stretch coeff;
  std::vector<Stretch> parameters; ///< Read-only pools: weights, too.

  /// The region that holds all of `bytes`, or nullptr.
  const Stretch *findNeuronRegion(Interval bytes) const;
  const Stretch *findWeightRegion(Interval bytes) const;
};

inline constexpr llvm::StringLiteral kL2Region = "l2", kIoRegion = "io";

/// `alignment` is that of neurons in the chip's regions. Emits E005, E011 or
/// E013 (ill-typed or missing attributes, regions that overlap or are in the
/// wrong order) and fails.
mlir::FailureOr<MemoryRegions> readRegions(mlir::ModuleOp module,
                                           const target::ChipSpec &chip,
                                           int64_t alignment);

/// The attributes of the module, the chip and the places of what goes in and
/// out agree with each other; see the description of the pass. Emits E007, E011
/// and E013 and fails.
llvm::LogicalResult checkClaims(mlir::ModuleOp module,
                                const target::ChipSpec &chip,
                                const MemoryRegions &regions);

/// What `module.pins` names is where it was pinned to (P4). Emits E005 and E013
/// and fails.
llvm::LogicalResult checkPins(mlir::ModuleOp module,
                              const target::ChipSpec &chip,
                              const MemoryRegions &regions);

} // namespace tpu_mlir::verify_addresses

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_VERIFYADDRESSES_MEMORYREGIONS_H

#include "lib/Transforms/VerifyLocal/Checks.h"

namespace tpu_mlir::local {

Violations checkGroup(tpu::GroupOp op, const target::ChipSpec &chip) {
  Violations violations;
  const std::optional<LocalGroup> group = readGroup(op, chip, violations);
  if (!group)
    return violations;
  checkOrder(*group, violations);
  checkStores(*group, violations);
  checkCoverage(*group, violations);
  checkSizes(*group, violations);
  checkNeeds(*group, violations);
  checkMemory(*group, violations);
  checkNeighbours(*group, violations);
  return violations;
}

} // namespace tpu_mlir::local

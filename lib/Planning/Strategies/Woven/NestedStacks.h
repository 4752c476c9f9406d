//===- NestedStacks.h - Lives within each other as one stack ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_NESTEDSTACKS_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_NESTEDSTACKS_H

#include "lib/Planning/Strategies/BestOrder.h"

namespace tpu_mlir::planning {

/// For training with passes that are not alike, or take turns in another way
/// than one after the other. What a pass keeps has lives within each other:
/// they are a stack, which has a place while its lowest one lives. What comes
/// and goes is packed around the stacks, largest first.
///
/// Nothing is offered for problems with pins or forbidden pairs, or without
/// breaks in the lengths of lives. O(n log n) for each packing, and first fit.
void offerNestedStacks(const PackingProblem &problem, BestOrder &orders);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_NESTEDSTACKS_H

//===- WovenPasses.h - Every pass at the places of another ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_WOVENPASSES_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_WOVENPASSES_H

#include "lib/Planning/Strategies/BestOrder.h"

namespace tpu_mlir::planning {

/// Offers packings of passes that are alike (Passes.h), each at the places of
/// an earlier one; none where there are no such passes.
void offerWovenPasses(const PackingProblem &problem,
                      const SolveOptions &options, BestOrder &orders);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_WOVENPASSES_H

//===- PoolBruteForce.h - The cheapest choice of pools, by all of them ----===//
//
// What "exact" must find, found without the library's folding, bounds or
// packers: every choice of pools, every order of packing in each of them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PROPERTY_PLANNING_POOLBRUTEFORCE_H
#define TPU_MLIR_TESTS_PROPERTY_PLANNING_POOLBRUTEFORCE_H

#include "tpu_mlir/Planning/Plan.h"

namespace tpu_mlir::planning {

/// The least cost of all choices that can be packed; nullopt when none can.
/// For up to about 8 buffers that are no aliases.
std::optional<int64_t> leastAccessCost(const Problem &problem);

/// What a plan costs by the same rule: bytes times accesses times the cost of
/// the pool, or times its place among the candidates (of the buffer that holds
/// the others) when no buffer has candidates of different cost.
int64_t accessCostOf(const Problem &problem, const Plan &plan);

/// A buffer that could be in an earlier candidate as things are: nothing alive
/// at the same time, forbidden or reserved is in its way there. -1: none.
BufferId whoCouldMoveUp(const Problem &problem, const Plan &plan);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PROPERTY_PLANNING_POOLBRUTEFORCE_H

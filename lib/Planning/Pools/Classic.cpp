//===- Classic.cpp - What reference counts alone would have taken ---------===//
//
// The allocation that tpu-mlir documents is the measure that its users know. A
// report on a plan gives it beside the plan's own figure, for the same buffers
// in the same pools.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

std::vector<int64_t> classicUse(Problem problem) {
  // Whether it would have fit is another question.
  for (Pool &pool : problem.pools)
    pool.capacityBytes.reset();
  SolveOptions options;
  options.strategy = kClassicStrategy;
  options.poolPolicy = PoolPolicy::Order;
  const SolveResult result = solve(problem, options);
  std::vector<int64_t> used;
  if (const auto *plan = std::get_if<Plan>(&result))
    for (const PoolUse &use : plan->pools)
      used.push_back(use.usedBytes);
  return used;
}

void addClassicUse(const Problem &problem, Plan &plan) {
  Problem placed = problem;
  for (size_t id = 0; id < placed.buffers.size(); ++id)
    placed.buffers[id].pools = {plan.placements[id].pool};
  const std::vector<int64_t> used = classicUse(std::move(placed));
  for (size_t pool = 0; pool < used.size(); ++pool)
    plan.pools[pool].classicBytes.emplace(used[pool]);
}

} // namespace tpu_mlir::planning

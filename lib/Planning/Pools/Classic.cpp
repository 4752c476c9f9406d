//===- Classic.cpp - What reference counts alone would have taken ---------===//
//
// The allocation that tpu-mlir documents is the measure that its users know. A
// report on a plan gives it beside the plan's own figure, for the same buffers
// in the same pools.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Strategy.h"

#include <utility>

namespace tpu_mlir::planning {

/// What it uses of each pool; empty without a plan.
static std::vector<int64_t> usedBytes(const Problem &problem) {
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

/// Whether it would have fit is another question.
static void forgetCapacities(std::vector<Pool> &pools) {
  for (Pool &pool : pools)
    pool.capacityBytes.reset();
}

std::vector<int64_t> classicUse(Problem problem) {
  forgetCapacities(problem.pools);
  return usedBytes(problem);
}

void addClassicUse(Problem &problem, Plan &plan) {
  const std::vector<Pool> pools = problem.pools;
  std::vector<std::pair<size_t, std::vector<PoolId>>> choices;
  forgetCapacities(problem.pools);
  for (size_t id = 0; id < problem.buffers.size(); ++id) {
    std::vector<PoolId> here = {plan.placements[id].pool};
    if (problem.buffers[id].pools == here)
      continue;
    choices.emplace_back(id, std::move(problem.buffers[id].pools));
    problem.buffers[id].pools = std::move(here);
  }
  const std::vector<int64_t> used = usedBytes(problem);
  problem.pools = pools;
  for (auto &[id, candidates] : choices)
    problem.buffers[id].pools = std::move(candidates);
  for (size_t pool = 0; pool < used.size(); ++pool)
    plan.pools[pool].classicBytes.emplace(used[pool]);
}

} // namespace tpu_mlir::planning

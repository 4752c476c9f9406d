//===- Decisions.cpp - What planners decided ------------------------------===//

#include "tpu_mlir/Log/Decisions.h"

#include "tpu_mlir/Log/DescribePlan.h"
#include "tpu_mlir/Log/Log.h"
#include "tpu_mlir/Support/Bytes.h"

namespace tpu_mlir::log {

using namespace planning;

static std::string describeMissing(const Problem &problem,
                                   const Infeasible &over) {
  return "no plan by " + over.strategy + ": pool '" +
         problem.pools[size_t(over.pool)].name + "' " +
         formatShortage(over.needBytes, over.haveBytes);
}

void decision(std::string_view what, const Problem &problem,
              const SolveResult &result) {
  if (!isShown(Level::Debug) || problem.buffers.empty())
    return;
  std::string text = std::string(what) + ": " +
                     std::to_string(problem.buffers.size()) + " buffers\n";
  if (const auto *plan = std::get_if<Plan>(&result))
    text += describePlan(problem, *plan);
  else if (const auto *over = std::get_if<Infeasible>(&result))
    text += describeMissing(problem, *over) + "\n";
  else
    return; // An error of the caller, who tells it.
  for (size_t pool = 0; pool < problem.pools.size(); ++pool)
    if (const std::string peak = describePeak(problem, PoolId(pool));
        !peak.empty())
      text += peak + "\n";
  text.pop_back();
  debug(text);
}

} // namespace tpu_mlir::log

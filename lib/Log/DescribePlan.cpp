//===- DescribePlan.cpp - A planner's answer in words ---------------------===//

#include "tpu_mlir/Log/DescribePlan.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

namespace tpu_mlir::planning {

/// Buffers of a peak that are told one by one.
static constexpr size_t kMostTold = 4;

std::string shownGap(int64_t used, int64_t bound) {
  if (bound <= 0)
    return "-";
  const double gap = double(used) - double(bound);
  return llvm::formatv("{0:f2} %", 100.0 * gap / double(bound)).str();
}

std::string shownShare(int64_t part, int64_t whole) {
  if (whole <= 0)
    return "-";
  return llvm::formatv("{0:f1} %", 100.0 * double(part) / double(whole)).str();
}

/// What matters where there is a choice.
static std::string describeUse(const Pool &pool, int64_t usedBytes,
                               int64_t servedBytes, int64_t allBytes) {
  std::string text;
  if (pool.capacityBytes)
    text += "; " + shownShare(usedBytes, *pool.capacityBytes) + " of " +
            formatBytes(*pool.capacityBytes);
  return text + "; serves " + formatBytes(servedBytes) + ", " +
         shownShare(servedBytes, allBytes);
}

std::string describePools(const Problem &problem, const Plan &plan) {
  std::string text;
  const std::vector<int64_t> served = servedByPools(problem, plan);
  int64_t all = 0;
  for (int64_t bytes : served)
    all = saturatedAdd(all, bytes);
  for (size_t i = 0; i < plan.pools.size() && i < problem.pools.size(); ++i) {
    const PoolUse &use = plan.pools[i];
    text += (i ? "\n" : "") + problem.pools[i].name + ": used " +
            formatExactBytes(use.usedBytes) + ", lower bound " +
            formatExactBytes(use.lowerBoundBytes) + ", gap " +
            formatExactBytes(saturatedSub(use.usedBytes, use.lowerBoundBytes)) +
            ", " + shownGap(use.usedBytes, use.lowerBoundBytes);
    if (plan.pools.size() > 1)
      text += describeUse(problem.pools[i], use.usedBytes, served[i], all);
  }
  return text;
}

std::string describePlan(const Problem &problem, const Plan &plan) {
  std::string text = describePools(problem, plan);
  text += plan.pools.size() > 1 ? "\n" : "; ";
  text += "proof " + std::string(proofName(plan.proof)) + "; strategy " +
          plan.strategy;
  if (!plan.winner.empty())
    text += " (" + plan.winner + ")";
  text += "; " + formatCount(plan.nodes) + " nodes" +
          (plan.isInterrupted ? ", interrupted\n"
           : plan.isCutByTime ? ", ended by the time limit\n"
                              : "\n");
  if (!plan.poolPolicy.empty())
    text += "pools by " + plan.poolPolicy + ": access cost " +
            formatCount(plan.accessCost) + ", proof " +
            std::string(proofName(plan.costProof)) + "\n";
  return text;
}

std::string describePeak(const Problem &problem, PoolId pool) {
  const LiveBound bound = liveBound(problem, pool);
  if (bound.peakSet.empty())
    return "";
  std::string text = problem.pools[size_t(pool)].name + ": most is alive at " +
                     "step " + std::to_string(bound.peakStep) + ":";
  int64_t rest = 0;
  for (size_t i = 0; i < bound.peakSet.size(); ++i) {
    const Buffer &buffer = problem.buffers[size_t(bound.peakSet[i])];
    if (i < kMostTold)
      text += std::string(i ? ", '" : " '") + buffer.name + "' " +
              formatExactBytes(buffer.sizeBytes);
    else
      rest = saturatedAdd(rest, buffer.sizeBytes);
  }
  if (bound.peakSet.size() > kMostTold)
    text += ", " + std::to_string(bound.peakSet.size() - kMostTold) +
            " more with " + formatExactBytes(rest);
  return text;
}

} // namespace tpu_mlir::planning

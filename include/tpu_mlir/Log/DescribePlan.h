//===- DescribePlan.h - A planner's answer in words -------------*- C++ -*-===//

#ifndef TPU_MLIR_LOG_DESCRIBEPLAN_H
#define TPU_MLIR_LOG_DESCRIBEPLAN_H

#include "tpu_mlir/Planning/Plan.h"

namespace tpu_mlir::planning {

/// "2.34 %" of `bound`; "-" when that is 0.
std::string shownGap(int64_t used, int64_t bound);
/// "41.3 %"; "-" when `whole` is 0.
std::string shownShare(int64_t part, int64_t whole);
/// Used, lower bound, gap of each pool, a line each; where there are several
/// also how full they are and what part of the accesses they serve.
std::string describePools(const Problem &problem, const Plan &plan);
/// describePools() and what is known about the plan: proof, strategy, nodes,
/// and what the classic allocation takes where the plan says so.
std::string describePlan(const Problem &problem, const Plan &plan);
/// The step at which most is alive in `pool`, and what, largest first. "" for a
/// pool that nothing has to be in. O(i log i), i the number of lifespans.
std::string describePeak(const Problem &problem, PoolId pool);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LOG_DESCRIBEPLAN_H

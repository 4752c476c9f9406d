//===- Plan.h - What a memory planner answers -------------------*- C++ -*-===//

#ifndef TPU_MLIR_PLANNING_PLAN_H
#define TPU_MLIR_PLANNING_PLAN_H

#include "tpu_mlir/Planning/Problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tpu_mlir::planning {

/// Where one buffer is: `offsetBytes` from the pool's base address.
struct Placement {
  PoolId pool = 0;
  int64_t offsetBytes = 0;
  bool operator==(const Placement &o) const {
    return pool == o.pool && offsetBytes == o.offsetBytes;
  }
};

/// What is known about the plan's quality.
enum class Proof {
  None,       ///< A valid plan, nothing more.
  LowerBound, ///< Every pool's high-water mark equals its lower bound.
  Optimal,    ///< Proved by search although the bound is lower.
  LimitHit,   ///< The search stopped at a limit; best plan found.
};

/// One pool of a plan.
struct PoolUse {
  /// High-water mark: the largest end of a buffer in this pool, 0 when none.
  int64_t usedBytes = 0;
  /// No plan can use less (see Bounds.h).
  int64_t lowerBoundBytes = 0;
  bool operator==(const PoolUse &o) const {
    return usedBytes == o.usedBytes && lowerBoundBytes == o.lowerBoundBytes;
  }
};

/// An address for every buffer, aliases included, in buffer order.
struct Plan {
  std::vector<Placement> placements;
  std::vector<PoolUse> pools;
  /// The registry name of the strategy that made it; "auto" reports its
  /// winner in `winner`.
  std::string strategy;
  std::string winner;
  Proof proof = Proof::None;
  /// How pools were chosen: "order", "value" or "exact"; empty when nothing had
  /// a choice.
  std::string poolPolicy;
  /// Sum over all buffers of servedBytes() times the cost of their pool, at
  /// most INT64_MAX: what "value" and "exact" make small.
  int64_t accessCost = 0;
  /// What is known of accessCost. LowerBound: each buffer is in its cheapest
  /// candidate. Optimal: a search has shown that nothing is cheaper.
  Proof costProof = Proof::None;
  /// Search steps of all pools together: how hard it was, not part of what the
  /// plan says, so not compared and not written to files.
  int64_t nodes = 0;
  /// The time limit ended the search, so that another run may find another
  /// plan. Not compared, either.
  bool isCutByTime = false;
  /// The stop token did.
  bool isInterrupted = false;

  bool operator==(const Plan &o) const;
};

/// For each pool the bytes that go to and come from it in one run: the sum of
/// servedBytes() of the buffers that the plan puts there, at most INT64_MAX.
std::vector<int64_t> servedByPools(const Problem &problem, const Plan &plan);

/// Why there is no plan. A value: front ends turn it into their message.
struct Infeasible {
  PoolId pool = 0;
  /// Bytes that the best attempt (or, when `boundExceeds`, any layout) needs.
  int64_t needBytes = 0;
  int64_t haveBytes = 0;
  /// Where the live sum is largest, or where packing failed.
  int64_t peakStep = 0;
  /// Storage roots alive at peakStep in this pool, largest first.
  std::vector<BufferId> witness;
  /// True: the live sum alone is over, so no layout can fit. False: only this
  /// strategy's packing failed.
  bool boundExceeds = false;
  /// True: a search has shown that no layout can fit, although the live sum
  /// does.
  bool isProved = false;
  std::string strategy;
  /// The time limit ended the search.
  bool isCutByTime = false;
  /// The stop token did.
  bool isInterrupted = false;

  /// There is no plan, rather than none that was found.
  bool isCertain() const { return boundExceeds || isProved; }
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_PLAN_H

//===- StackedGreedy.h - A yardstick: greedy without gaps -------*- C++ -*-===//
//
// How the greedy planners of Apache TVM place buffers in pools: a buffer goes
// on top of everything that is in its way, gaps below are not used; a pool is
// dropped for it as soon as that ends beyond the limit; the first candidate
// that is left gets it. Unlike there, a dropped pool stays dropped, so nothing
// overlaps. Not a strategy: the numbers published for the originals are what
// plans are compared with.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PLANNING_STACKEDGREEDY_H
#define TPU_MLIR_TESTS_PLANNING_STACKEDGREEDY_H

#include "tpu_mlir/Planning/Plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tpu_mlir::planning {

enum class StackedOrder { BySize, ByConflicts };

class StackedGreedy {
public:
  StackedGreedy(const Problem &problem, StackedOrder order)
      : problem(problem), order(order), at(problem.buffers.size()) {}

  /// nullopt: some buffer finds no pool. No pins, aliases, pairs, reserved
  /// ranges or rights.
  std::optional<Plan> run() {
    std::vector<size_t> ids(at.size());
    std::iota(ids.begin(), ids.end(), 0);
    std::sort(ids.begin(), ids.end(),
              [&](size_t a, size_t b) { return keyOf(a) > keyOf(b); });
    Plan plan;
    plan.pools.resize(problem.pools.size());
    for (size_t id : ids) {
      if (!place(id))
        return std::nullopt;
      int64_t &used = plan.pools[size_t(at[id]->pool)].usedBytes;
      used = std::max(used, at[id]->offsetBytes + sizeOf(id));
    }
    for (const auto &placement : at)
      plan.placements.push_back(*placement);
    return plan;
  }

private:
  int64_t sizeOf(size_t id) const { return problem.buffers[id].sizeBytes; }
  bool conflict(size_t a, size_t b) const {
    return a != b && anyOverlap(problem.buffers[a].lifespans,
                                problem.buffers[b].lifespans);
  }
  std::tuple<int64_t, int64_t, std::string> keyOf(size_t id) const {
    int64_t conflicts = 0;
    for (size_t other = 0; other < at.size(); ++other)
      conflicts += conflict(id, other);
    const std::string &name = problem.buffers[id].name;
    return order == StackedOrder::BySize
               ? std::tuple(sizeOf(id), conflicts, name)
               : std::tuple(conflicts, sizeOf(id), name);
  }
  bool place(size_t id) {
    for (PoolId pool : problem.buffers[id].pools) {
      int64_t offset = 0;
      for (size_t other = 0; other < at.size(); ++other)
        if (at[other] && at[other]->pool == pool && conflict(id, other)) {
          const int64_t unit = problem.buffers[other].alignment;
          const int64_t end = at[other]->offsetBytes + sizeOf(other);
          offset = std::max(offset, (end + unit - 1) / unit * unit);
        }
      const auto limit = problem.pools[size_t(pool)].capacityBytes;
      if (limit && offset + sizeOf(id) > *limit)
        continue;
      at[id] = Placement{pool, offset};
      return true;
    }
    return false;
  }

  const Problem &problem;
  const StackedOrder order;
  std::vector<std::optional<Placement>> at;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PLANNING_STACKEDGREEDY_H

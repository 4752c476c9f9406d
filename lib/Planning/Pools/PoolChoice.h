//===- PoolChoice.h - Who goes to which pool --------------------*- C++ -*-===//
//
// The problem of choosing pools, apart from how: storage classes, the pools
// each may choose from, and what each choice costs. Three ways to solve it:
//
//   chooseByOrder  first come; what does not fit moves on     MovingOn.cpp
//   chooseByValue  the most valuable in the cheapest pool     ValueChoice.cpp
//   chooseExactly  all choices that can be cheaper            ExactChoice.cpp
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_POOLS_POOLCHOICE_H
#define TPU_MLIR_LIB_PLANNING_POOLS_POOLCHOICE_H

#include "lib/Planning/Pools/PoolPacker.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// A pool for each class, and an offset there.
struct Assignment {
  /// Index into StorageClass::pools, by class.
  std::vector<size_t> candidate;
  std::vector<PackedPool> pools;
};

/// Numbers of this file are int64_t that stop at INT64_MAX (saturatedAdd).
class PoolChoice : public PoolQuestion {
public:
  explicit PoolChoice(const PoolQuestion &asked);
  PoolChoice(const PoolChoice &) = delete;

  const std::vector<StorageClass> classes;
  PoolPacker packer;
  /// All classes by content: the end of every tie, so that the order of the
  /// buffers does not matter. `rank` is its inverse. Empty without choosers.
  ClassIds byContent;
  std::vector<size_t> rank;
  /// Classes that have a choice, by content.
  ClassIds choosers;
  /// Some class has candidates that differ in accessCost.
  bool hasCosts = false;

  PoolId poolAt(size_t id, size_t candidate) const {
    return classes[id].pools[candidate];
  }
  bool hasChoice(size_t id) const {
    return !classes[id].pin && classes[id].pools.size() > 1;
  }
  /// The candidate a class without choice has to take.
  size_t onlyCandidate(size_t id) const;
  /// What the class costs there: served bytes times accessCost, or times the
  /// index of the candidate when no class has costs to compare.
  int64_t costOf(size_t id, size_t candidate) const;
  int64_t costOf(const Assignment &assignment) const;
  /// No assignment costs less: each class in its cheapest candidate.
  int64_t leastCost() const;
  /// Candidates of a class that has a choice, cheapest first, ties in the given
  /// order.
  const std::vector<size_t> &cheapestFirst(size_t id) const {
    return preference[id];
  }
  /// Bytes of the pool that can be used at all.
  int64_t roomOf(PoolId pool) const;

  /// Sorts by `before`, ties by content.
  template <typename Before> void sortBy(ClassIds &ids, Before before) const {
    std::sort(ids.begin(), ids.end(), [&](size_t a, size_t b) {
      if (before(a, b) || before(b, a))
        return before(a, b);
      return rank[a] < rank[b];
    });
  }

private:
  int64_t accessCostAt(size_t id, size_t candidate) const {
    return problem.pools[size_t(poolAt(id, candidate))].accessCost;
  }
  void preferCheap(size_t id);

  std::vector<std::vector<size_t>> preference; ///< By class.
};

/// How buffers move from pool to pool.
struct MovingOrder {
  /// For each class with a choice its candidates, best first. Empty without
  /// choosers.
  std::vector<std::vector<size_t>> preference;
  /// All classes; those that move on first, first.
  ClassIds victims;
  /// All classes; those that are offered a gap first, first.
  ClassIds returners;
};

/// Each class goes to its best candidate; what does not fit moves on to the
/// next best, victims first (see solve()). O(the strategy's time, a logarithmic
/// number of times each pool, + n log n).
std::variant<Assignment, Infeasible> moveOn(PoolChoice &choice,
                                            const MovingOrder &order);

/// Moves classes into gaps of better candidates until none fits any more.
/// Packs what has lost some anew where `mayRepack`, if that makes it lower.
void moveBack(PoolChoice &choice, const MovingOrder &order, bool mayRepack,
              Assignment &assignment);

/// Candidates in the order of the problem, the largest moves on first.
MovingOrder firstCome(const PoolChoice &choice);
std::variant<Assignment, Infeasible> chooseByOrder(PoolChoice &choice);

/// nullopt when it finds nothing that fits. Not dearer than `known`, if that is
/// given; its search looks at options.nodeLimit places at most.
std::optional<Assignment> chooseByValue(PoolChoice &choice,
                                        const Assignment *known);

/// A search that improves an assignment by moving classes into gaps and by
/// swapping: a class takes the place of others that are worth less together.
/// At most `nodeLimit` looks at a neighbour. True when it has changed anything.
bool improveBySwaps(PoolChoice &choice, int64_t nodeLimit,
                    Assignment &assignment);

struct ExactChoice {
  std::optional<Assignment> best;
  /// Optimal: nothing is cheaper (or nothing fits, when there is no `best`).
  Proof proof = Proof::None;
};
/// The cheapest assignment there is, unless the node limit stops the search.
/// `known` is where it begins, if there is one.
ExactChoice chooseExactly(PoolChoice &choice, const Assignment *known);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_POOLS_POOLCHOICE_H

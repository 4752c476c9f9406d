//===- ValueChoice.cpp - The most valuable in the cheapest pool -----------===//
//
// What it costs a class to move on from a pool, its *regret*, is the cost of
// its next best candidate less that of this one. Fast memory is a resource of
// bytes and steps; the classes that pay most for what they take of it should
// have it. Two measures of what they take, and for each two ways to begin:
//
//   per byte          what counts at the peak of the pool
//   per byte x step   what counts for all that want the pool at other times
//
//   moving on   all in the cheapest pool; the least valuable at the peak moves
//               on until the rest can be packed
//   inserting   pools by cost; into each the most valuable first, each into the
//               lowest gap that holds it
//
// After each, gaps are filled from the pools behind. The cheapest of the four
// is improved by swaps, by other orders of insertion (Insertion.h), and by
// swaps again. With many classes only the second measure and the first swaps
// are tried.
//
// The orders are those of the greedy algorithms for the knapsack problem (G. B.
// Dantzig: Discrete-variable extremum problems, 1957) and of the storage
// allocation problem, where items also have a height and a life.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Pools/Insertion.h"
#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

constexpr size_t kManyClasses = 20'000;

class Valuer {
public:
  Valuer(PoolChoice &choice, Inserter &inserter)
      : choice(choice), inserter(inserter) {}

  std::optional<Assignment> best;

  void tryMeasure(bool countSteps) {
    weigh(countSteps);
    const MovingOrder order = movingOrder();
    auto moved = moveOn(choice, order);
    if (auto *assignment = std::get_if<Assignment>(&moved))
      offer(order, *assignment);
    if (auto inserted = insert())
      offer(order, *inserted);
  }

  void offer(Assignment assignment) {
    if (!best || choice.costOf(assignment) < choice.costOf(*best))
      best = std::move(assignment);
  }

private:
  void offer(const MovingOrder &order, Assignment &assignment) {
    moveBack(choice, order, !choice.options.fitIsEnough, assignment);
    offer(std::move(assignment));
  }

  void weigh(bool countSteps) {
    weight.assign(choice.classes.size(), 1);
    for (size_t id : choice.choosers) {
      const StorageClass &storage = choice.classes[id];
      int64_t steps = 0;
      for (const Interval &span : storage.lifespans)
        steps = saturatedAdd(steps, span.length());
      weight[id] = std::max<int64_t>(
          saturatedMul(storage.sizeBytes, countSteps ? steps : 1), 1);
    }
  }

  /// Pays more for what it takes. Products of 63 bits each are exact.
  bool isDenser(int64_t valueA, size_t a, int64_t valueB, size_t b) const {
    return __int128(valueA) * weight[b] > __int128(valueB) * weight[a];
  }
  int64_t regret(size_t id, size_t candidate, size_t next) const {
    return choice.costOf(id, next) - choice.costOf(id, candidate);
  }

  MovingOrder movingOrder() const {
    MovingOrder order;
    order.preference.resize(choice.classes.size());
    std::vector<int64_t> value(choice.classes.size(), 0);
    for (size_t id : choice.choosers) {
      order.preference[id] = choice.cheapestFirst(id);
      value[id] = regret(id, order.preference[id][0], order.preference[id][1]);
    }
    ClassIds denseFirst = choice.choosers;
    choice.sortBy(denseFirst, [&](size_t a, size_t b) {
      return isDenser(value[a], a, value[b], b);
    });
    order.returners = denseFirst;
    order.victims.assign(denseFirst.rbegin(), denseFirst.rend());
    for (size_t id : choice.byContent)
      if (!choice.hasChoice(id))
        order.victims.push_back(id);
    return order;
  }

  /// The most valuable of those who want a pool first; what they are worth
  /// depends on the pools that are still to come.
  std::optional<Assignment> insert() {
    std::vector<bool> isDone(choice.problem.pools.size(), false);
    return inserter.insert([&](PoolId pool, ClassIds &wanting) {
      isDone[size_t(pool)] = true;
      std::vector<int64_t> value(choice.classes.size(), 0);
      for (size_t id : wanting) {
        const auto &pools = choice.classes[id].pools;
        const size_t here =
            size_t(std::find(pools.begin(), pools.end(), pool) - pools.begin());
        for (size_t next : choice.cheapestFirst(id))
          if (!isDone[size_t(pools[next])]) {
            value[id] = std::max<int64_t>(regret(id, here, next), 0);
            break;
          }
      }
      choice.sortBy(wanting, [&](size_t a, size_t b) {
        return isDenser(value[a], a, value[b], b);
      });
    });
  }

  PoolChoice &choice;
  Inserter &inserter;
  std::vector<int64_t> weight; ///< Of what a class takes of a pool.
};

/// After the search: pools packed anew where that is lower, and then whatever
/// finds a gap.
void finish(PoolChoice &choice, Assignment &assignment) {
  MovingOrder order;
  order.preference.resize(choice.classes.size());
  for (size_t id : choice.choosers)
    order.preference[id] = choice.cheapestFirst(id);
  order.returners = choice.choosers;
  for (size_t pool = 0;
       pool < assignment.pools.size() && !choice.options.fitIsEnough; ++pool) {
    PackedPool &now = assignment.pools[pool];
    PackedPool again = choice.packer.pack(PoolId(pool), now.classes);
    if (choice.packer.fits(PoolId(pool), again) &&
        again.usedBytes < now.usedBytes)
      now = std::move(again);
  }
  moveBack(choice, order, false, assignment);
}

} // namespace

std::optional<Assignment> chooseByValue(PoolChoice &choice,
                                        const Assignment *known) {
  Inserter inserter(choice);
  Valuer valuer(choice, inserter);
  if (known)
    valuer.offer(*known);
  valuer.tryMeasure(true);
  if (choice.classes.size() <= kManyClasses)
    valuer.tryMeasure(false);
  if (!valuer.best)
    return std::nullopt;
  const int64_t part = choice.options.nodeLimit / 4;
  improveBySwaps(choice, part, *valuer.best);
  if (choice.classes.size() <= kManyClasses &&
      improveByOrders(choice, inserter, 2 * part, *valuer.best))
    improveBySwaps(choice, part, *valuer.best);
  finish(choice, *valuer.best);
  return std::move(valuer.best);
}

} // namespace tpu_mlir::planning

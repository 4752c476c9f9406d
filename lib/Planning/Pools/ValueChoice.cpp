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
// After each, gaps are filled from the pools after. The cheapest of the four
// is improved by swaps, by other orders of insertion, and by
// swaps again. With many classes only the second measure and the first swaps
// are tried.
//
// The orders are those of the greedy algorithms for the knapsack problem (G. B.
// Dantzig: Discrete-variable extremum problems, 1957) and of the storage
// allocation problem, where items also have a height and a life.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Pools/PoolChoice.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace tpu_mlir::planning {
namespace {

/// Makes assignments out of orders: pools from the cheapest on, in each of them
/// those that may be there and are nowhere yet, each into the lowest gap that
/// holds it.
class Inserter {
public:
  explicit Inserter(PoolChoice &choice);

  /// Brings those who want a pool into order.
  using Sort = std::function<void(PoolId, ClassIds &)>;
  /// Those for whom a pool is the last come first there, else in the order of
  /// `sort`. nullopt when one finds no place. A pass of first fit for each
  /// pool.
  std::optional<Assignment> insert(const Sort &sort);
  /// `insert` by one order for all pools; all choosers, each once.
  std::optional<Assignment> insert(const ClassIds &order);

private:
  void insertInto(PoolId pool, const Sort &sort, std::vector<size_t> &poolsLeft,
                  ClassIds &waiting, Assignment &result);
  bool packFixed();

  PoolChoice &choice;
  std::vector<PoolId> cheapFirst;
  Assignment fixed; ///< Of those who have no choice.
  bool isPossible = true;
};

} // namespace

/// What an insertion costs for each class, in nodes, beyond the gaps it asks
/// for.
static constexpr int64_t kNodesOfInsertion = 20;
/// Attempts in vain for each class before the search gives up.
static constexpr size_t kPatience = 16;

Inserter::Inserter(PoolChoice &choice)
    : choice(choice), cheapFirst(choice.problem.pools.size()) {
  std::iota(cheapFirst.begin(), cheapFirst.end(), 0);
  if (choice.hasCosts)
    std::stable_sort(cheapFirst.begin(), cheapFirst.end(),
                     [&](PoolId a, PoolId b) {
                       return choice.problem.pools[size_t(a)].accessCost <
                              choice.problem.pools[size_t(b)].accessCost;
                     });
  isPossible = packFixed();
}

bool Inserter::packFixed() {
  fixed.candidate.resize(choice.classes.size(), 0);
  fixed.pools.resize(choice.problem.pools.size());
  std::vector<ClassIds> here(fixed.pools.size());
  for (size_t id = 0; id < choice.classes.size(); ++id) {
    if (choice.hasChoice(id))
      continue;
    fixed.candidate[id] = choice.onlyCandidate(id);
    here[size_t(choice.poolAt(id, fixed.candidate[id]))].push_back(id);
  }
  for (size_t pool = 0; pool < here.size(); ++pool) {
    fixed.pools[pool] = choice.packer.pack(PoolId(pool), here[pool]);
    if (!choice.packer.fits(PoolId(pool), fixed.pools[pool]))
      return false;
  }
  return true;
}

std::optional<Assignment> Inserter::insert(const Sort &sort) {
  if (!isPossible)
    return std::nullopt;
  Assignment result = fixed;
  ClassIds waiting = choice.choosers;
  std::vector<size_t> poolsLeft(choice.classes.size(), 0);
  for (size_t id : waiting)
    poolsLeft[id] = choice.classes[id].pools.size();
  for (PoolId pool : cheapFirst)
    insertInto(pool, sort, poolsLeft, waiting, result);
  if (!waiting.empty())
    return std::nullopt;
  return result;
}

void Inserter::insertInto(PoolId pool, const Sort &sort,
                          std::vector<size_t> &poolsLeft, ClassIds &waiting,
                          Assignment &result) {
  ClassIds wanting, others;
  for (size_t id : waiting) {
    const auto &pools = choice.classes[id].pools;
    const bool isWanting = std::count(pools.begin(), pools.end(), pool) > 0;
    (isWanting ? wanting : others).push_back(id);
    poolsLeft[id] -= isWanting ? 1 : 0;
  }
  sort(pool, wanting);
  std::stable_partition(wanting.begin(), wanting.end(),
                        [&](size_t id) { return poolsLeft[id] == 0; });
  PackedPool &packed = result.pools[size_t(pool)];
  const size_t before = packed.classes.size();
  const ClassIds left = choice.packer.fill(pool, packed, wanting);
  for (size_t i = before; i < packed.classes.size(); ++i) {
    const size_t id = packed.classes[i];
    const auto &pools = choice.classes[id].pools;
    result.candidate[id] =
        size_t(std::find(pools.begin(), pools.end(), pool) - pools.begin());
  }
  others.insert(others.end(), left.begin(), left.end());
  waiting = std::move(others);
}

std::optional<Assignment> Inserter::insert(const ClassIds &order) {
  std::vector<size_t> position(choice.classes.size(), 0);
  for (size_t i = 0; i < order.size(); ++i)
    position[order[i]] = i;
  return insert([&](PoolId, ClassIds &wanting) {
    std::sort(wanting.begin(), wanting.end(),
              [&](size_t a, size_t b) { return position[a] < position[b]; });
  });
}

namespace {

class OrderSearch {
public:
  OrderSearch(PoolChoice &choice, Inserter &inserter, Assignment &assignment)
      : choice(choice), inserter(inserter), best(assignment),
        bestCost(choice.costOf(assignment)), random(choice.options.seed),
        order(orderOf(assignment)) {}

  bool run(int64_t nodeLimit) {
    const int64_t firstCost = bestCost;
    const int64_t end = choice.packer.nodes() + nodeLimit;
    int64_t now = offer(order);
    losers = losersOf(best);
    const size_t patience = kPatience * order.size();
    for (size_t inVain = 0; inVain < patience && !losers.empty() &&
                            choice.packer.nodes() + ownNodes < end &&
                            !choice.options.deadline.isOver();
         ++inVain) {
      const ClassIds before = order;
      const int64_t bestBefore = bestCost;
      moveUp(losers[size_t(random() % losers.size())]);
      const int64_t cost = offer(order);
      if (cost > now)
        order = before;
      else
        now = cost;
      if (bestCost < bestBefore)
        inVain = 0;
    }
    return bestCost < firstCost;
  }

private:
  ClassIds orderOf(const Assignment &assignment) const {
    std::vector<int64_t> offset(choice.classes.size(), 0);
    std::vector<int64_t> cost(choice.classes.size(), 0);
    for (size_t pool = 0; pool < assignment.pools.size(); ++pool) {
      const PackedPool &packed = assignment.pools[pool];
      for (size_t i = 0; i < packed.classes.size(); ++i) {
        offset[packed.classes[i]] = packed.offsets[i];
        cost[packed.classes[i]] = choice.problem.pools[pool].accessCost;
      }
    }
    ClassIds ids = choice.choosers;
    choice.sortBy(ids, [&](size_t a, size_t b) {
      return std::pair(cost[a], offset[a]) < std::pair(cost[b], offset[b]);
    });
    return ids;
  }
  /// INT64_MAX when the order leads to nothing.
  int64_t offer(const ClassIds &ids) {
    ownNodes += kNodesOfInsertion * int64_t(choice.classes.size());
    auto found = inserter.insert(ids);
    if (!found)
      return INT64_MAX;
    const int64_t cost = choice.costOf(*found);
    losers = losersOf(*found);
    if (cost < bestCost) {
      best = std::move(*found);
      bestCost = cost;
    }
    return cost;
  }
  /// Those who are not in their cheapest pool.
  ClassIds losersOf(const Assignment &assignment) const {
    ClassIds ids;
    for (size_t id : choice.choosers)
      if (choice.costOf(id, assignment.candidate[id]) >
          choice.costOf(id, choice.cheapestFirst(id).front()))
        ids.push_back(id);
    return ids;
  }
  void moveUp(size_t id) {
    const size_t from =
        size_t(std::find(order.begin(), order.end(), id) - order.begin());
    if (from == 0)
      return;
    const size_t to = size_t(random() % from);
    std::rotate(order.begin() + int64_t(to), order.begin() + int64_t(from),
                order.begin() + int64_t(from) + 1);
  }

  PoolChoice &choice;
  Inserter &inserter;
  Assignment &best;
  int64_t bestCost;
  std::mt19937_64 random;
  ClassIds order, losers;
  int64_t ownNodes = 0;
};

} // namespace

/// A search for a better order of insertion. Begins with the one that rebuilds
/// the assignment (pools from the cheapest on, offsets from the bottom up: so
/// each one finds the place it had, or a lower one), moves one that is not in
/// its cheapest pool to an earlier place at random (SolveOptions::seed), and
/// keeps what is no dearer; until the limit, or long after the last success.
/// True when that made it cheaper.
static bool improveByOrders(PoolChoice &choice, Inserter &inserter,
                            int64_t nodeLimit, Assignment &assignment) {
  return OrderSearch(choice, inserter, assignment).run(nodeLimit);
}

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

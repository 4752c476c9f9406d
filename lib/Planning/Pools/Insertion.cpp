//===- Insertion.cpp - Pools filled one after the other -------------------===//

#include "lib/Planning/Pools/Insertion.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace tpu_mlir::planning {

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

bool improveByOrders(PoolChoice &choice, Inserter &inserter, int64_t nodeLimit,
                     Assignment &assignment) {
  return OrderSearch(choice, inserter, assignment).run(nodeLimit);
}

} // namespace tpu_mlir::planning

//===- PoolChoice.cpp - Who goes to which pool ----------------------------===//

#include "lib/Planning/Pools/PoolChoice.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <numeric>

namespace tpu_mlir::planning {

PoolChoice::PoolChoice(const Problem &problem, const Strategy &strategy,
                       const SolveOptions &options)
    : problem(problem), strategy(strategy), options(options),
      classes(foldAliases(problem)),
      packer(problem, classes, strategy, options) {
  for (size_t id = 0; id < classes.size(); ++id)
    if (hasChoice(id))
      choosers.push_back(id);
  if (choosers.empty())
    return;
  byContent.resize(classes.size());
  std::iota(byContent.begin(), byContent.end(), 0);
  sortByContent(byContent, classes);
  rank.resize(classes.size());
  for (size_t i = 0; i < byContent.size(); ++i)
    rank[byContent[i]] = i;
  sortBy(choosers, [](size_t, size_t) { return false; });
  for (size_t id : choosers)
    for (size_t i = 1; i < classes[id].pools.size(); ++i)
      hasCosts |= accessCostAt(id, i) != accessCostAt(id, 0);
  preference.resize(classes.size());
  for (size_t id : choosers)
    preferCheap(id);
}

void PoolChoice::preferCheap(size_t id) {
  std::vector<size_t> &wishes = preference[id];
  wishes.resize(classes[id].pools.size());
  std::iota(wishes.begin(), wishes.end(), 0);
  if (hasCosts)
    std::stable_sort(wishes.begin(), wishes.end(), [&](size_t a, size_t b) {
      return accessCostAt(id, a) < accessCostAt(id, b);
    });
}

size_t PoolChoice::onlyCandidate(size_t id) const {
  const StorageClass &storage = classes[id];
  if (!storage.pin)
    return 0;
  return size_t(
      std::find(storage.pools.begin(), storage.pools.end(), storage.pin->pool) -
      storage.pools.begin());
}

int64_t PoolChoice::costOf(size_t id, size_t candidate) const {
  const int64_t cost =
      hasCosts ? accessCostAt(id, candidate) : int64_t(candidate);
  return saturatedMul(classes[id].servedBytes, cost);
}

int64_t PoolChoice::costOf(const Assignment &assignment) const {
  int64_t sum = 0;
  for (size_t id = 0; id < classes.size(); ++id)
    sum = saturatedAdd(sum, costOf(id, assignment.candidate[id]));
  return sum;
}

int64_t PoolChoice::leastCost() const {
  int64_t sum = 0;
  for (size_t id = 0; id < classes.size(); ++id)
    sum = saturatedAdd(sum, costOf(id, hasChoice(id) ? preference[id].front()
                                                     : onlyCandidate(id)));
  return sum;
}

int64_t PoolChoice::roomOf(PoolId pool) const {
  const Pool &where = problem.pools[size_t(pool)];
  const int64_t end = usableEnd(where);
  int64_t room = end;
  for (const Interval &range : where.reserved)
    if (range.begin < end)
      room -= range.length();
  return room;
}

} // namespace tpu_mlir::planning

//===- GreedyOrders.cpp - The orders of the TVM planner -------------------===//

#include "lib/Planning/Strategies/GreedyOrders.h"

#include "lib/Planning/Strategies/Placing.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {

std::vector<int64_t> conflictCounts(const PackingProblem &problem) {
  const std::vector<Item> &items = problem.items;
  std::vector<int64_t> begins, ends;
  for (const Item &item : items) {
    if (item.sizeBytes == 0)
      continue;
    begins.push_back(hullOf(item).begin);
    ends.push_back(hullOf(item).end);
  }
  std::sort(begins.begin(), begins.end());
  std::sort(ends.begin(), ends.end());
  std::vector<int64_t> counts(items.size(), 0);
  for (size_t id = 0; id < items.size(); ++id) {
    if (items[id].sizeBytes == 0)
      continue;
    const Interval hull = hullOf(items[id]);
    // All that begin before its end, without those that are over by its begin
    // and without itself.
    const auto begun = std::lower_bound(begins.begin(), begins.end(), hull.end);
    const auto over = std::upper_bound(ends.begin(), ends.end(), hull.begin);
    counts[id] = (begun - begins.begin()) - (over - ends.begin()) - 1;
  }
  for (const auto &[a, b] : problem.forbiddenSharing) {
    const Item &x = items[a], &y = items[b];
    if (x.sizeBytes == 0 || y.sizeBytes == 0 || hullOf(x).overlaps(hullOf(y)))
      continue;
    ++counts[a];
    ++counts[b];
  }
  return counts;
}

std::vector<size_t> bySizeThenConflicts(const PackingProblem &problem,
                                        std::vector<size_t> items) {
  const std::vector<int64_t> conflicts = conflictCounts(problem);
  std::sort(items.begin(), items.end(), [&](size_t a, size_t b) {
    return std::tie(problem.items[a].sizeBytes, conflicts[a], a) >
           std::tie(problem.items[b].sizeBytes, conflicts[b], b);
  });
  return items;
}

std::vector<size_t> byConflictsThenSize(const PackingProblem &problem,
                                        std::vector<size_t> items) {
  const std::vector<int64_t> conflicts = conflictCounts(problem);
  std::sort(items.begin(), items.end(), [&](size_t a, size_t b) {
    return std::tie(conflicts[a], problem.items[a].sizeBytes, a) >
           std::tie(conflicts[b], problem.items[b].sizeBytes, b);
  });
  return items;
}

} // namespace tpu_mlir::planning

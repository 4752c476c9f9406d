//===- InsertionOrders.cpp - First fit in a given order -------------------===//
//
// Strategies that differ in nothing but the order in which items are placed:
// pinned items first, then the others, each at the lowest offset at which no
// byte belongs to an item that is placed and alive at the same time. A further
// order is a function and a row in the table at the end.
//
// greedy-by-size: largest first, ties by the number of conflicts, most first.
// greedy-by-conflicts: by the number of items that live at the same time, most
// first, ties by size. What has many neighbours is hard to place late: it finds
// a hole only where all of them leave one.
//
// Both orders are those of the memory planner of Apache TVM (USMP). The
// original counts on a conflict graph, where conflictCounts() sweeps, and
// stacks an item above everything it conflicts with: gaps below are lost, and
// with a size limit two items could end up in the same bytes. FirstFit.h uses
// the gaps and keeps every limit.
//
// first-fit-decreasing: largest first, ties in the order of the buffers. Big
// items meet an empty pool, small ones fill the holes between them.
//
//     size 12 [5,10)   at  0    nothing is placed yet
//     size 10 [1,6)    at 12    over the 12, which it meets at step 5
//     size  8 [1,4)    at  0    the 12 comes later: the same bytes will do
//
// This is the heuristic with which Wave, the kernel language of iree-org, packs
// the shared memory of a kernel; TFLite, OpenVINO and others place by size as
// well (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020, take the tightest instead of the lowest hole). Lives are
// closed intervals there and half-open ones here. Alignment, pins, partners and
// gaps in lives are additions. Moving past the placed neighbours one by one is
// quadratic for any problem; FirstFit.h says what takes its place.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/InsertionOrders.h"

#include "lib/Planning/Kit/FirstFit.h"

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

std::vector<size_t> bySize(const PackingProblem &problem,
                           std::vector<size_t> items) {
  std::stable_sort(items.begin(), items.end(), [&](size_t a, size_t b) {
    return problem.items[a].sizeBytes > problem.items[b].sizeBytes;
  });
  return items;
}

namespace {

/// The order that some first fit places in.
using Order = std::vector<size_t> (*)(const PackingProblem &,
                                      std::vector<size_t>);

template <Order order>
std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &options) {
  FirstFit firstFit(problem);
  const std::vector<size_t> ordered = order(problem, firstFit.unpinnedItems());
  auto offsets = firstFit.packUntil(options.deadline, ordered, !options.other);
  if (!offsets)
    return std::nullopt;
  Packing packing;
  packing.offsets = std::move(*offsets);
  if (firstFit.wasCut())
    packing.proof = Proof::LimitHit;
  return packing;
}

constexpr size_t kItemLimit = 100'000;

const RegisterStrategy greedyBySize({
    "greedy-by-size",
    "TVM's order by size, then by number of conflicts, each at the lowest free "
    "offset; O(n log^2 n) for networks",
    pack<bySizeThenConflicts>,
});
const RegisterStrategy greedyByConflicts({
    "greedy-by-conflicts",
    "TVM's order by number of conflicts, then by size, each at the lowest free "
    "offset; O(n log^2 n) for networks",
    pack<byConflictsThenSize>,
    {},
    AutoPlace{25, kItemLimit},
});
// As in its source, where sorting is stable and the order counts.
const RegisterStrategy firstFitDecreasing({
    "first-fit-decreasing",
    "largest first, each at the lowest free offset; O(n log^2 n) for networks",
    pack<bySize>,
    {},
    AutoPlace{20, kItemLimit},
    /*followsBufferOrder=*/true,
});

} // namespace
} // namespace tpu_mlir::planning

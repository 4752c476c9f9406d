//===- Settle.cpp - A packing as an order from the bottom up --------------===//

#include "lib/Planning/Search/Relatives/Settle.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// Steps without a lower packing after which the amount of noise starts anew.
static constexpr int kPatience = 64;

/// In [0, 1), the same on every machine.
static double uniform(std::mt19937_64 &random) {
  return double(random() >> 44) / double(1 << 20);
}

Settler::Settler(const PackingProblem &problem, const SolveOptions &options)
    : problem(problem), options(options), firstFit(problem),
      unpinned(firstFit.unpinnedItems()), random(options.seed) {}

bool Settler::settle(const std::vector<int64_t> &offsets) {
  std::vector<double> keys;
  for (int64_t offset : offsets)
    keys.push_back(double(offset));
  return packInOrder(keys);
}

bool Settler::packInOrder(const std::vector<double> &keys) {
  std::vector<size_t> order = unpinned;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  auto offsets =
      firstFit.packUntil(options.deadline, order, bestOffsets.empty());
  if (!offsets)
    return false;
  last = std::move(*offsets);
  takeIfNoHigher(last);
  return true;
}

void Settler::takeIfNoHigher(std::vector<int64_t> offsets) {
  const int64_t high = problem.highWater(offsets);
  if (!bestOffsets.empty() && high > bytes)
    return;
  bytes = high;
  bestOffsets = std::move(offsets);
}

std::vector<bool> Settler::atPeak() const {
  std::vector<Interval> highest;
  for (size_t id = 0; id < bestOffsets.size(); ++id)
    if (!problem.items[id].isReserved &&
        bestOffsets[id] + problem.items[id].sizeBytes == bytes)
      for (const Interval &span : problem.items[id].lifespans)
        highest.push_back(span);
  highest = normalize(std::move(highest));
  std::vector<bool> isThere(bestOffsets.size(), false);
  for (size_t id = 0; id < isThere.size(); ++id)
    for (const Interval &span : problem.items[id].lifespans) {
      const auto after = std::upper_bound(
          highest.begin(), highest.end(), span.begin,
          [](int64_t step, const Interval &peak) { return step < peak.end; });
      isThere[id] =
          isThere[id] || (after != highest.end() && after->overlaps(span));
    }
  return isThere;
}

void Settler::improve(int64_t enough, int64_t moreNodes) {
  const int64_t limit = firstFit.nodes() + moreNodes;
  std::vector<double> keys(bestOffsets.size());
  int inVain = 0;
  while (!bestOffsets.empty() && bytes > enough && firstFit.nodes() < limit &&
         !options.deadline.isOver()) {
    const int64_t before = bytes;
    const std::vector<bool> isAtPeak = atPeak();
    // From a two hundredth of the height to a fifth, and back.
    const double share =
        double(1 + inVain % kPatience) / (5.0 * double(kPatience));
    const double reach = share * double(bytes);
    const double lift = uniform(random);
    for (size_t id = 0; id < keys.size(); ++id) {
      keys[id] = double(bestOffsets[id]) + reach * uniform(random);
      if (isAtPeak[id])
        keys[id] -= reach * lift;
    }
    if (!packInOrder(keys))
      return;
    inVain = bytes < before ? 0 : inVain + 1;
  }
}

} // namespace tpu_mlir::planning

//===- Overlaps.cpp - Results that begin below their operands -------------===//
//
// Why all orders of first fit find the least: of the lowest packings take one
// whose offsets add up to the least, and put its items down in the order of
// their offsets (of two at one offset, the lower of a pair first). None could
// come down alone. A lower offset that the items below leave free would be
// free of those above, too: they are above the item's end, or by their distance
// above its begin, and both only get easier further down. So first fit puts
// each where it is.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Kit/Overlaps.h"

#include "lib/Planning/Kit/Placing.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

namespace tpu_mlir::planning {

std::vector<ItemOverlap> overlapsOfItems(const Problem &problem,
                                         const ItemOfBuffer &itemOfBuffer) {
  std::vector<ItemOverlap> result;
  for (const Overlap &pair : problem.overlaps) {
    const auto lower = itemOfBuffer[pair.lower];
    const auto upper = itemOfBuffer[pair.upper];
    if (lower && upper)
      result.push_back({*lower, *upper, pair.distanceBytes});
  }
  return result;
}

int64_t mostShared(const std::vector<Item> &items, const ItemOverlap &pair,
                   int64_t unit) {
  const int64_t lower = items[size_t(pair.lower)].sizeBytes;
  const int64_t upper = items[size_t(pair.upper)].sizeBytes;
  // Rounded up, both stay below their sum, which counts without the pair.
  const auto ceil = [&](int64_t bytes) {
    return checkedAlignUp(bytes, unit).value_or(kMaxOffset);
  };
  return std::max<int64_t>(
      0, std::min(ceil(upper), ceil(lower) - ceil(pair.distanceBytes)));
}

namespace {

constexpr size_t kMostItems = 2'000;
/// So many get all orders; up to the second as many as that allows, up to the
/// third some that are like the best one.
constexpr size_t kAllOrders = 7, kManyOrders = 12, kSomeOrders = 100;
constexpr int64_t kOrderNodes = 50'000;
constexpr int kLikeTheBest = 200;

/// Offsets that an item cannot have: those between the two.
struct Blocked {
  int64_t after = 0, before = 0;
};

class Overlapping {
public:
  Overlapping(const PackingProblem &problem, Packing &packing)
      : items(problem.items), problem(problem), packing(packing),
        least(problem.highWater(packing.offsets)) {
    for (const ItemOverlap &pair : problem.overlaps)
      distances[{pair.lower, pair.upper}] = pair.distanceBytes;
    for (const auto &[a, b] : problem.forbiddenSharing)
      forbidden[{a, b}] = forbidden[{b, a}] = true;
    for (size_t i = 0; i < items.size(); ++i)
      if (!items[i].pinOffset && items[i].sizeBytes > 0)
        loose.push_back(i);
    offsets.assign(items.size(), -1);
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i].pinOffset || items[i].sizeBytes == 0)
        offsets[i] = items[i].pinOffset.value_or(0);
  }

  void run() {
    if (items.size() <= kMostItems) {
      tryOrders();
      if (least > problem.lowerBoundBytes && loose.size() <= kManyOrders) {
        left = loose.size() <= kAllOrders ? kMaxOffset : kOrderNodes;
        place(0, problem.highWater(pinned()));
        if (left > 0) {
          packing.proof = Proof::Optimal;
          return;
        }
      }
      for (int i = 0; i < kLikeTheBest && loose.size() <= kSomeOrders &&
                      least > problem.lowerBoundBytes;
           ++i)
        tryLikeTheBest();
    }
    if (packing.proof == Proof::Optimal)
      packing.proof = Proof::LimitHit;
  }

private:
  /// Pinned items where they are, the others at 0.
  std::vector<int64_t> pinned() const {
    std::vector<int64_t> result(items.size(), 0);
    for (size_t i = 0; i < items.size(); ++i)
      result[i] = items[i].pinOffset.value_or(-items[i].sizeBytes);
    return result;
  }

  void tryOrders() {
    const auto endOf = [&](size_t i) { return hullOf(items[i]).end; };
    const auto beginOf = [&](size_t i) { return hullOf(items[i]).begin; };
    const std::vector<int64_t> first = packing.offsets;
    tryBy([&](size_t i) { return first[i]; });
    tryBy([&](size_t i) { return -items[i].sizeBytes; });
    tryBy([&](size_t i) { return -endOf(i); });
    tryBy([&](size_t i) { return beginOf(i); });
    tryBy([&](size_t i) { return -sizeWithPartners(i); });
  }
  /// From the bottom up as the best one has them, with a little noise.
  void tryLikeTheBest() {
    const std::vector<int64_t> best = packing.offsets;
    std::vector<double> keys(items.size());
    for (size_t i : loose)
      keys[i] = double(best[i]) +
                double(least) * 0.3 * double(random() >> 11) * 0x1p-53;
    ++packing.nodes;
    tryBy([&](size_t i) { return keys[i]; });
  }
  /// The larger of a pair brings the other one with it.
  int64_t sizeWithPartners(size_t id) const {
    int64_t size = items[id].sizeBytes;
    for (const ItemOverlap &pair : problem.overlaps)
      if (size_t(pair.lower) == id || size_t(pair.upper) == id)
        size = std::max({size, items[size_t(pair.lower)].sizeBytes,
                         items[size_t(pair.upper)].sizeBytes});
    return size;
  }
  template <typename Key> void tryBy(Key key) {
    // What lives longer goes to the bottom first; then the later one.
    const auto rank = [&](size_t i) {
      return std::tuple(key(i), -hullOf(items[i]).end, i);
    };
    std::vector<std::pair<decltype(rank(0)), size_t>> order;
    for (size_t i : loose)
      order.push_back({rank(i), i});
    std::sort(order.begin(), order.end());
    bool isPlaced = true;
    for (size_t k = 0; k < order.size() && isPlaced; ++k)
      isPlaced = put(order[k].second);
    if (isPlaced)
      offer();
    for (size_t i : loose)
      offsets[i] = -1;
  }

  /// All orders from here on that stay below the best, as long as nodes are
  /// left.
  void place(size_t count, int64_t top) {
    ++packing.nodes;
    if (top >= least || left <= 0 || --left <= 0)
      return;
    if (count == loose.size()) {
      offer();
      return;
    }
    for (size_t i : loose) {
      if (offsets[i] >= 0)
        continue;
      if (put(i))
        place(count + 1, std::max(top, offsets[i] + items[i].sizeBytes));
      offsets[i] = -1;
    }
  }

  void offer() {
    const int64_t top = problem.highWater(offsets);
    if (top >= least)
      return;
    least = top;
    packing.offsets = offsets;
  }

  bool areTogether(size_t a, size_t b) const {
    if (forbidden.count({int64_t(a), int64_t(b)}))
      return true;
    if (!hullOf(items[a]).overlaps(hullOf(items[b])))
      return false;
    for (const Interval &x : items[a].lifespans)
      for (const Interval &y : items[b].lifespans)
        if (x.overlaps(y))
          return true;
    return false;
  }
  /// How far above `lower` the other one begins at least.
  int64_t distance(size_t lower, size_t upper) const {
    const int64_t size = items[lower].sizeBytes;
    const std::pair<int64_t, int64_t> pair(lower, upper);
    const auto found = distances.find(pair);
    return found == distances.end() || forbidden.count(pair)
               ? size
               : std::min(size, found->second);
  }
  std::optional<Blocked> blockedBy(size_t other, size_t id) const {
    const int64_t at = offsets[other];
    if (at < 0 || other == id || items[other].sizeBytes == 0 ||
        !areTogether(id, other))
      return std::nullopt;
    return Blocked{at - distance(id, other), at + distance(other, id)};
  }
  /// At the lowest offset that is free; false where that leaves 63 bits.
  bool put(size_t id) {
    std::vector<Blocked> blocked;
    for (size_t other = 0; other < items.size(); ++other)
      if (const std::optional<Blocked> range = blockedBy(other, id))
        blocked.push_back(*range);
    std::sort(
        blocked.begin(), blocked.end(), [](const Blocked &a, const Blocked &b) {
          return std::tie(a.after, a.before) < std::tie(b.after, b.before);
        });
    std::optional<int64_t> at = 0;
    for (const Blocked &range : blocked)
      if (at && range.after < *at && *at < range.before)
        at = checkedAlignUp(range.before, items[id].alignment);
    if (!at || !checkedAdd(*at, items[id].sizeBytes))
      return false;
    offsets[id] = *at;
    return true;
  }

  const std::vector<Item> &items;
  const PackingProblem &problem;
  Packing &packing;
  int64_t least;
  int64_t left = 0; ///< Nodes.
  std::mt19937_64 random{1};
  std::map<std::pair<int64_t, int64_t>, int64_t> distances;
  std::map<std::pair<int64_t, int64_t>, bool> forbidden;
  std::vector<size_t> loose;    ///< Neither pinned nor without bytes.
  std::vector<int64_t> offsets; ///< -1: not placed.
};

} // namespace

void packOverlapping(const PackingProblem &problem, Packing &packing) {
  if (!problem.overlaps.empty())
    Overlapping(problem, packing).run();
}

} // namespace tpu_mlir::planning

//===- Bounds.cpp - What no plan can beat ---------------------------------===//

#include "tpu_mlir/Planning/Bounds.h"

#include "lib/Planning/Kit/Overlaps.h"
#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Kit/Placing.h"
#include "lib/Planning/Kit/StackBound.h"
#include "lib/Planning/Kit/TimeTree.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>

namespace tpu_mlir::planning {
namespace {

/// Sums of live sizes may leave 63 bits although each size does not.
using Sum = __int128;

constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

struct Event {
  int64_t step;
  bool isStart;
  size_t item;
};

/// Starts and ends of all items that hold bytes; ends first at equal steps.
std::vector<Event> eventsOf(const std::vector<Item> &items) {
  std::vector<Event> events;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].sizeBytes == 0)
      continue;
    for (const Interval &span : items[i].lifespans) {
      events.push_back({span.begin, true, i});
      events.push_back({span.end, false, i});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return std::tie(a.step, a.isStart, a.item) <
           std::tie(b.step, b.isStart, b.item);
  });
  return events;
}

int64_t commonAlignment(const std::vector<Item> &items) {
  int64_t common = 0;
  for (const Item &item : items)
    if (item.sizeBytes > 0)
      common = std::gcd(common, item.alignment);
  return std::max<int64_t>(common, 1);
}

/// The live sum: sizes rounded up to the common alignment, without the largest
/// of the paddings, since the topmost item needs none.
class LiveSum {
public:
  explicit LiveSum(int64_t alignment) : alignment(alignment) {}
  void add(int64_t size) {
    sum += Sum(size) + paddingOf(size);
    if (paddingOf(size) > 0)
      paddings.insert(paddingOf(size));
  }
  void remove(int64_t size) {
    sum -= Sum(size) + paddingOf(size);
    if (paddingOf(size) > 0)
      paddings.erase(paddings.find(paddingOf(size)));
  }
  /// What pairs that are alive now may have in common.
  void share(int64_t bytes) { sum -= bytes; }
  Sum value() const {
    return paddings.empty() ? sum : sum - *paddings.rbegin();
  }

private:
  int64_t paddingOf(int64_t size) const {
    return (alignment - size % alignment) % alignment;
  }
  int64_t alignment;
  Sum sum = 0;
  std::multiset<int64_t> paddings; ///< Without those of 0 bytes.
};

bool isAliveAt(const Item &item, int64_t step) {
  return std::any_of(item.lifespans.begin(), item.lifespans.end(),
                     [&](const Interval &span) { return span.contains(step); });
}

/// Items alive at `step`, largest first, ties by index.
std::vector<BufferId> aliveAt(const std::vector<Item> &items, int64_t step) {
  std::vector<BufferId> alive;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].sizeBytes > 0 && isAliveAt(items[i], step))
      alive.push_back(BufferId(i));
  std::stable_sort(alive.begin(), alive.end(), [&](BufferId a, BufferId b) {
    return items[a].sizeBytes > items[b].sizeBytes;
  });
  return alive;
}

/// Where pinned bytes leave an item no room below, it lies above them. Only
/// pins count: O(n log p) and what the sets of pinned bytes hold.
int64_t boundOfPins(const std::vector<Item> &items) {
  std::vector<Item> pinned;
  for (const Item &item : items)
    if (item.pinOffset)
      pinned.push_back(item);
  TimeTree tree(pinned);
  int64_t bound = 0;
  for (const Item &item : pinned) {
    tree.insert(item, bytesAt(*item.pinOffset, item));
    bound = std::max(bound, *item.pinOffset + item.sizeBytes);
  }
  for (const Item &item : items) {
    if (pinned.empty() || item.pinOffset || item.sizeBytes == 0)
      continue;
    std::vector<Interval> blocked;
    for (const ByteSet *set : tree.query(item))
      blocked.insert(blocked.end(), set->ranges().begin(), set->ranges().end());
    const auto at = lowestFit(0, item.sizeBytes, item.alignment,
                              normalize(std::move(blocked)));
    if (at)
      bound = std::max(bound, *at + item.sizeBytes);
  }
  return bound;
}

/// Two that must not share bytes need room for both, one upon the other.
int64_t boundOfPairs(const std::vector<Item> &items,
                     const IndexPairs &forbidden) {
  int64_t bound = 0;
  for (const auto &[first, second] : forbidden) {
    const Item &a = items[size_t(first)], &b = items[size_t(second)];
    if (a.sizeBytes == 0 || b.sizeBytes == 0)
      continue;
    auto stacked = [](const Item &lower, const Item &upper) {
      const auto top = checkedAlignUp(lower.sizeBytes, upper.alignment);
      return top ? checkedAdd(*top, upper.sizeBytes).value_or(kMaxInt64)
                 : kMaxInt64;
    };
    bound = std::max(bound, std::min(stacked(a, b), stacked(b, a)));
  }
  return bound;
}

/// What the pairs whose items are both alive may have in common. Bytes of more
/// than two items are taken off more than once, which only lowers the bound.
class SharedNow {
public:
  SharedNow(const std::vector<Item> &items,
            const std::vector<ItemOverlap> &overlaps, int64_t unit) {
    if (overlaps.empty())
      return;
    isAlive.resize(items.size(), false);
    pairsOf.resize(items.size());
    for (const ItemOverlap &pair : overlaps) {
      const int64_t bytes = mostShared(items, pair, unit);
      pairsOf[size_t(pair.lower)].push_back({size_t(pair.upper), bytes});
      pairsOf[size_t(pair.upper)].push_back({size_t(pair.lower), bytes});
    }
  }
  /// Bytes more that may be shared from now on.
  int64_t change(size_t item, bool isStart) {
    if (pairsOf.empty())
      return 0;
    isAlive[item] = isStart;
    int64_t bytes = 0;
    for (const auto &[other, most] : pairsOf[item])
      if (isAlive[other])
        bytes += isStart ? most : -most;
    return bytes;
  }

private:
  std::vector<bool> isAlive;
  std::vector<std::vector<std::pair<size_t, int64_t>>> pairsOf;
};

} // namespace

LiveBound boundOfItems(const std::vector<Item> &items,
                       const IndexPairs &forbidden,
                       const std::vector<ItemOverlap> &overlaps) {
  const std::vector<Event> events = eventsOf(items);
  LiveSum live(commonAlignment(items));
  SharedNow shared(items, overlaps, commonAlignment(items));
  Sum peak = 0;
  LiveBound bound;
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t size = items[events[i].item].sizeBytes;
    events[i].isStart ? live.add(size) : live.remove(size);
    live.share(shared.change(events[i].item, events[i].isStart));
    const bool isLastOfStep =
        i + 1 == events.size() || events[i + 1].step != events[i].step;
    if (isLastOfStep && live.value() > peak) {
      peak = live.value();
      bound.peakStep = events[i].step;
    }
  }
  bound.leaves63Bits = peak > kMaxInt64;
  bound.liveSumBytes = bound.leaves63Bits ? kMaxInt64 : int64_t(peak);
  bound.bytes = bound.liveSumBytes;
  if (peak > 0)
    bound.peakSet = aliveAt(items, bound.peakStep);
  bound.bytes = std::max(bound.bytes, boundOfPins(items));
  bound.bytes = std::max(bound.bytes, boundOfPairs(items, forbidden));
  // Only those that share no bytes lie one upon the other.
  if (overlaps.empty())
    bound.bytes = boundOfStacks(items, bound.bytes);
  return bound;
}

LiveBound liveBound(const Problem &problem, PoolId pool) {
  std::vector<Item> items;
  std::vector<BufferId> roots;
  ItemOfBuffer itemOfBuffer(problem);
  for (const StorageClass &storage : foldAliases(problem)) {
    const bool onlyHere =
        storage.pin ? storage.pin->pool == pool
                    : storage.pools.size() == 1 && storage.pools[0] == pool;
    if (!onlyHere)
      continue;
    itemOfBuffer.add(storage, items.size());
    items.push_back(itemOf(storage, problem.pools[pool]));
    roots.push_back(storage.root);
  }
  const IndexPairs forbidden =
      forbiddenItems(problem, itemOfBuffer, items, /*onlyRoots=*/true);
  LiveBound bound = boundInPool(items, forbidden, problem.pools[pool],
                                overlapsOfItems(problem, itemOfBuffer));
  for (BufferId &id : bound.peakSet)
    id = roots[id];
  return bound;
}

} // namespace tpu_mlir::planning

//===- Bounds.cpp - What no plan can beat ---------------------------------===//

#include "tpu_mlir/Planning/Bounds.h"

#include "lib/Planning/Packing.h"

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
    if (alignment > 1)
      paddings.insert(paddingOf(size));
  }
  void remove(int64_t size) {
    sum -= Sum(size) + paddingOf(size);
    if (alignment > 1)
      paddings.erase(paddings.find(paddingOf(size)));
  }
  Sum value() const {
    return paddings.empty() ? sum : sum - *paddings.rbegin();
  }

private:
  int64_t paddingOf(int64_t size) const {
    return (alignment - size % alignment) % alignment;
  }
  int64_t alignment;
  Sum sum = 0;
  std::multiset<int64_t> paddings;
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

} // namespace

LiveBound boundOfItems(const std::vector<Item> &items) {
  const std::vector<Event> events = eventsOf(items);
  LiveSum live(commonAlignment(items));
  Sum peak = 0;
  LiveBound bound;
  for (size_t i = 0; i < events.size(); ++i) {
    const int64_t size = items[events[i].item].sizeBytes;
    events[i].isStart ? live.add(size) : live.remove(size);
    const bool isLastOfStep =
        i + 1 == events.size() || events[i + 1].step != events[i].step;
    if (isLastOfStep && live.value() > peak) {
      peak = live.value();
      bound.peakStep = events[i].step;
    }
  }
  bound.leaves63Bits = peak > kMaxInt64;
  bound.bytes = bound.leaves63Bits ? kMaxInt64 : int64_t(peak);
  if (peak > 0)
    bound.peakSet = aliveAt(items, bound.peakStep);
  for (const Item &item : items)
    if (item.pinOffset)
      bound.bytes = std::max(bound.bytes, *item.pinOffset + item.sizeBytes);
  return bound;
}

LiveBound liveBound(const Problem &problem, PoolId pool) {
  std::vector<Item> items;
  std::vector<BufferId> roots;
  for (const StorageClass &storage : foldAliases(problem)) {
    const bool onlyHere =
        storage.pin ? storage.pin->pool == pool
                    : storage.pools.size() == 1 && storage.pools[0] == pool;
    if (!onlyHere)
      continue;
    items.push_back(itemOf(storage, problem.pools[pool]));
    roots.push_back(storage.root);
  }
  LiveBound bound = boundOfItems(items);
  for (BufferId &id : bound.peakSet)
    id = roots[id];
  return bound;
}

} // namespace tpu_mlir::planning

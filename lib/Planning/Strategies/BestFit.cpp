//===- BestFit.cpp - A sweep over time with a free list -------------------===//
//
// Goes through the schedule as an allocator at run time would: at each step it
// first gives back what has died, joining neighbours, then places what begins
// there, larger items first, ties by index. An item takes the smallest free
// block that holds it; the bytes between the last one in use and the high-water
// mark count as a block; only when nothing fits does the pool grow. An item
// with gaps in its life keeps its bytes during the gaps.
//
// Pinned items are not part of the free list: their ranges are cut out of the
// blocks offered to items that live at the same time as they do, and so are the
// ranges of forbidden partners, whenever these live.
//
// O(n log n); an item that has to keep away from pinned bytes or from partners
// looks at every block instead of the best one.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Strategies/FreeList.h"

#include "lib/Planning/Kit/TimeTree.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <tuple>

namespace tpu_mlir::planning {

void FreeList::add(int64_t begin, int64_t end) {
  if (begin >= end)
    return;
  endOfBlock.emplace(begin, end);
  bySize.emplace(end - begin, begin);
}

void FreeList::remove(int64_t begin, int64_t end) {
  endOfBlock.erase(begin);
  bySize.erase({end - begin, begin});
}

std::optional<int64_t> FreeList::bestFit(int64_t size,
                                         int64_t alignment) const {
  for (auto it = bySize.lower_bound({size, 0}); it != bySize.end(); ++it) {
    const auto at = checkedAlignUp(it->second, alignment);
    if (at && *at - it->second <= it->first - size)
      return at;
  }
  return std::nullopt;
}

void FreeList::take(Interval bytes) {
  if (bytes.begin >= topOffset) {
    add(topOffset, bytes.begin);
    topOffset = bytes.end;
    return;
  }
  const auto block = std::prev(endOfBlock.upper_bound(bytes.begin));
  const auto [begin, end] = *block;
  remove(begin, end);
  add(begin, bytes.begin);
  add(bytes.end, end);
}

void FreeList::release(Interval bytes) {
  auto next = endOfBlock.lower_bound(bytes.begin);
  if (next != endOfBlock.end() && next->first == bytes.end) {
    const auto [begin, end] = *next;
    bytes.end = end;
    remove(begin, end);
  }
  next = endOfBlock.lower_bound(bytes.begin);
  if (next != endOfBlock.begin() && std::prev(next)->second == bytes.begin) {
    const auto [begin, end] = *std::prev(next);
    bytes.begin = begin;
    remove(begin, end);
  }
  if (bytes.end == topOffset)
    topOffset = bytes.begin;
  else
    add(bytes.begin, bytes.end);
}

namespace {

struct Event {
  int64_t step;
  bool isStart;
  int64_t sizeBytes;
  size_t item;
  bool operator<(const Event &o) const {
    return std::tie(step, isStart, o.sizeBytes, item) <
           std::tie(o.step, o.isStart, sizeBytes, o.item);
  }
};

class Sweep {
public:
  explicit Sweep(const PackingProblem &problem)
      : problem(problem), partners(forbiddenPartners(problem)),
        pinned(pinnedItems(problem)), offsets(problem.items.size(), -1) {
    for (size_t id = 0; id < offsets.size(); ++id) {
      const Item &item = problem.items[id];
      if (!item.pinOffset)
        continue;
      offsets[id] = *item.pinOffset;
      pinned.insert(item, bytesAt(offsets[id], item));
      highWater = std::max(highWater, offsets[id] + item.sizeBytes);
    }
  }

  std::optional<Packing> run() {
    for (const Event &event : events()) {
      const Item &item = problem.items[event.item];
      if (!event.isStart) {
        free.release(bytesAt(offsets[event.item], item));
        continue;
      }
      const auto at = placeFor(event.item);
      if (!at)
        return std::nullopt;
      offsets[event.item] = *at;
      free.take(bytesAt(*at, item));
      highWater = std::max(highWater, *at + item.sizeBytes);
    }
    Packing packing;
    packing.offsets = std::move(offsets);
    return packing;
  }

private:
  static std::vector<Item> pinnedItems(const PackingProblem &problem) {
    std::vector<Item> items;
    for (const Item &item : problem.items)
      if (item.pinOffset)
        items.push_back(item);
    return items;
  }

  std::vector<Event> events() {
    std::vector<Event> result;
    for (size_t id = 0; id < offsets.size(); ++id) {
      const Item &item = problem.items[id];
      if (item.sizeBytes == 0 && !item.pinOffset)
        offsets[id] = 0;
      if (item.sizeBytes == 0 || item.pinOffset)
        continue;
      const Interval hull = hullOf(item);
      result.push_back({hull.begin, true, item.sizeBytes, id});
      result.push_back({hull.end, false, item.sizeBytes, id});
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  /// Bytes that are free now but that the item must keep away from.
  std::vector<Interval> blockedFor(size_t id) const {
    std::vector<Interval> blocked;
    for (const ByteSet *set : pinned.query(problem.items[id]))
      blocked.insert(blocked.end(), set->ranges().begin(), set->ranges().end());
    for (int64_t partner : partners[id])
      if (offsets[partner] >= 0)
        blocked.push_back(bytesAt(offsets[partner], problem.items[partner]));
    return normalize(std::move(blocked));
  }

  std::optional<int64_t> placeFor(size_t id) {
    const Item &item = problem.items[id];
    const std::vector<Interval> blocked = blockedFor(id);
    if (!blocked.empty())
      return placeBeside(item, blocked);
    const auto inBlock = free.bestFit(item.sizeBytes, item.alignment);
    const auto atTop = checkedAlignUp(free.top(), item.alignment);
    const bool topFits = atTop && *atTop <= highWater - item.sizeBytes;
    if (inBlock && !(topFits && highWater - free.top() < blockSize(*inBlock)))
      return inBlock;
    if (!atTop || !checkedAdd(*atTop, item.sizeBytes))
      return std::nullopt;
    return atTop;
  }
  int64_t blockSize(int64_t inside) const {
    const auto block = std::prev(free.blocks().upper_bound(inside));
    return block->second - block->first;
  }

  /// The tightest piece of free memory between blocked ranges.
  std::optional<int64_t> placeBeside(const Item &item,
                                     const std::vector<Interval> &blocked) {
    Tightest tightest(item, blocked);
    for (const auto &[begin, end] : free.blocks())
      tightest.offer({begin, end});
    tightest.offer({free.top(), highWater});
    if (tightest.offset)
      return tightest.offset;
    return lowestFit(free.top(), item.sizeBytes, item.alignment, blocked);
  }

  struct Tightest {
    Tightest(const Item &item, const std::vector<Interval> &blocked)
        : item(item), blocked(blocked) {}
    const Item &item;
    const std::vector<Interval> &blocked;
    std::optional<int64_t> offset;
    int64_t pieceBytes = 0;
    size_t next = 0; ///< Blocks come in address order.

    void offer(Interval block) {
      while (next < blocked.size() && blocked[next].end <= block.begin)
        ++next;
      int64_t begin = block.begin;
      for (size_t i = next; i < blocked.size(); ++i) {
        if (blocked[i].begin >= block.end)
          break;
        offerPiece({begin, blocked[i].begin});
        begin = blocked[i].end;
      }
      offerPiece({begin, block.end});
    }
    void offerPiece(Interval piece) {
      const auto at = checkedAlignUp(piece.begin, item.alignment);
      if (piece.empty() || !at || *at > piece.end - item.sizeBytes)
        return;
      if (offset && piece.length() >= pieceBytes)
        return;
      offset = at;
      pieceBytes = piece.length();
    }
  };

  const PackingProblem &problem;
  const std::vector<std::vector<int64_t>> partners;
  TimeTree pinned;
  FreeList free;
  std::vector<int64_t> offsets; ///< -1: not placed yet.
  int64_t highWater = 0;
};

std::optional<Packing> pack(const PackingProblem &problem,
                            const SolveOptions &) {
  return Sweep(problem).run();
}

const RegisterStrategy registration({
    "best-fit",
    "a sweep over time, each item into the smallest free block; O(n log n)",
    pack,
    {},
    AutoPlace{10, 200'000},
});

} // namespace

} // namespace tpu_mlir::planning

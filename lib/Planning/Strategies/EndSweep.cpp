//===- EndSweep.cpp - A sweep over time that knows all ends ---------------===//

#include "lib/Planning/Strategies/EndSweep.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::planning {

/// When the ends of memory end.
static constexpr int64_t kNever = int64_t(1) << 48;
/// Between two looks at the clock.
static constexpr int64_t kNodesInARow = 16'384;
static constexpr int64_t kMaxNodes = std::numeric_limits<int64_t>::max();

EndSweep::EndSweep(std::vector<SweptItem> swept) : items(std::move(swept)) {
  for (const SweptItem &item : items)
    lastStep = std::max(lastStep, item.life.end);
  forward = eventsOf(false);
  int64_t alive = 0;
  for (const Event &event : forward) {
    const int64_t bytes = items[event.item].sizeBytes;
    const auto sum = checkedAdd(alive, event.isBegin ? bytes : -bytes);
    if (!sum) {
      peak = std::numeric_limits<int64_t>::max();
      return;
    }
    alive = *sum;
    peak = std::max(peak, alive);
  }
}

SweptItem EndSweep::seen(size_t id, bool isReversed) const {
  SweptItem item = items[id];
  if (isReversed)
    item.life = {lastStep - item.life.end, lastStep - item.life.begin};
  return item;
}

/// What ends at a step comes before what begins there.
std::vector<EndSweep::Event> EndSweep::eventsOf(bool isReversed) const {
  std::vector<Event> events;
  events.reserve(2 * items.size());
  for (size_t id = 0; id < items.size(); ++id) {
    events.push_back({id, true});
    events.push_back({id, false});
  }
  const auto keyOf = [&](const Event &event) {
    const SweptItem item = seen(event.item, isReversed);
    const bool isBegin = event.isBegin;
    return std::make_tuple(isBegin ? item.life.begin : item.life.end, isBegin,
                           -item.sizeBytes, size_t(event.item));
  };
  std::sort(events.begin(), events.end(), [&](const Event &a, const Event &b) {
    return keyOf(a) < keyOf(b);
  });
  return events;
}

void EndSweep::clear(int64_t limitBytes) {
  blocks.clear();
  sides.clear();
  blocks.push_back({{0, 0}, kNever, false});
  blocks.push_back({{0, limitBytes}, 0, true});
  blocks.push_back({{limitBytes, limitBytes}, kNever, false});
  addFree(std::next(blocks.begin()));
}

void EndSweep::addFree(Blocks::iterator block) {
  sides[{std::prev(block)->end, block->bytes.begin, false}] = block;
  sides[{std::next(block)->end, block->bytes.begin, true}] = block;
}

void EndSweep::removeFree(Blocks::iterator block) {
  sides.erase({std::prev(block)->end, block->bytes.begin, false});
  sides.erase({std::next(block)->end, block->bytes.begin, true});
}

bool EndSweep::mustStop() {
  if (nodeCount < nextLook)
    return isStopped;
  nextLook = nodeCount + kNodesInARow;
  isStopped |= nodeCount > lastNode || until->isOver();
  return isStopped;
}

/// Walks away from `end` in both directions, the cheaper neighbour first.
EndSweep::Sides::iterator EndSweep::bestSide(int64_t sizeBytes, int64_t end,
                                             EndRule rule) {
  const auto costOf = [&](Sides::iterator side) {
    const int64_t distance = std::get<0>(side->first) - end;
    return distance < 0 ? -distance * rule.early : distance * rule.late;
  };
  // Less is better.
  const auto rankOf = [&](Sides::iterator side) {
    const Interval bytes = side->second->bytes;
    return std::make_tuple(costOf(side), -bytes.length(), bytes.begin,
                           std::get<2>(side->first));
  };
  auto later = sides.lower_bound({end, 0, false});
  auto earlier = later;
  auto best = sides.end();
  while (!mustStop() && (later != sides.end() || earlier != sides.begin())) {
    const bool isLater =
        earlier == sides.begin() ||
        (later != sides.end() && costOf(later) <= costOf(std::prev(earlier)));
    const auto side = isLater ? later++ : --earlier;
    if (best != sides.end() && costOf(side) > costOf(best))
      break;
    ++nodeCount;
    const bool fits = side->second->bytes.length() >= sizeBytes;
    if (fits && (best == sides.end() || rankOf(side) < rankOf(best)))
      best = side;
  }
  return best;
}

EndSweep::Blocks::iterator EndSweep::take(Sides::iterator side,
                                          int64_t sizeBytes, int64_t end) {
  const bool isUpper = std::get<2>(side->first);
  const Blocks::iterator block = side->second;
  removeFree(block);
  const int64_t begin =
      isUpper ? block->bytes.end - sizeBytes : block->bytes.begin;
  const auto taken = blocks.insert(isUpper ? std::next(block) : block,
                                   {{begin, begin + sizeBytes}, end, false});
  (isUpper ? block->bytes.end : block->bytes.begin) =
      isUpper ? begin : begin + sizeBytes;
  if (block->bytes.empty())
    blocks.erase(block);
  else
    addFree(block);
  return taken;
}

void EndSweep::release(Blocks::iterator block) {
  for (const auto neighbour : {std::prev(block), std::next(block)})
    if (neighbour->isFree)
      removeFree(neighbour);
  for (const auto neighbour : {std::prev(block), std::next(block)})
    if (neighbour->isFree) {
      block->bytes = {std::min(block->bytes.begin, neighbour->bytes.begin),
                      std::max(block->bytes.end, neighbour->bytes.end)};
      blocks.erase(neighbour);
    }
  block->isFree = true;
  addFree(block);
}

std::optional<std::vector<int64_t>> EndSweep::run(int64_t limitBytes,
                                                  EndRule rule,
                                                  int64_t nodeLimit,
                                                  const Deadline &deadline) {
  clear(limitBytes);
  if (rule.isReversed && backward.empty())
    backward = eventsOf(true);
  std::vector<Blocks::iterator> blockOf(items.size());
  std::vector<int64_t> offsets(items.size());
  until = &deadline;
  lastNode = checkedAdd(nodeCount, nodeLimit).value_or(kMaxNodes);
  nextLook = nodeCount;
  isStopped = false;
  for (const Event &event : rule.isReversed ? backward : forward) {
    ++nodeCount;
    if (mustStop())
      return std::nullopt;
    if (!event.isBegin) {
      release(blockOf[event.item]);
      continue;
    }
    const SweptItem item = seen(event.item, rule.isReversed);
    const auto side = bestSide(item.sizeBytes, item.life.end, rule);
    if (isStopped || side == sides.end())
      return std::nullopt;
    blockOf[event.item] = take(side, item.sizeBytes, item.life.end);
    offsets[event.item] = blockOf[event.item]->bytes.begin;
  }
  return offsets;
}

} // namespace tpu_mlir::planning

//===- Puzzle.cpp - A problem of blocks that cannot lie anywhere ----------===//

#include "lib/Planning/Search/Placed/Puzzle.h"

#include "lib/Planning/Kit/Placing.h"
#include "lib/Planning/Search/Relatives/Completion.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace tpu_mlir::planning {
namespace {

/// Blocks of one round that are taken apart, and how deep, at most.
constexpr int64_t kMostTaken = 6, kMostDeep = 6, kNear = 24;
/// Rounds that bring nothing, at least and for each block; nodes between two
/// looks at the clock.
constexpr int64_t kMostIdle = 200, kIdleOfBlock = 8, kNodesOfLook = 8'192;
constexpr int64_t kBlocksOfNode = 8;
constexpr size_t kMostTriedBits = 14;
/// Steps have to be numbers that can be added.
constexpr int64_t kMostStep = kMaxOffset / 4;

/// The live sum is nowhere above the height. Bytes that are rounded up, of pins
/// that lie side by side, may be.
bool isWithin(const std::vector<Item> &items, int64_t height) {
  std::map<int64_t, __int128> changes;
  for (const Item &item : items)
    for (const Interval &span : item.lifespans) {
      changes[span.begin] += item.sizeBytes;
      changes[span.end] -= item.sizeBytes;
    }
  __int128 live = 0;
  return std::all_of(changes.begin(), changes.end(), [&](const auto &change) {
    return (live += change.second) <= height;
  });
}

} // namespace

int64_t Puzzle::granuleOf(const PackingProblem &problem) {
  int64_t granule = 0;
  for (const Item &item : problem.items)
    if (!item.pinOffset && item.sizeBytes > 0)
      granule = std::gcd(granule, item.alignment);
  return std::max<int64_t>(granule, 1);
}

Puzzle::Puzzle(const PackingProblem &problem, int64_t height, uint64_t seed,
               llvm::function_ref<bool()> isLate)
    : problem(problem), height(height), granule(granuleOf(problem)), seed(seed),
      random(seed), forest(height), hasPartner(problem.items.size(), 0) {
  for (const auto &[a, b] : problem.forbiddenSharing)
    hasPartner[size_t(a)] = hasPartner[size_t(b)] = 1;
  bool isFirst = true;
  for (const Item &item : problem.items) {
    const Interval hull = hullOf(item);
    isFine &= hull.begin > -kMostStep && hull.end < kMostStep;
    if (item.isReserved || item.sizeBytes == 0)
      continue;
    whole = isFirst ? hull
                    : Interval{std::min(whole.begin, hull.begin),
                               std::max(whole.end, hull.end)};
    isFirst = false;
  }
  gluer.emplace(forest, whole);
  isFine &= !isFirst && height < kMostStep;
  if (!isFine)
    return;
  std::vector<Item> items = problem.items;
  closePauses(items);
  leafOf.assign(items.size(), -1);
  for (size_t id = 0; id < items.size(); ++id) {
    const Item &item = items[id];
    PlacedBlock block;
    block.spans = item.isReserved ? std::vector<Interval>{whole}
                                  : normalize(item.lifespans);
    block.places = Places::multiplesOf(item.alignment);
    int64_t begin = 0, end = item.sizeBytes;
    if (item.pinOffset) {
      begin = *item.pinOffset / granule * granule;
      end = *item.pinOffset + item.sizeBytes;
      block.places = Places::only(begin);
      block.pin = hasPartner[id] ? -1 : forest.size();
    }
    block.bytes = alignUp(end, granule) - begin;
    if (item.sizeBytes == 0 || (item.pinOffset && begin >= height))
      continue;
    block.bytes = std::min(block.bytes, height - begin);
    leafOf[id] = forest.add(std::move(block));
    itemOf.push_back(id);
    isFine &= !forest[leafOf[id]].places.isEmpty();
    (hasPartner[id] ? alone : roots).push_back(leafOf[id]);
  }
  addMissing(items, isLate);
  if (!isFine)
    return;
  leaves = forest.size();
  roots = gluer->glue(roots, seed, isLate);
  liveBlocks = forest.size();
}

void Puzzle::closePauses(std::vector<Item> &items) {
  std::map<int64_t, int64_t> changes;
  for (const Item &item : items)
    for (const Interval &span : item.lifespans)
      if (!item.isReserved) {
        changes[span.begin] += item.sizeBytes;
        changes[span.end] -= item.sizeBytes;
      }
  int64_t reserved = 0, live = 0;
  for (const Item &item : items)
    reserved += item.isReserved && *item.pinOffset < height
                    ? std::min(item.sizeBytes, height - *item.pinOffset)
                    : 0;
  std::map<int64_t, int64_t> lacking;
  for (const auto &[step, more] : changes)
    lacking[step] = height - reserved - (live += more);
  std::vector<std::pair<size_t, Interval>> pauses;
  for (size_t id = 0; id < items.size(); ++id)
    for (size_t i = 1; i < items[id].lifespans.size(); ++i)
      pauses.push_back(
          {id, {items[id].lifespans[i - 1].end, items[id].lifespans[i].begin}});
  for (size_t i = pauses.size(); seed != 0 && i > 1; --i)
    std::swap(pauses[i - 1], pauses[random() % i]);
  for (const auto &[id, pause] : pauses) {
    const int64_t bytes = items[id].sizeBytes;
    const auto from = lacking.lower_bound(pause.begin);
    const auto to = lacking.lower_bound(pause.end);
    if (pause.empty() || !std::all_of(from, to, [&, most = bytes](auto &each) {
          return each.second >= most;
        }))
      continue;
    for (auto it = from; it != to; ++it)
      it->second -= bytes;
    items[id].lifespans.push_back(pause);
    items[id].lifespans = normalize(std::move(items[id].lifespans));
  }
}

void Puzzle::addMissing(const std::vector<Item> &items,
                        llvm::function_ref<bool()> isLate) {
  std::vector<Item> padded;
  for (int32_t leaf = 0; leaf < forest.size(); ++leaf) {
    Item &item = padded.emplace_back();
    item.sizeBytes = forest[leaf].bytes;
    item.lifespans = forest[leaf].spans;
  }
  isFine &= isWithin(padded, height);
  if (!isFine)
    return;
  for (const Missing &piece : missingItems(padded, height, seed, isLate)) {
    PlacedBlock block;
    block.spans = {piece.life};
    block.bytes = piece.bytes;
    block.isMissing = true;
    if (piece.bytes > 0 && piece.bytes <= height)
      roots.push_back(forest.add(std::move(block)));
  }
  ownNodes += 16 * int64_t(items.size());
}

size_t Puzzle::openBlocks() const {
  return size_t(std::count_if(roots.begin(), roots.end(),
                              [&](int32_t id) { return !isWhole(id); }));
}

void Puzzle::takeApart(int32_t id, int depth, std::vector<int32_t> &pieces) {
  if (forest[id].parts.empty() || depth <= 0) {
    pieces.push_back(id);
    return;
  }
  const std::vector<int32_t> parts = forest[id].parts;
  for (int32_t part : parts)
    takeApart(part, depth - 1 - int(below(2)), pieces);
}

/// Blocks near a step, the first ones of them taken apart.
void Puzzle::choose(std::vector<int32_t> &kept, std::vector<int32_t> &taken) {
  std::vector<int32_t> open;
  for (int32_t id : roots)
    if (!isWhole(id))
      open.push_back(id);
  const bool isClosed = open.empty();
  if (isClosed)
    open = roots;
  const Interval first =
      forest[open[size_t(below(int64_t(open.size())))]].hull();
  const int64_t center = below(2) != 0 ? first.begin : first.end;
  std::vector<std::pair<int64_t, int32_t>> byDistance;
  for (int32_t id : roots) {
    int64_t nearest = kMaxOffset;
    for (const Interval &span : forest[id].spans)
      for (int64_t step : {span.begin, span.end})
        nearest = std::min(nearest, std::abs(step - center));
    // What lives all the time is near only by chance.
    if (isWhole(id))
      nearest = isClosed ? below(kNear) : below(4) == 0 ? 0 : kMaxOffset;
    byDistance.push_back({nearest, id});
  }
  ownNodes += 1 + int64_t(roots.size()) / kBlocksOfNode;
  std::sort(byDistance.begin(), byDistance.end());
  const int64_t count = 1 + below(kMostTaken);
  const int depth = int(1 + below(kMostDeep));
  for (size_t i = 0; i < byDistance.size(); ++i) {
    const auto [distance, id] = byDistance[i];
    if (int64_t(i) < count && distance < kMaxOffset)
      takeApart(id, depth, taken);
    else
      (int64_t(i) < kNear && distance < kMaxOffset ? taken : kept)
          .push_back(id);
  }
  std::vector<int64_t> steps;
  for (int32_t id : taken)
    for (const Interval &span : forest[id].spans)
      steps.insert(steps.end(), {span.begin, span.end});
  std::sort(steps.begin(), steps.end());
  const auto isBeside = [&](int32_t id) {
    return !isWhole(id) &&
           std::any_of(forest[id].spans.begin(), forest[id].spans.end(),
                       [&](const Interval &span) {
                         return (span.begin != whole.begin &&
                                 std::binary_search(steps.begin(), steps.end(),
                                                    span.begin)) ||
                                (span.end != whole.end &&
                                 std::binary_search(steps.begin(), steps.end(),
                                                    span.end));
                       });
  };
  const auto beside = std::stable_partition(
      kept.begin(), kept.end(), [&](int32_t id) { return !isBeside(id); });
  taken.insert(taken.end(), beside, kept.end());
  kept.erase(beside, kept.end());
}

size_t Puzzle::cost() const {
  std::vector<int32_t> pins;
  size_t others = 0;
  for (int32_t id : roots)
    if (forest[id].pin >= 0 && (forest[id].pin != id || !isWhole(id)))
      pins.push_back(forest[id].pin);
    else
      others += !isWhole(id);
  std::sort(pins.begin(), pins.end());
  return others + size_t(std::unique(pins.begin(), pins.end()) - pins.begin());
}

void Puzzle::cut(int32_t pin, Interval life, std::vector<int32_t> &pieces) {
  const PlacedBlock whole = forest[pin];
  const Interval hull = whole.hull();
  const int64_t steps[] = {hull.begin, std::max(hull.begin, life.begin),
                           std::min(hull.end, life.end), hull.end};
  for (size_t i = 0; i < 3; ++i) {
    if (steps[i] >= steps[i + 1])
      continue;
    PlacedBlock piece = whole;
    piece.spans = {{steps[i], steps[i + 1]}};
    piece.parts.clear();
    piece.layouts.clear();
    pieces.push_back(forest.add(std::move(piece)));
  }
}

void Puzzle::cutPins(std::vector<int32_t> &taken) {
  std::vector<int32_t> pins, pieces;
  const auto isPin = [&](int32_t id) {
    return forest[id].pin >= 0 && forest[id].spans.size() == 1;
  };
  const auto firstPin = std::stable_partition(
      taken.begin(), taken.end(), [&](int32_t id) { return !isPin(id); });
  pins.assign(firstPin, taken.end());
  taken.erase(firstPin, taken.end());
  const int64_t others = int64_t(taken.size());
  for (int32_t pin : pins) {
    const Interval hull = forest[pin].hull();
    const Interval life =
        others > 0 ? forest[taken[size_t(below(others))]].hull() : hull;
    if (hull.contains(life) && !(hull == life) && below(2) == 0)
      cut(pin, life, pieces);
    else
      pieces.push_back(pin);
  }
  taken.insert(taken.end(), pieces.begin(), pieces.end());
}

void Puzzle::changeOnce() {
  const int32_t before = forest.size();
  const size_t costBefore = cost();
  std::vector<int32_t> kept, taken;
  choose(kept, taken);
  if (below(2) == 0)
    cutPins(taken);
  const std::vector<int32_t> glued = gluer->glue(taken, random() | 1);
  const std::vector<int32_t> rootsBefore = roots;
  roots = std::move(kept);
  roots.insert(roots.end(), glued.begin(), glued.end());
  if (cost() > costBefore) {
    roots = rootsBefore;
    forest.resize(before);
    return;
  }
  if (forest.size() > 4 * liveBlocks) {
    forest.collect(roots, leaves);
    liveBlocks = std::max(forest.size(), leaves);
  }
}

void Puzzle::improve(int64_t nodeLimit, llvm::function_ref<bool()> isLate) {
  const int64_t end = nodes() + nodeLimit;
  int64_t idle = 0, lastLook = nodes();
  while (nodes() < end && !roots.empty()) {
    const size_t before = cost();
    if (before == 0 && isStack())
      return;
    changeOnce();
    idle = cost() < before ? 0 : idle + 1;
    const bool looks = nodes() - lastLook > kNodesOfLook;
    if (idle > std::max(kMostIdle, kIdleOfBlock * int64_t(before)) ||
        (looks && isLate()))
      return;
    if (looks)
      lastLook = nodes();
  }
}

bool Puzzle::isStack() {
  ownNodes += 8 * int64_t(roots.size());
  if (!alone.empty() || !forest.orderOf(roots, 0).empty())
    return true;
  // All of them were tried, or as many as are tried at most.
  ownNodes += int64_t(1) << std::min(roots.size(), kMostTriedBits);
  return false;
}

std::vector<int32_t> Puzzle::blocks() const {
  std::vector<int32_t> left = alone;
  for (int32_t id : roots)
    if (!forest[id].isMissing)
      left.push_back(id);
  return left;
}

std::optional<size_t> Puzzle::loneItemOf(int32_t id) const {
  if (size_t(id) >= itemOf.size() || !hasPartner[itemOf[size_t(id)]])
    return std::nullopt;
  return itemOf[size_t(id)];
}

std::optional<std::vector<int64_t>>
Puzzle::offsetsOf(const std::vector<int64_t> &ofBlocks) const {
  std::vector<int64_t> ofAll(size_t(forest.size()), -1);
  const std::vector<int32_t> ids = blocks();
  for (size_t i = 0; i < ids.size(); ++i)
    if (!forest.expand(ids[i], ofBlocks[i], ofAll))
      return std::nullopt;
  std::vector<int64_t> offsets(problem.items.size(), 0);
  for (size_t id = 0; id < offsets.size(); ++id)
    offsets[id] = problem.items[id].pinOffset.value_or(
        leafOf[id] < 0 ? 0 : ofAll[size_t(leafOf[id])]);
  return offsets;
}

std::optional<std::vector<int64_t>> Puzzle::offsetsOfStack() const {
  if (openBlocks() > 0 || !alone.empty() || roots.empty())
    return std::nullopt;
  std::vector<int64_t> ofBlocks;
  std::map<int32_t, int64_t> offsetOf;
  int64_t top = 0;
  for (int32_t id : forest.orderOf(roots, 0)) {
    offsetOf[id] = top;
    top += forest[id].bytes;
  }
  if (offsetOf.size() != roots.size())
    return std::nullopt;
  for (int32_t id : blocks())
    ofBlocks.push_back(offsetOf[id]);
  return offsetsOf(ofBlocks);
}

} // namespace tpu_mlir::planning

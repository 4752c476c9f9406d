//===- PlacedGluer.cpp - Putting placed blocks together -------------------===//

#include "lib/Planning/Search/Placed/PlacedGluer.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// Of those that begin or end at a step.
static constexpr size_t kMostTried = 64;
/// What entering a block costs.
static constexpr int64_t kNodesOfBlock = 8;
/// Between two looks at the clock.
static constexpr int64_t kNodesOfLook = 8'192;

uint64_t PlacedGluer::keyOf(const std::vector<Interval> &spans) {
  uint64_t key = 0;
  for (const Interval &span : spans)
    for (int64_t step : {span.begin, span.end})
      key = (key ^ uint64_t(step)) * 0x9E3779B97F4A7C15u + (key >> 29);
  return key;
}

template <typename Use> void PlacedGluer::forEachKey(int32_t id, Use use) {
  const PlacedBlock &block = forest[id];
  use(byLife, keyOf(block.spans));
  for (size_t i = 0; i < block.spans.size(); ++i) {
    use(byBegin, uint64_t(block.spans[i].begin));
    use(byEnd, uint64_t(block.spans[i].end));
    if (i > 0)
      use(byPause, keyOf({{block.spans[i - 1].end, block.spans[i].begin}}));
  }
}

void PlacedGluer::enter(int32_t id) {
  if (isRoot.size() <= size_t(id))
    isRoot.resize(size_t(id) + 1, 0);
  isRoot[size_t(id)] = 1;
  nodeCount += kNodesOfBlock;
  if (!isWhole(id))
    forEachKey(id,
               [&](Index &index, uint64_t key) { index[key].push_back(id); });
}

void PlacedGluer::leave(int32_t id) {
  isRoot[size_t(id)] = 0;
  forEachKey(id, [&](Index &index, uint64_t key) {
    std::vector<int32_t> &bucket = index[key];
    bucket.erase(std::find(bucket.begin(), bucket.end(), id));
  });
}

std::vector<int32_t> PlacedGluer::at(const Index &index, uint64_t key) const {
  const auto found = index.find(key);
  if (found == index.end())
    return {};
  const std::vector<int32_t> &all = found->second;
  return {all.begin(),
          all.begin() + ptrdiff_t(std::min(all.size(), kMostTried))};
}

void PlacedGluer::replace(const std::vector<int32_t> &parts, int32_t id) {
  for (int32_t part : parts)
    leave(part);
  enter(id);
  waiting.push_back(id);
}

std::vector<int32_t> PlacedGluer::glue(const std::vector<int32_t> &ids,
                                       uint64_t seed,
                                       llvm::function_ref<bool()> isLate) {
  for (Index *index : {&byBegin, &byEnd, &byLife, &byPause})
    index->clear();
  waiting.assign(ids.begin(), ids.end());
  // Fisher and Yates; the library's may differ from machine to machine.
  std::mt19937_64 random(seed);
  for (size_t i = waiting.size(); seed != 0 && i > 1; --i)
    std::swap(waiting[i - 1], waiting[random() % i]);
  const std::deque<int32_t> first = waiting;
  for (int32_t id : first)
    enter(id);
  const int32_t before = forest.size();
  int64_t lastLook = nodeCount + forest.nodes();
  while (glueOnce()) {
    const bool looks = nodeCount + forest.nodes() - lastLook > kNodesOfLook;
    if (looks && isLate && isLate())
      break;
    if (looks)
      lastLook = nodeCount + forest.nodes();
  }
  std::vector<int32_t> left;
  const auto take = [&](int32_t id) {
    if (size_t(id) < isRoot.size() && isRoot[size_t(id)])
      left.push_back(id);
  };
  for (int32_t id : ids)
    take(id);
  for (int32_t id = before; id < forest.size(); ++id)
    take(id);
  for (int32_t id : left)
    isRoot[size_t(id)] = 0;
  return left;
}

bool PlacedGluer::glueOnce() {
  if (waiting.empty() && ambiguous.empty())
    return false;
  const bool isLastResort = waiting.empty();
  std::deque<int32_t> &queue = isLastResort ? ambiguous : waiting;
  const int32_t id = queue.front();
  queue.pop_front();
  if (!isRoot[size_t(id)] || isWhole(id))
    return true;
  if (isLastResort) {
    tryJoin(id, true);
    return true;
  }
  const size_t before = ambiguous.size();
  if (!tryFill(id) && !tryPile(id) && !tryJoin(id, false) &&
      ambiguous.size() == before)
    tryWheels(id);
  return true;
}

/// Either is the one that pauses.
bool PlacedGluer::tryFill(int32_t id) {
  const std::vector<Interval> spans = forest[id].spans;
  std::vector<int32_t> others;
  if (spans.size() == 1)
    others = at(byPause, keyOf(spans));
  for (size_t i = 1; i < spans.size(); ++i)
    for (int32_t other :
         at(byLife, keyOf({{spans[i - 1].end, spans[i].begin}})))
      others.push_back(other);
  for (int32_t other : others)
    if (const auto filled = forest.join(id, other)) {
      replace({id, other}, *filled);
      return true;
    }
  return false;
}

bool PlacedGluer::tryPile(int32_t id) {
  for (int32_t other : at(byLife, keyOf(forest[id].spans))) {
    if (other == id || !(forest[other].spans == forest[id].spans))
      continue;
    if (const auto pile = forest.pile(id, other)) {
      replace({id, other}, *pile);
      return true;
    }
  }
  return false;
}

bool PlacedGluer::tryJoinAt(int32_t id, int64_t step, bool takeAny,
                            bool &isAmbiguous) {
  const PlacedBlock &block = forest[id];
  const auto isEnd = [&](const Interval &span) { return span.end == step; };
  const bool endsHere =
      std::any_of(block.spans.begin(), block.spans.end(), isEnd);
  const std::vector<int32_t> others =
      at(endsHere ? byBegin : byEnd, uint64_t(step));
  std::optional<int32_t> found;
  int fitting = 0;
  for (int32_t other : others) {
    if (!forest.canJoin(id, other))
      continue;
    found = found.value_or(other);
    ++fitting;
  }
  if (!found)
    return false;
  int rivals = 0;
  for (int32_t other : at(endsHere ? byEnd : byBegin, uint64_t(step)))
    rivals += other != id && forest.canJoin(*found, other);
  const bool isOfOnePin = block.pin >= 0 && block.pin == forest[*found].pin;
  if (!takeAny && (fitting > 1 || rivals > 0 || isOfOnePin)) {
    isAmbiguous = true;
    return false;
  }
  replace({id, *found}, *forest.join(id, *found));
  return true;
}

bool PlacedGluer::tryJoin(int32_t id, bool takeAny) {
  bool isAmbiguous = false;
  const std::vector<Interval> spans = forest[id].spans;
  for (const Interval &span : spans)
    for (int64_t step : {span.end, span.begin})
      if (tryJoinAt(id, step, takeAny, isAmbiguous))
        return true;
  if (isAmbiguous)
    ambiguous.push_back(id);
  return false;
}

/// It may be any of the five pieces.
bool PlacedGluer::tryWheels(int32_t id) {
  if (!isWheelPart(id))
    return false;
  const auto begin = uint64_t(forest[id].hull().begin);
  const auto end = uint64_t(forest[id].hull().end);
  return tryWheel(id) || tryWheelOfAny(at(byBegin, end)) ||
         tryWheelOfAny(at(byBegin, begin)) || tryWheelOfAny(at(byEnd, end)) ||
         tryWheelOfAny(at(byEnd, begin));
}

bool PlacedGluer::tryWheelOfAny(const std::vector<int32_t> &hubs) {
  return std::any_of(hubs.begin(), hubs.end(),
                     [&](int32_t hub) { return tryWheel(hub); });
}

bool PlacedGluer::tryWheel(int32_t hub) {
  if (!isWheelPart(hub))
    return false;
  const int64_t bytes = forest[hub].bytes;
  const auto begin = uint64_t(forest[hub].hull().begin);
  const std::vector<int32_t> tops = at(byBegin, begin);
  for (int32_t d : at(byEnd, begin)) {
    if (!isWheelPart(d) || forest[d].bytes <= bytes)
      continue;
    for (int32_t c : tops)
      if (c != hub && isWheelPart(c) &&
          forest[c].bytes == forest[d].bytes - bytes &&
          forest[c].hull().end > forest[hub].hull().end &&
          closeWheel(hub, d, c))
        return true;
  }
  return false;
}

bool PlacedGluer::closeWheel(int32_t hub, int32_t d, int32_t c) {
  const Interval middle = forest[hub].hull();
  const Interval left{forest[d].hull().begin, middle.end};
  const Interval right{middle.end, forest[c].hull().end};
  for (int32_t a : at(byLife, keyOf({left}))) {
    if (!(forest[a].spans.front() == left) || !isWheelPart(a))
      continue;
    for (int32_t b : at(byLife, keyOf({right}))) {
      if (!(forest[b].spans.front() == right) || !isWheelPart(b) ||
          forest[b].bytes != forest[a].bytes + forest[hub].bytes)
        continue;
      const std::vector<int32_t> parts = {a, b, c, d, hub};
      if (const auto wheel = forest.wheel(parts)) {
        replace(parts, *wheel);
        return true;
      }
    }
  }
  return false;
}

} // namespace tpu_mlir::planning

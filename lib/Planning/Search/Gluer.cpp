//===- Gluer.cpp - Putting blocks together --------------------------------===//

#include "lib/Planning/Search/Gluer.h"

#include <algorithm>
#include <utility>

namespace tpu_mlir::planning {

/// Blocks for each item, those that were taken apart included, before the
/// latter are forgotten: twice as many are in use at most.
static constexpr size_t kMostBlocks = 8, kMostBlocksOfMany = 2;

/// Levels that a round takes apart, at most. What a large problem was glued
/// from at first lies deeper, and half of a block's parts stay whole at each.
static constexpr unsigned kDepth = 4, kDeepest = 12;
/// One round in so many of a large problem looks for a pile to split; small
/// ones are glued again and again instead.
static constexpr int64_t kPilesEach = 4;

/// For many items as many as there may be: growing takes twice the memory.
void Gluer::start() {
  mostBlocks = isPatient() ? kMostBlocksOfMany * itemCount + itemCount / 8
                           : kMostBlocks * itemCount + 1024;
  if (isPatient())
    reserve(mostBlocks);
  addItems();
  glueAll();
  std::vector<Change>().swap(changes);
}

void Gluer::glue(const Block &block, const std::vector<Part> &parts) {
  const int32_t id = add(block, parts);
  changes.push_back({id, true});
  putTogether(id);
  waiting.push_back(id);
}

bool Gluer::tryStack(int32_t id, bool takeAny) {
  const Block block = blocks[size_t(id)];
  int32_t found = -1;
  for (int32_t other = byLife.first(lifeKey(block.begin, block.end));
       other >= 0; other = byLife.next(other)) {
    const Block above = blocks[size_t(other)];
    if (other == id || above.begin != block.begin || above.end != block.end ||
        above.alignment != block.alignment)
      continue;
    if (!checkedAdd(block.paddedBytes, above.paddedBytes))
      continue;
    if (found >= 0 && !takeAny) {
      ambiguous.push_back(id);
      return false;
    }
    found = other;
    if (takeAny)
      break;
  }
  if (found < 0)
    return false;
  const int64_t bytes = blocks[size_t(found)].paddedBytes;
  glue({block.begin, block.end, block.paddedBytes + bytes},
       {{id, 0}, {found, block.paddedBytes}});
  return true;
}

std::optional<int32_t> Gluer::findAt(const Buckets &buckets, bool isBegin,
                                     int32_t step, int64_t bytes,
                                     int64_t alignment, int &count) const {
  std::optional<int32_t> found;
  count = 0;
  for (int32_t id = buckets.first(sizeKey(step, bytes)); id >= 0 && count < 2;
       id = buckets.next(id)) {
    const Block &block = blocks[size_t(id)];
    if ((isBegin ? block.begin : block.end) != step ||
        block.paddedBytes != bytes || block.alignment != alignment)
      continue;
    found = found.value_or(id);
    ++count;
  }
  return found;
}

bool Gluer::tryJoin(int32_t id, bool takeAny) {
  const Block block = blocks[size_t(id)];
  bool isAmbiguous = false;
  for (int32_t step : {block.end, block.begin}) {
    int beginning = 0, ending = 0;
    auto after = findAt(byBeginAndSize, true, step, block.paddedBytes,
                        block.alignment, beginning);
    auto before = findAt(byEndAndSize, false, step, block.paddedBytes,
                         block.alignment, ending);
    (step == block.end ? before : after) = id;
    if (!before || !after)
      continue;
    if (!takeAny && (beginning > 1 || ending > 1)) {
      isAmbiguous = true;
      continue;
    }
    glue({blocks[size_t(*before)].begin, blocks[size_t(*after)].end,
          block.paddedBytes},
         {{*before, 0}, {*after, 0}});
    return true;
  }
  if (isAmbiguous)
    ambiguous.push_back(id);
  return false;
}

void Gluer::tryWheels(int32_t id) {
  const Block block = blocks[size_t(id)];
  if (tryWheel(id) ||
      tryWheelOfAny(byBegin, block.end, byEnd.first(size_t(block.end))) ||
      tryWheelOfAny(byBegin, block.begin, byEnd.first(size_t(block.begin))) ||
      tryWheelOfAny(byEnd, block.end, byBegin.first(size_t(block.end))))
    return;
  tryWheelOfAny(byEnd, block.begin, byBegin.first(size_t(block.begin)));
}

bool Gluer::tryWheelOfAny(const Buckets &buckets, int32_t step,
                          int32_t needed) {
  // A hub at the edge of everything has nothing beyond it.
  if (needed < 0)
    return false;
  int tried = 0;
  for (int32_t hub = buckets.first(size_t(step));
       hub >= 0 && tried < kMostTried; hub = buckets.next(hub), ++tried)
    if (tryWheel(hub))
      return true;
  return false;
}

bool Gluer::tryWheel(int32_t hub) {
  const Block m = blocks[size_t(hub)];
  int tried = 0;
  for (int32_t d = byEnd.first(size_t(m.begin)); d >= 0 && tried < kMostTried;
       d = byEnd.next(d), ++tried) {
    const Block left = blocks[size_t(d)];
    const int64_t topBytes = left.paddedBytes - m.paddedBytes;
    if (topBytes <= 0 || left.alignment != m.alignment)
      continue;
    for (int32_t c = byBeginAndSize.first(sizeKey(m.begin, topBytes)); c >= 0;
         c = byBeginAndSize.next(c)) {
      const Block top = blocks[size_t(c)];
      if (top.begin == m.begin && top.paddedBytes == topBytes &&
          top.end > m.end && top.alignment == m.alignment && c != hub &&
          closeWheel(hub, d, c))
        return true;
    }
  }
  return false;
}

bool Gluer::closeWheel(int32_t hub, int32_t d, int32_t c) {
  const Block m = blocks[size_t(hub)];
  const Block left = blocks[size_t(d)], top = blocks[size_t(c)];
  for (int32_t a = byLife.first(lifeKey(left.begin, m.end)); a >= 0;
       a = byLife.next(a)) {
    const Block bottom = blocks[size_t(a)];
    if (bottom.begin != left.begin || bottom.end != m.end ||
        bottom.alignment != m.alignment)
      continue;
    const auto whole = checkedAdd(bottom.paddedBytes, left.paddedBytes);
    if (!whole)
      continue;
    const int64_t rightBytes = bottom.paddedBytes + m.paddedBytes;
    for (int32_t b = byLife.first(lifeKey(m.end, top.end)); b >= 0;
         b = byLife.next(b)) {
      const Block right = blocks[size_t(b)];
      if (right.begin != m.end || right.end != top.end ||
          right.paddedBytes != rightBytes || right.alignment != m.alignment)
        continue;
      glue({left.begin, top.end, *whole}, {{a, 0},
                                           {d, bottom.paddedBytes},
                                           {b, 0},
                                           {c, rightBytes},
                                           {hub, bottom.paddedBytes}});
      return true;
    }
  }
  return false;
}

void Gluer::scatter(int32_t id, int depth) {
  if (!isComposite(id)) {
    if (isFree(id))
      waiting.push_back(id);
    return;
  }
  changes.push_back({id, false});
  takeApart(id);
  const Interval range = partsOf(id);
  for (int64_t p = range.begin; p < range.end; ++p) {
    const int32_t part = allParts[size_t(p)].node;
    if (depth > 1 && random() % 2 == 0)
      scatter(part, depth - 1);
    else
      waiting.push_back(part);
  }
}

/// Some of the blocks that begin or end where this one does.
std::vector<int32_t> Gluer::neighboursOf(int32_t id) {
  const Block &block = blocks[size_t(id)];
  std::vector<int32_t> found;
  for (const Buckets *buckets : {&byBegin, &byEnd})
    for (int32_t step : {block.begin, block.end}) {
      int tried = 0;
      for (int32_t other = buckets->first(size_t(step));
           other >= 0 && tried < kMostTried;
           other = buckets->next(other), ++tried)
        if (other != id && random() % 2 == 0)
          found.push_back(other);
    }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void Gluer::scatterAround(int32_t id) {
  std::vector<int32_t> scattered = neighboursOf(id);
  while (scattered.size() > 5)
    scattered.erase(scattered.begin() + ptrdiff_t(random() % scattered.size()));
  scattered.push_back(id);
  const int depth = 1 + int(random() % (isPatient() ? kDeepest : kDepth));
  for (int32_t block : scattered)
    scatter(block, depth);
  shuffleWaiting();
}

void Gluer::improve(int64_t rounds) {
  for (; rounds > 0 && roots.size() > 1; --rounds) {
    const size_t rootsBefore = roots.size(), blocksBefore = blocks.size();
    changes.clear();
    const int32_t chosen = roots[random() % roots.size()];
    if (!isFree(chosen))
      continue;
    const bool mayBePile = isPatient() && rounds % kPilesEach == 0;
    if (!mayBePile || !splitPileBeside(chosen))
      scatterAround(chosen);
    glueAll();
    if (roots.size() > rootsBefore)
      undoAll(blocksBefore);
    // What was taken apart for good would pile up.
    if (blocks.size() > mostBlocks)
      compact();
  }
  changes.clear();
}

void Gluer::undoAll(size_t blocksBefore) {
  for (; !changes.empty(); changes.pop_back()) {
    const Change change = changes.back();
    if (change.isGluing)
      takeApart(change.block);
    else
      putTogether(change.block);
  }
  forgetBeyond(blocksBefore);
}

BlockedProblem Gluer::blocked() const {
  BlockedProblem result;
  result.itemCount = problem.items.size();
  result.parts = allParts;
  result.firstPart = firstPart;
  std::vector<int32_t> sorted = roots;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int64_t> reducedOf(problem.items.size(), -1);
  for (int32_t id : sorted) {
    const Block &block = blocks[size_t(id)];
    if (!isComposite(id)) {
      reducedOf[size_t(id)] = int64_t(result.reduced.items.size());
      result.reduced.items.push_back(problem.items[size_t(id)]);
    } else {
      Item item;
      item.sizeBytes = block.sizeBytes;
      item.alignment = block.alignment;
      item.lifespans = {{steps[size_t(block.begin)], steps[size_t(block.end)]}};
      result.reduced.items.push_back(std::move(item));
    }
    result.nodeOf.push_back(id);
  }
  result.reduced.capacityBytes = problem.capacityBytes;
  result.reduced.period = problem.period;
  result.reduced.lowerBoundBytes = problem.lowerBoundBytes;
  for (const auto &[a, b] : problem.forbiddenSharing)
    result.reduced.forbiddenSharing.emplace_back(reducedOf[size_t(a)],
                                                 reducedOf[size_t(b)]);
  return result;
}

} // namespace tpu_mlir::planning

//===- NearGluer.cpp - Blocks that nearly fit -----------------------------===//

#include "lib/Planning/Search/NearGluer.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// Two standard deviations and a half.
static constexpr double kFar = 6.25;

void NearGluer::believe(size_t id, const Belief &belief) {
  if (beliefs.size() <= id)
    beliefs.resize(id + 1);
  beliefs[id] = belief;
}

NearGluer::Belief NearGluer::beliefOf(int32_t id) {
  // Of items nothing was said yet.
  if (beliefs.size() <= size_t(id) || beliefs[size_t(id)].variance == 0) {
    const double bytes = double(blocks[size_t(id)].paddedBytes);
    const double share = nearness.share * bytes;
    believe(size_t(id),
            {bytes, share * share + nearness.bytes * nearness.bytes});
  }
  return beliefs[size_t(id)];
}

void NearGluer::renumbered(const std::vector<int32_t> &now) {
  const std::vector<Belief> before = std::exchange(beliefs, {});
  // Of blocks that were undone something may still be believed.
  for (size_t id = 0; id < std::min(before.size(), now.size()); ++id)
    if (now[id] >= 0)
      believe(size_t(now[id]), before[id]);
}

NearGluer::Belief NearGluer::both(const Belief &a, const Belief &b) {
  const double all = a.variance + b.variance;
  return {(a.bytes * b.variance + b.bytes * a.variance) / all,
          a.variance * b.variance / all};
}

double NearGluer::distance(const Belief &a, const Belief &b) {
  const double difference = a.bytes - b.bytes;
  return difference * difference / (a.variance + b.variance);
}

/// Stacks, joins and wheels alike: `parts` say what was put where, and what is
/// believed follows from their number.
void NearGluer::glue(const Block &block, const std::vector<Part> &parts) {
  const auto partOf = [&](size_t i) { return beliefOf(parts[i].node); };
  const Belief a = partOf(0), b = partOf(1);
  Belief all = parts.back().offsetBytes > 0 ? sum(a, b) : both(a, b);
  // As glueWheel() lists them: a, d, b, c, m.
  if (parts.size() > 2)
    all = both(sum(a, b), sum(partOf(2), partOf(3)));
  believe(blocks.size(), all);
  Gluer::glue(block, parts);
}

std::optional<int32_t> NearGluer::nearest(const Buckets &buckets, int32_t step,
                                          int32_t id, int &count) {
  const Belief wanted = beliefOf(id);
  std::optional<int32_t> found;
  double least = kFar;
  int tried = 0;
  count = 0;
  for (int32_t other = buckets.first(size_t(step));
       other >= 0 && tried < kMostTried; other = buckets.next(other), ++tried) {
    if (other == id || !isFree(other) ||
        blocks[size_t(other)].alignment != blocks[size_t(id)].alignment)
      continue;
    const double far = distance(wanted, beliefOf(other));
    if (far > kFar)
      continue;
    ++count;
    if (!found || far < least || (far == least && other < *found)) {
      least = far;
      found = other;
    }
  }
  return found;
}

bool NearGluer::tryJoin(int32_t id, bool takeAny) {
  bool isAmbiguous = false;
  for (const bool isAfter : {true, false}) {
    const Block block = blocks[size_t(id)];
    int there = 0, back = 0;
    const auto other = nearest(isAfter ? byBegin : byEnd,
                               isAfter ? block.end : block.begin, id, there);
    if (!other)
      continue;
    const auto best = nearest(isAfter ? byEnd : byBegin,
                              isAfter ? block.end : block.begin, *other, back);
    if (!takeAny && (there > 1 || back > 1)) {
      isAmbiguous = true;
      continue;
    }
    // Not the one that fits another one better, unless that one is gone.
    if (best != id)
      continue;
    const int32_t before = isAfter ? id : *other, after = isAfter ? *other : id;
    const Block &first = blocks[size_t(before)], &last = blocks[size_t(after)];
    glue({first.begin, last.end, std::max(first.paddedBytes, last.paddedBytes)},
         {{before, 0}, {after, 0}});
    return true;
  }
  if (isAmbiguous)
    ambiguous.push_back(id);
  return false;
}

bool NearGluer::tryWheel(int32_t hub) {
  if (!isFree(hub))
    return false;
  const Block m = blocks[size_t(hub)];
  const Belief middle = beliefOf(hub);
  int tried = 0;
  for (int32_t d = byEnd.first(size_t(m.begin)); d >= 0 && tried < kMostTried;
       d = byEnd.next(d), ++tried) {
    if (!isFree(d) || blocks[size_t(d)].paddedBytes <= m.paddedBytes ||
        blocks[size_t(d)].alignment != m.alignment)
      continue;
    const Belief left = beliefOf(d);
    int looked = 0;
    for (int32_t c = byBegin.first(size_t(m.begin));
         c >= 0 && looked < kMostTried; c = byBegin.next(c), ++looked)
      if (c != hub && isFree(c) && blocks[size_t(c)].end > m.end &&
          blocks[size_t(c)].alignment == m.alignment &&
          distance(left, sum(middle, beliefOf(c))) <= kFar &&
          closeWheel(hub, d, c))
        return true;
  }
  return false;
}

bool NearGluer::closeWheel(int32_t hub, int32_t d, int32_t c) {
  const Block m = blocks[size_t(hub)];
  const int32_t begin = blocks[size_t(d)].begin, end = blocks[size_t(c)].end;
  auto isHere = [&](int32_t id, int32_t from, int32_t to) {
    const Block &block = blocks[size_t(id)];
    return isFree(id) && block.begin == from && block.end == to &&
           block.alignment == m.alignment;
  };
  for (int32_t a = byLife.first(lifeKey(begin, m.end)); a >= 0;
       a = byLife.next(a)) {
    if (!isHere(a, begin, m.end))
      continue;
    for (int32_t b = byLife.first(lifeKey(m.end, end)); b >= 0;
         b = byLife.next(b)) {
      if (!isHere(b, m.end, end) ||
          distance(beliefOf(b), sum(beliefOf(a), beliefOf(hub))) > kFar)
        continue;
      glueWheel(a, b, c, d, hub);
      return true;
    }
  }
  return false;
}

/// Each as low as the others let it.
void NearGluer::glueWheel(int32_t a, int32_t b, int32_t c, int32_t d,
                          int32_t m) {
  const int64_t bottom = blocks[size_t(a)].paddedBytes;
  const int64_t top = std::max(bottom + blocks[size_t(m)].paddedBytes,
                               blocks[size_t(b)].paddedBytes);
  glue({blocks[size_t(d)].begin, blocks[size_t(c)].end,
        std::max(bottom + blocks[size_t(d)].paddedBytes,
                 top + blocks[size_t(c)].paddedBytes)},
       {{a, 0}, {d, bottom}, {b, 0}, {c, top}, {m, bottom}});
}

} // namespace tpu_mlir::planning

//===- Piles.cpp - Stacks of blocks that belong to several ----------------===//
//
// What lives from one step to another is stacked, though it may come from
// several places, which differ in what goes on beyond the step:
//
//          +------+-----+            +------+
//          |  p   |  c  |            |  p   |  +-----+    p and q in one pile:
//          +------+-----+---+        +------+  |  c  |    neither c nor d is as
//          |  q   |    d    |        |  q   |  +-----+    many bytes as that.
//          +------+---------+        +------+  ... d
//
// A neighbour tells what belongs together: some of the pile are as many bytes
// as it is.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Search/Gluer.h"

#include <algorithm>

namespace tpu_mlir::planning {

namespace {

/// More of a pile are not looked at, at a time.
constexpr size_t kMostInPile = 256;
/// So many are tried in all ways, in two halves; chance decides on the others.
constexpr size_t kHalf = 9;

struct Sum {
  int64_t bytes = 0;
  uint32_t members = 0; ///< Bit i: the i-th of the half.
};

/// Of all subsets. O(2^n).
std::vector<Sum> subsetSums(const int64_t *sizes, size_t count) {
  std::vector<Sum> sums(size_t(1) << count);
  for (uint32_t members = 1; members < sums.size(); ++members) {
    size_t last = 0;
    while ((members >> last & 1) == 0)
      ++last;
    sums[members] = {sums[members & (members - 1)].bytes + sizes[last],
                     members};
  }
  return sums;
}

/// Which of `sizes` add up to `target`: found where there are up to 2 * kHalf,
/// by chance where there are more. Empty: none found.
std::vector<bool> findSubset(const std::vector<int64_t> &sizes, int64_t target,
                             std::mt19937_64 &random) {
  const size_t open = std::min(sizes.size(), 2 * kHalf);
  std::vector<bool> chosen(sizes.size(), false);
  int64_t undecided = 0, left = target;
  for (int64_t size : sizes)
    undecided += size;
  for (size_t i = open; i < sizes.size(); ++i) {
    // What is left stays the same share of what is undecided, about.
    const double share = double(left) / double(undecided);
    chosen[i] = sizes[i] <= left && double(random() >> 11) * 0x1p-53 < share;
    left -= chosen[i] ? sizes[i] : 0;
    undecided -= sizes[i];
  }
  if (left > undecided)
    return {};
  const size_t first = open / 2;
  std::vector<Sum> low = subsetSums(sizes.data(), first);
  const std::vector<Sum> high = subsetSums(sizes.data() + first, open - first);
  std::sort(low.begin(), low.end(), [](const Sum &a, const Sum &b) {
    return std::pair(a.bytes, a.members) < std::pair(b.bytes, b.members);
  });
  for (const Sum &sum : high) {
    const auto found = std::lower_bound(
        low.begin(), low.end(), left - sum.bytes,
        [](const Sum &a, int64_t bytes) { return a.bytes < bytes; });
    if (found == low.end() || found->bytes != left - sum.bytes)
      continue;
    for (size_t i = 0; i < open; ++i)
      chosen[i] =
          (i < first ? found->members >> i : sum.members >> (i - first)) & 1;
    return chosen;
  }
  return {};
}

} // namespace

bool Gluer::isPile(int32_t id) const {
  if (!isComposite(id))
    return false;
  const Block &block = blocks[size_t(id)];
  const Block &part = blocks[size_t(allParts[size_t(partsOf(id).begin)].node)];
  return part.begin == block.begin && part.end == block.end;
}

Gluer::Pile Gluer::pileOf(int32_t id) {
  Pile pile;
  std::vector<int32_t> open = {id};
  while (!open.empty()) {
    const size_t i = random() % open.size();
    const int32_t next = std::exchange(open[i], open.back());
    open.pop_back();
    if (!isPile(next) || pile.members.size() + open.size() >= kMostInPile) {
      pile.members.push_back(next);
      continue;
    }
    pile.stacks.push_back(next);
    const Interval range = partsOf(next);
    for (int64_t p = range.begin; p < range.end; ++p)
      open.push_back(allParts[size_t(p)].node);
  }
  return pile;
}

int32_t Gluer::stack(const std::vector<int32_t> &members) {
  if (members.size() == 1) {
    waiting.push_back(members.front());
    return members.front();
  }
  Block block = blocks[size_t(members.front())];
  std::vector<Part> parts;
  int64_t top = 0;
  for (int32_t member : members) {
    parts.push_back({member, top});
    top += blocks[size_t(member)].paddedBytes;
  }
  glue({block.begin, block.end, top}, parts);
  return int32_t(blocks.size()) - 1;
}

bool Gluer::splitPile(int32_t id, int32_t neighbour) {
  const Pile pile = pileOf(id);
  std::vector<int64_t> sizes;
  for (int32_t member : pile.members)
    sizes.push_back(blocks[size_t(member)].paddedBytes);
  const std::vector<bool> chosen =
      findSubset(sizes, blocks[size_t(neighbour)].paddedBytes, random);
  if (chosen.empty())
    return false;
  for (int32_t taken : pile.stacks) {
    changes.push_back({taken, false});
    takeApart(taken);
  }
  std::vector<int32_t> fits, others;
  for (size_t i = 0; i < chosen.size(); ++i)
    (chosen[i] ? fits : others).push_back(pile.members[i]);
  const int32_t part = stack(fits);
  stack(others);
  const bool isFirst =
      blocks[size_t(part)].end == blocks[size_t(neighbour)].begin;
  const int32_t before = isFirst ? part : neighbour;
  const int32_t after = isFirst ? neighbour : part;
  glue({blocks[size_t(before)].begin, blocks[size_t(after)].end,
        blocks[size_t(part)].paddedBytes},
       {{before, 0}, {after, 0}});
  return true;
}

bool Gluer::splitPileBeside(int32_t id) {
  const Block block = blocks[size_t(id)];
  for (const bool isAfter : {true, false}) {
    const Buckets &buckets = isAfter ? byBegin : byEnd;
    int tried = 0;
    for (int32_t other =
             buckets.first(size_t(isAfter ? block.end : block.begin));
         other >= 0 && tried < kMostTried;
         other = buckets.next(other), ++tried) {
      const Block &pile = blocks[size_t(other)];
      if (pile.paddedBytes > block.paddedBytes &&
          pile.alignment == block.alignment && isPile(other) &&
          splitPile(other, id))
        return true;
    }
  }
  return false;
}

} // namespace tpu_mlir::planning

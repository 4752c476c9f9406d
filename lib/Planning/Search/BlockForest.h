//===- BlockForest.h - Blocks and the blocks in them ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKFOREST_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKFOREST_H

#include "lib/Planning/Search/Blocks.h"

#include <algorithm>
#include <utility>

namespace tpu_mlir::planning {

struct Block {
  int32_t begin = 0; ///< Indices of steps.
  int32_t end = 0;
  /// A multiple of the alignment; 0: is not to be glued.
  int64_t paddedBytes = 0;
  int64_t sizeBytes = 0; ///< To the last byte in use.
  int64_t alignment = 1;
};

/// Sets of blocks, one a key, as linked lists through arrays.
class Buckets {
public:
  explicit Buckets(size_t count) : heads(count, -1) {}
  void insert(size_t bucket, int32_t id) {
    if (links.size() <= size_t(id))
      links.resize(size_t(id) + 1);
    links[size_t(id)] = {heads[bucket], -1};
    if (heads[bucket] >= 0)
      links[size_t(heads[bucket])].previous = id;
    heads[bucket] = id;
  }
  void erase(size_t bucket, int32_t id) {
    const Link link = links[size_t(id)];
    (link.previous < 0 ? heads[bucket] : links[size_t(link.previous)].next) =
        link.next;
    if (link.next >= 0)
      links[size_t(link.next)].previous = link.previous;
  }
  void reserve(size_t count) { links.reserve(count); }
  int32_t first(size_t bucket) const { return heads[bucket]; }
  int32_t next(int32_t id) const { return links[size_t(id)].next; }
  size_t size() const { return heads.size(); }

private:
  struct Link {
    int32_t next = -1;
    int32_t previous = -1;
  };
  std::vector<int32_t> heads;
  std::vector<Link> links;
};

/// Items and what was made of them: trees whose leaves are items. The roots
/// that may be glued are found by where they begin and end.
class BlockForest {
protected:
  using Part = BlockedProblem::Part;

  virtual ~BlockForest() = default;

  explicit BlockForest(const std::vector<Item> &items)
      : itemCount(items.size()) {
    for (const Item &item : items) {
      steps.push_back(item.lifespans.front().begin);
      steps.push_back(item.lifespans.back().end);
    }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    steps.shrink_to_fit();
    size_t hashSize = 16;
    while (hashSize < items.size())
      hashSize *= 2;
    byBegin = Buckets(steps.size());
    byEnd = Buckets(steps.size());
    byLife = byBeginAndSize = byEndAndSize = Buckets(hashSize);
  }

  void reserve(size_t blockCount) {
    blocks.reserve(blockCount);
    placeInRoots.reserve(blockCount);
    firstPart.reserve(blockCount - itemCount + 1);
    allParts.reserve(2 * (blockCount - itemCount));
    for (Buckets *buckets :
         {&byBegin, &byEnd, &byLife, &byBeginAndSize, &byEndAndSize})
      buckets->reserve(blockCount);
  }

  int32_t stepIndex(int64_t step) const {
    return int32_t(std::lower_bound(steps.begin(), steps.end(), step) -
                   steps.begin());
  }

  /// A block of parts, not yet put together.
  int32_t add(Block block, const std::vector<Part> &parts) {
    block.alignment = blocks[size_t(parts.front().node)].alignment;
    for (const Part &part : parts) {
      const Block &inner = blocks[size_t(part.node)];
      block.sizeBytes =
          std::max(block.sizeBytes, part.offsetBytes + inner.sizeBytes);
    }
    allParts.insert(allParts.end(), parts.begin(), parts.end());
    firstPart.push_back(uint32_t(allParts.size()));
    blocks.push_back(block);
    return int32_t(blocks.size()) - 1;
  }
  void forgetBeyond(size_t blockCount) {
    blocks.resize(blockCount);
    placeInRoots.resize(blockCount);
    firstPart.resize(blockCount - itemCount + 1);
    allParts.resize(firstPart.back());
  }

  /// Forgets the blocks that are part of no root; the others may get other
  /// numbers. O(blocks).
  void compact() {
    for (int32_t id : roots)
      if (isFree(id))
        leave(id);
    const std::vector<int32_t> now = keepUsed();
    renumbered(now);
    const std::vector<int32_t> before = std::exchange(roots, {});
    placeInRoots.assign(blocks.size(), -1);
    for (int32_t id : before)
      addRoot(now[size_t(id)]);
    for (int32_t id : roots)
      if (isFree(id))
        enter(id);
  }

  /// `now`: the new number of each block; -1: it is gone.
  virtual void renumbered(const std::vector<int32_t> &now) {}

  bool isComposite(int32_t id) const { return size_t(id) >= itemCount; }
  /// The parts of a composite block: indices into allParts.
  Interval partsOf(int32_t id) const {
    const size_t node = size_t(id) - itemCount;
    return {int64_t(firstPart[node]), int64_t(firstPart[node + 1])};
  }
  void putTogether(int32_t id) {
    const Interval range = partsOf(id);
    for (int64_t p = range.begin; p < range.end; ++p) {
      leave(allParts[size_t(p)].node);
      removeRoot(allParts[size_t(p)].node);
    }
    enter(id);
    addRoot(id);
  }
  void takeApart(int32_t id) {
    leave(id);
    removeRoot(id);
    const Interval range = partsOf(id);
    for (int64_t p = range.begin; p < range.end; ++p) {
      enter(allParts[size_t(p)].node);
      addRoot(allParts[size_t(p)].node);
    }
  }
  bool isFree(int32_t id) const {
    return isComposite(id) || blocks[size_t(id)].paddedBytes > 0;
  }

  static size_t mix(uint64_t a, uint64_t b, size_t buckets) {
    uint64_t h =
        a * 0x9E3779B97F4A7C15u ^ (b + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    h ^= h >> 29;
    return size_t(h * 0xBF58476D1CE4E5B9u >> 20) & (buckets - 1);
  }
  size_t sizeKey(int32_t step, int64_t bytes) const {
    return mix(uint64_t(step), uint64_t(bytes), byBeginAndSize.size());
  }
  size_t lifeKey(int32_t begin, int32_t end) const {
    return mix(uint64_t(begin), uint64_t(end), byLife.size());
  }

  void addRoot(int32_t id) {
    if (placeInRoots.size() <= size_t(id))
      placeInRoots.resize(size_t(id) + 1, -1);
    placeInRoots[size_t(id)] = int32_t(roots.size());
    roots.push_back(id);
  }
  void removeRoot(int32_t id) {
    const int32_t place = std::exchange(placeInRoots[size_t(id)], -1);
    roots[size_t(place)] = roots.back();
    placeInRoots[size_t(roots.back())] = place;
    placeInRoots[size_t(id)] = -1;
    roots.pop_back();
  }
  bool isRoot(int32_t id) const { return placeInRoots[size_t(id)] >= 0; }

  void enter(int32_t id) {
    forEachKey(blocks[size_t(id)],
               [&](Buckets &buckets, size_t key) { buckets.insert(key, id); });
  }
  void leave(int32_t id) {
    forEachKey(blocks[size_t(id)],
               [&](Buckets &buckets, size_t key) { buckets.erase(key, id); });
  }
  template <typename Use> void forEachKey(const Block &block, Use use) {
    use(byBegin, size_t(block.begin));
    use(byEnd, size_t(block.end));
    use(byLife, lifeKey(block.begin, block.end));
    use(byBeginAndSize, sizeKey(block.begin, block.paddedBytes));
    use(byEndAndSize, sizeKey(block.end, block.paddedBytes));
  }

private:
  /// What roots consist of, and all items; the new number of each block.
  std::vector<int32_t> keepUsed() {
    std::vector<bool> isUsed(blocks.size(), false);
    for (int32_t id : roots)
      isUsed[size_t(id)] = true;
    for (size_t id = blocks.size(); id-- > itemCount;) {
      const Interval range = partsOf(int32_t(id));
      for (int64_t p = range.begin; p < range.end && isUsed[id]; ++p)
        isUsed[size_t(allParts[size_t(p)].node)] = true;
    }
    // In place: nothing gets a larger number.
    std::vector<int32_t> now(blocks.size(), -1);
    size_t kept = 0, keptParts = 0;
    for (size_t id = 0; id < blocks.size(); ++id) {
      if (id >= itemCount && !isUsed[id])
        continue;
      now[id] = int32_t(kept);
      blocks[kept++] = blocks[id];
      if (id < itemCount)
        continue;
      const Interval range = partsOf(int32_t(id));
      for (int64_t p = range.begin; p < range.end; ++p) {
        const Part &part = allParts[size_t(p)];
        allParts[keptParts++] = {now[size_t(part.node)], part.offsetBytes};
      }
      firstPart[kept - itemCount] = uint32_t(keptParts);
    }
    blocks.resize(kept);
    firstPart.resize(kept - itemCount + 1);
    allParts.resize(keptParts);
    return now;
  }

protected:
  const size_t itemCount;
  std::vector<int64_t> steps;
  std::vector<Block> blocks; ///< Items first; parts before what they make.
  std::vector<Part> allParts;
  std::vector<uint32_t> firstPart = {0}; ///< By composite block, and one more.
  std::vector<int32_t> roots;            ///< Blocks that are part of none.
  std::vector<int32_t> placeInRoots;     ///< -1: no root.
  Buckets byBegin{0}, byEnd{0}, byLife{0}, byBeginAndSize{0}, byEndAndSize{0};
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKFOREST_H

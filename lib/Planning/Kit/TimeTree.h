//===- TimeTree.h - Which bytes are taken at which time ---------*- C++ -*-===//
//
// The structure after every strategy that places items in another order than
// that of time: "which bytes are taken at some step of [b, e)?" without looking
// at each placed item.
//
// A segment tree over the distinct steps at which lifespans begin or end. Each
// node stands for a stretch of time and keeps two sets of bytes:
//
//   covering   of items that live during the whole stretch
//   touching   of items that live during some of it
//
//            +-------------- [0,8) --------------+      x = [2,8) is put into
//       +-- [0,4) --+                 +-- [4,8) --+     covering of [2,4) and
//     [0,2)      [2,4)             [4,6)       [6,8)    [4,8), and into
//     touching
//                  x                 (x)         (x)    of these and all above
//
// The bytes taken during a span are those of `touching` at the O(log t) nodes
// that make up the span and of `covering` at the nodes above them. Sets hold
// disjoint ranges and join neighbours, and in a good packing neighbours touch,
// so they stay short although many items were added.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_TIMETREE_H
#define TPU_MLIR_LIB_PLANNING_KIT_TIMETREE_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// Disjoint ranges of bytes in address order; neighbours that touch are one.
class ByteSet {
public:
  /// O(log r) plus moving what lies after.
  void insert(Interval bytes);
  const std::vector<Interval> &ranges() const { return bytes; }
  void clear() { bytes.clear(); }

private:
  std::vector<Interval> bytes;
};

/// Asks one set for gaps at growing offsets, so that a whole search walks the
/// set once.
class GapFinder {
public:
  explicit GapFinder(const ByteSet &set)
      : next(set.ranges().data()), end(next + set.ranges().size()) {}
  /// The lowest place at or above `at` where `size` bytes are free of the set.
  /// `at` is not below that of the call before.
  int64_t firstGap(int64_t at, int64_t size) {
    while (next != end && next->end <= at)
      ++next;
    for (; next != end && next->begin - size < at; ++next)
      at = next->end;
    return at;
  }

private:
  const Interval *next; ///< The first range that may end above `at`.
  const Interval *end;
};

class TimeTree {
public:
  /// For inserting items with these lifespans. O(i log i).
  explicit TimeTree(const std::vector<Item> &items);
  /// Marks `bytes` as taken during the item's lifespans.
  void insert(const Item &item, Interval bytes);
  /// The sets that together hold what is taken while the item lives; any item,
  /// whether the tree was made for it or not.
  std::vector<const ByteSet *> query(const Item &item) const;
  /// Forgets what was inserted, but keeps the steps and the memory.
  void clear();

private:
  struct Node {
    ByteSet covering;
    ByteSet touching;
  };
  Interval leavesOf(const Interval &span) const;
  void insert(size_t node, Interval stretch, Interval leaves, Interval bytes);
  void query(size_t node, Interval stretch, Interval leaves,
             std::vector<const ByteSet *> &sets) const;

  std::vector<int64_t> steps; ///< Sorted; leaf i is [steps[i], steps[i+1]).
  int64_t leafCount = 0;
  std::vector<Node> nodes; ///< Children of node k: 2k+1 and 2k+2.
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_TIMETREE_H

//===- TimeTree.h - Which bytes are taken at which time ---------*- C++ -*-===//
//
// The structure behind every strategy that places items in another order than
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

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_TIMETREE_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_TIMETREE_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// Disjoint ranges of bytes in address order; neighbours that touch are one.
class ByteSet {
public:
  /// O(log r) plus moving what lies behind.
  void insert(Interval bytes);
  /// If [at, at + size) hits the set, the end of the last range that it hits:
  /// no place below that is free of the set for so many bytes. Else `at`.
  /// O(log r).
  int64_t skip(int64_t at, int64_t size) const;
  /// The end of the first gap that begins at or behind `at`, seen from a free
  /// byte `at`: where the next range begins, or nullopt when none follows.
  std::optional<int64_t> nextBegin(int64_t at) const;
  const std::vector<Interval> &ranges() const { return bytes; }

private:
  std::vector<Interval> bytes;
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

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_TIMETREE_H

//===- Blocks.h - Items that form rectangles together -----------*- C++ -*-===//
//
// In an address-by-time plane a buffer is a rectangle whose horizontal place is
// fixed. Buffers that fit each other exactly can be glued to a larger rectangle
// without a hole, and the larger rectangles again:
//
//      stack              join               wheel
//     +-----+           +--+-----+         +---+-------+
//     |  b  |           |  |     |         |   |   c   |
//     +-----+           |a |  b  |         | d +---+---+     a + d = b + c
//     |  a  |           |  |     |         |   | m |   |       = a + m + c
//     +-----+           +--+-----+         +---+---+ b |
//   same life         a ends where b       |     a |   |
//                     begins, same size    +-------+---+
//
// What is left is a smaller problem; a packing of it is a packing of the whole.
// Gluing gives up packings, so the smaller problem may need more bytes; but
// where buffers come from a chain of ops whose results have equal sizes, or
// tile a pool without loss, it is nearly always the tiling that is found again,
// and problems of thousands of buffers shrink to tens.
//
// Joins that could have gone another way (several equal partners at one step)
// wait until nothing else is left to glue.
//
// The mirror image of block building in container loading (Eley, 2002; there
// boxes may move in all directions) and of guillotine cutting.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKS_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKS_H

#include "tpu_mlir/Planning/Strategy.h"

#include <memory>

namespace tpu_mlir::planning {

/// A problem whose items are blocks, and the way back.
struct BlockedProblem {
  PackingProblem reduced;
  /// Offsets of the original items from offsets of the reduced ones. O(n).
  std::vector<int64_t> expand(const std::vector<int64_t> &offsets) const;

  struct Part {
    int32_t node = 0;
    int64_t offsetBytes = 0; ///< From the bottom of the block.
  };
  /// Node i < itemCount is item i; the parts of later nodes are earlier ones.
  size_t itemCount = 0;
  std::vector<int32_t> nodeOf; ///< By reduced item.
  std::vector<Part> parts;     ///< Of all composite nodes, one after another.
  std::vector<uint32_t> firstPart; ///< By composite node, and one more.
};

/// How sizes may differ that are taken for the same: a standard deviation of
/// each item's, as a share of it and in bytes. The fits of larger blocks are
/// judged by what the sizes in them add up to, and the holes that are left
/// inside are part of the block.
struct Nearness {
  double share = 0;
  double bytes = 0;
  bool isExact() const { return share == 0 && bytes == 0; }
};

/// Problems of more items are glued once, and with patience: from scratch takes
/// longer than improving what is there.
constexpr int64_t kManyToGlue = 20'000;

class Gluer;

/// Glues what can be glued. Items with gaps in their lives, pins or forbidden
/// partners stay alone; only items of one alignment are glued.
class BlockBuilder {
public:
  /// `seed` 0 goes through the items in their order, others in a random one:
  /// where several gluings are possible, the result differs. O(n log n) when
  /// few items begin or end at one step; at most 64 of them are tried for a
  /// wheel.
  BlockBuilder(const PackingProblem &problem, uint64_t seed,
               const Nearness &nearness = {});
  ~BlockBuilder();

  /// Number of blocks, items that stay alone included.
  size_t blockCount() const;
  /// A wrong gluing leaves blocks around it that fit nothing. Takes a few
  /// neighbouring blocks apart and glues again in another order, `rounds`
  /// times; what leaves more blocks is undone. About 10 us a round.
  void improve(int64_t rounds);
  /// The problem as it is glued now. O(n).
  BlockedProblem blocked() const;

private:
  std::unique_ptr<Gluer> gluer;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_BLOCKS_H

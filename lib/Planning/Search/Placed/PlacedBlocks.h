//===- PlacedBlocks.h - Blocks that cannot lie anywhere ---------*- C++ -*-===//
//
// As in Blocks.h, items that fit each other make larger rectangles; here each
// knows at which offsets it may begin (Places.h), and lives may pause:
//
//       pile           join              filled            wheel
//     +-----+       +--+-----+       +--+-----+--+      as in Blocks.h, and
//     |  b  |       |a |  b  |       |a |  b  | a|      its mirror image
//     +-----+       +--+-----+       +--+-----+--+
//     |  a  |
//     +-----+
//
// Two blocks fit only if they still have a place then. In which order a pile
// lies is left open until it has its place: all orders count for where it may
// begin (a dynamic program over its subsets, after Held and Karp, 1962).
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDBLOCKS_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDBLOCKS_H

#include "lib/Planning/Search/Placed/Places.h"
#include "tpu_mlir/Support/Interval.h"

namespace tpu_mlir::planning {

struct PlacedBlock {
  std::vector<Interval> spans; ///< Sorted, and none touches the next.
  int64_t bytes = 0;
  Places places;
  /// Of nothing but bytes that nobody uses.
  bool isMissing = false;
  /// The pinned block of which this is some of the time; -1: it is none.
  int32_t pin = -1;
  std::vector<int32_t> parts;
  /// Offsets of the parts, in each way that they may lie; none: a pile, in any
  /// order.
  std::vector<std::vector<int64_t>> layouts;

  bool isPile() const { return !parts.empty() && layouts.empty(); }
  Interval hull() const { return {spans.front().begin, spans.back().end}; }
};

/// Blocks by number, parts before what they make. They never change.
class PlacedForest {
public:
  /// No block may reach above `height`.
  explicit PlacedForest(int64_t height) : height(height) {}

  const PlacedBlock &operator[](int32_t id) const { return blocks[size_t(id)]; }
  int32_t size() const { return int32_t(blocks.size()); }
  int32_t add(PlacedBlock block);
  /// Those from there on go.
  void resize(int32_t count) { blocks.resize(size_t(count)); }

  /// nullopt: there would be no place for it. Blocks of the same spans; piles
  /// of few blocks are taken apart.
  std::optional<int32_t> pile(int32_t a, int32_t b);
  /// Of the same bytes, and never alive at the same time.
  std::optional<int32_t> join(int32_t a, int32_t b);
  bool canJoin(int32_t a, int32_t b) const;
  /// As in Blocks.h: a, b, c, d and the hub in the middle.
  std::optional<int32_t> wheel(const std::vector<int32_t> &parts);

  /// Where the blocks lie that are part of this one, by number (-1: not part of
  /// it). False: some have no place after all.
  bool expand(int32_t id, int64_t offset, std::vector<int64_t> &offsets) const;
  /// An order in which they lie one upon the other from `offset`, each at one
  /// of its places; empty: none was found, or there are more than 64.
  std::vector<int32_t> orderOf(const std::vector<int32_t> &members,
                               int64_t offset) const;
  /// A measure of the work, about 100 ns each.
  int64_t nodes() const { return nodeCount; }

  /// Only `roots` and what is in them, and the first `kept` ones, stay; roots
  /// get their new numbers.
  void collect(std::vector<int32_t> &roots, int32_t kept);

private:
  Places placesOfPile(const std::vector<int32_t> &members);
  Places placesOf(const PlacedBlock &block) const;

  /// More of a pile are taken as they are.
  static constexpr size_t kMostInPile = 7;
  const int64_t height;
  std::vector<PlacedBlock> blocks;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PLACEDBLOCKS_H

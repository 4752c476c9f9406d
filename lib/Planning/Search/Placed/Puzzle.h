//===- Puzzle.h - A problem of blocks that cannot lie anywhere --*- C++ -*-===//
//
// All items of a problem as blocks that know their places (PlacedBlocks.h), and
// what is missing in their live sum (Relatives/Completion.h): glued, and then
// again and again a few blocks that are near each other taken apart and glued
// in another order; what leaves more blocks is undone. A large neighbourhood
// search (Shaw, 1998). What is pinned may be cut then, so that each piece of it
// goes with what lies above or below it for as long:
//
//      +-------+---+---+                +-------+---+---+
//      |   a   | b |   |                |       |       |
//   +--+-------+---+-+-+   the pin in   +  a+p  + b+p+d +
//   |     pinned     |     three        |       |       |
//   +--+-------+---+-+     pieces       +-------+-------+
//
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PUZZLE_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PUZZLE_H

#include "lib/Planning/Search/Placed/PlacedGluer.h"
#include "tpu_mlir/Planning/Strategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir::planning {

class Puzzle {
public:
  /// For packings of `height` bytes, which is a multiple of the granule. What
  /// is pinned above has no part in it. `seed` 0: everything in its order.
  Puzzle(const PackingProblem &problem, int64_t height, uint64_t seed,
         llvm::function_ref<bool()> isLate);

  /// Where every item may begin is a multiple of this.
  static int64_t granuleOf(const PackingProblem &problem);
  /// False where offsets or lives leave what can be counted with, or nothing
  /// is below the height.
  bool isSound() const { return isFine; }

  /// Blocks that do not live all the time.
  size_t openBlocks() const;
  /// With about so many nodes; ends where no block is open and the others make
  /// a stack, or where many rounds have brought nothing.
  void improve(int64_t nodeLimit, llvm::function_ref<bool()> isLate);
  int64_t nodes() const { return gluer->nodes() + forest.nodes() + ownNodes; }

  /// The blocks that are left, without those where something is missing.
  std::vector<int32_t> blocks() const;
  const PlacedForest &all() const { return forest; }
  /// The item that a block is, if it is one that has a partner from which it is
  /// kept apart.
  std::optional<size_t> loneItemOf(int32_t id) const;
  /// Offsets of the items from those of blocks(), pinned ones where they are;
  /// nullopt: some have no place.
  std::optional<std::vector<int64_t>>
  offsetsOf(const std::vector<int64_t> &ofBlocks) const;
  /// The same where blocks() all live all the time, are few and fill the height
  /// one upon the other.
  std::optional<std::vector<int64_t>> offsetsOfStack() const;

private:
  /// Pauses in which nothing else can be: some bytes are missing then.
  void closePauses(std::vector<Item> &items);
  void addMissing(const std::vector<Item> &items,
                  llvm::function_ref<bool()> isLate);
  bool isWhole(int32_t id) const {
    const PlacedBlock &block = forest[id];
    return block.spans.size() == 1 && block.spans.front() == whole;
  }
  /// Blocks that all live all the time can lie one upon the other.
  bool isStack();
  /// Open blocks, and pinned ones that are cut count once.
  size_t cost() const;
  void changeOnce();
  /// Some time of a pinned block may belong to what lies above or below it.
  void cutPins(std::vector<int32_t> &taken);
  void cut(int32_t pin, Interval life, std::vector<int32_t> &pieces);
  void choose(std::vector<int32_t> &kept, std::vector<int32_t> &taken);
  void takeApart(int32_t id, int depth, std::vector<int32_t> &pieces);
  int64_t below(int64_t count) { return int64_t(random() % uint64_t(count)); }

  const PackingProblem &problem;
  const int64_t height, granule;
  const uint64_t seed;
  std::mt19937_64 random;
  PlacedForest forest;
  std::optional<PlacedGluer> gluer;
  Interval whole{0, 0};
  bool isFine = true;
  std::vector<int32_t> leafOf;       ///< By item; -1: it has none.
  std::vector<size_t> itemOf;        ///< By leaf.
  std::vector<char> hasPartner;      ///< By item.
  std::vector<int32_t> roots, alone; ///< The latter are never glued.
  int32_t leaves = 0, liveBlocks = 0;
  int64_t ownNodes = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_PLACED_PUZZLE_H

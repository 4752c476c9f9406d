//===- LmemPlacementSearch.h - The fewest bank conflicts --------*- C++ -*-===//
//
// Depth-first search over placements by ascending address. A block's address is
// one of:
//
//   * the bottom of the lane, or the end of a placed block that lives when it
//     does - only the highest of them, as nothing is placed below any more;
//   * the first bank after a placed block that it should not share a bank
//     with.
//
//   bank    0         1         2         3
//           [ a           ][ c ]                c right after a: shares bank 1
//           [ a           ]     [ c ]           c in the first bank after a
//
// That is enough: any placement turns into one of this form by moving blocks
// down, one at a time, as long as they neither run into a block that lives with
// them nor enter a bank of a pair that they stay clear of so far. No move adds
// a conflict or raises the end; every move lowers the sum of addresses.
//
// A branch is cut when
//   * in some step what is unplaced no longer fits above what is placed;
//   * the conflicts so far and those that can no longer be avoided (the first
//     bank after a placed partner leaves no room) are not below the best.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTSEARCH_H
#define TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTSEARCH_H

#include "lib/LayerPlanning/Place/LmemPlacementFold.h"

namespace tpu_mlir::layer {

/// Finds a placement of lower cost than a given one, or shows that there is
/// none.
class BankSearch {
public:
  explicit BankSearch(const FoldedLmem &folded);

  enum class Outcome {
    Improved,  ///< Complete, and found something: the lowest cost.
    Exhausted, ///< Complete, and nothing costs less.
    Stopped,   ///< At the node limit; hasFound() says whether it found any.
  };
  /// Looks for costs below `belowCost` for about `nodeLimit` nodes.
  Outcome run(int64_t belowCost, int64_t nodeLimit);

  bool hasFound() const { return !bestAddresses.empty(); }
  /// One address a block: the best found so far.
  const std::vector<int64_t> &addresses() const { return bestAddresses; }
  /// Addresses looked at by all runs.
  int64_t nodes() const { return nodeCount; }

private:
  struct Option {
    int64_t address;
    int64_t cost; ///< With what it makes unavoidable.
    int32_t block;
  };
  struct Undo {
    int32_t block;
    int64_t least;
  };

  void search(int64_t floor, int32_t lastBlock, size_t left);
  void collectOptions(int64_t floor, int32_t lastBlock);
  void addOption(int32_t block, int64_t address, int64_t floor,
                 int32_t lastBlock);
  bool place(const Option &option);
  bool stepsStillFit(int64_t floor) const;
  void takeBack(const Option &option, size_t undoBefore);
  bool isSwapped(int32_t block, int64_t at) const;
  bool entersNoBank(int32_t below, int32_t block, int64_t at) const;
  bool isUnavoidable(int32_t later, int64_t at, int64_t size) const;

  const FoldedLmem &folded;
  std::vector<std::vector<int32_t>> stepsOf; ///< By block.
  std::vector<int64_t> padded;               ///< Size up to euBytes.
  std::vector<int64_t> remaining; ///< Unplaced padded bytes of a step.
  std::vector<int64_t> top;       ///< End of what is placed in a step, padded.
  std::vector<int64_t> address;   ///< -1: not placed.
  std::vector<int64_t> least;     ///< Lowest address above placed neighbours.
  std::vector<Undo> undo;
  std::vector<int64_t> topUndo;
  std::vector<Option> options; ///< A stack, one stretch a level.
  std::vector<int64_t> bestAddresses;
  int64_t cost = 0;
  int64_t bound = 0; ///< Costs have to be below this.
  int64_t nodeCount = 0;
  int64_t lastNode = 0;
  bool isStopped = false;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTSEARCH_H

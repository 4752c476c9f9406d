//===- LmemPlacementGreedy.h - One block after the other --------*- C++ -*-===//
//
// A block goes to one of few addresses: the bottom of the lane, the end of a
// placed block that lives when it does, or the first bank after one that it
// should not share a bank with. Between these, moving down changes nothing for
// the worse: it takes no bank that was not taken before.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTGREEDY_H
#define TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTGREEDY_H

#include "lib/LayerPlanning/Place/LmemPlacementFold.h"

#include <optional>

namespace tpu_mlir::layer {

/// What decides between addresses.
enum class Preference {
  FewConflicts, ///< The lowest cost, then the lowest address.
  LowAddress,   ///< The lowest address.
};

/// A placement within the limit and what it costs.
struct Candidate {
  std::vector<int64_t> addresses; ///< One a block.
  int64_t cost = 0;
  int64_t highWaterBytes = 0;

  bool isBetterThan(const Candidate &other) const {
    return cost != other.cost ? cost < other.cost
                              : highWaterBytes < other.highWaterBytes;
  }
};

/// The best candidate of one-pass placements and of changes to it.
class GreedyPlacer {
public:
  explicit GreedyPlacer(const FoldedLmem &folded);

  /// Several orders, each with both preferences. nullopt: none fits.
  /// O(b^2 (log b + pairs of one block)) for b blocks.
  std::optional<Candidate> best();

  /// Takes blocks out, those in conflict rather than others, and puts them back
  /// in other orders, keeping what is not worse (large neighbourhood search,
  /// Shaw 1998), until the cost is `enoughCost` or about `nodeLimit` nodes are
  /// spent. `start` lies within the limit; so does the result, never worse.
  Candidate improve(Candidate start, int64_t enoughCost, int64_t nodeLimit);

  /// Addresses looked at so far.
  int64_t nodes() const { return nodeCount; }

private:
  struct Choice {
    int64_t address = 0;
    int64_t cost = 0;
  };
  bool placeAll(const std::vector<int32_t> &order, Preference preference);
  bool place(int32_t block, Preference preference);
  void collectAddresses(int32_t block);
  void collectTaken(int32_t block);
  int64_t costAt(int32_t block, int64_t address) const;
  std::vector<std::vector<int32_t>> orders() const;
  Candidate current() const;
  std::vector<int32_t> chooseToRemove(const Candidate &from);
  int32_t chooseInConflict(const Candidate &from);
  uint64_t random(uint64_t below);

  const FoldedLmem &folded;
  std::vector<int64_t> address; ///< -1: not placed.
  std::vector<int64_t> tried;   ///< Addresses of one block, ascending.
  std::vector<Interval> taken;  ///< Bytes that it cannot have, ascending.
  int64_t nodeCount = 0;
  uint64_t state = 1;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_PLACE_LMEMPLACEMENTGREEDY_H

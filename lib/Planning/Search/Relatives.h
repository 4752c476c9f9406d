//===- Relatives.h - Problems that are alike, but easier --------*- C++ -*-===//
//
// A problem whose sizes have no structure may be a neighbour of one that has:
// every size on a grid before a byte was taken off, pieces of one strip before
// each was rounded. A packing of the neighbour, settled (Settle.h), is a
// packing of the problem, and often a better one than any search of the problem
// itself finds. So several neighbours are guessed:
//
//   * layers: items that never begin or end together with others are packed by
//     themselves, one layer upon the other;
//   * what fits nearly is glued (NearGluer.h), with several ideas of how near;
//   * sizes are rounded to grids, up and to the nearest multiple, where that
//     makes more of them fit exactly.
//
// Nothing is proved by them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_H

#include "lib/Planning/Search/Blocks.h"

#include <optional>

namespace tpu_mlir::planning {

/// A problem that is like another one, or several that make one together.
struct Relative {
  /// From the bottom up; most have one.
  std::vector<PackingProblem> layers;
  /// Which items each layer has, ascending; none: all of them.
  std::vector<std::vector<size_t>> itemsOf;
  /// The items of the one layer are blocks of these.
  std::optional<BlockedProblem> blocks;

  /// Offsets of the other problem's items from those of the layers': the order
  /// in which they are to be settled.
  std::vector<int64_t>
  offsetsOf(const std::vector<std::vector<int64_t>> &ofLayers) const;
};

class Relatives {
public:
  Relatives(const PackingProblem &problem, uint64_t seed)
      : problem(problem), seed(seed) {}

  /// With fewer nodes than this there is no use in beginning.
  static int64_t leastNodes(size_t items);
  /// The next one; nullopt when there are no more. Those that are the problem
  /// itself, or no easier, are passed over.
  std::optional<Relative> next();
  /// The work done so far.
  int64_t nodes() const { return nodeCount; }

private:
  std::optional<Relative> layered();
  std::optional<Relative> glued(size_t index);
  std::optional<Relative> rounded(size_t index);
  /// Into how many blocks the items of another problem can be glued.
  size_t blocksOf(const PackingProblem &other);
  size_t ownBlocks();

  const PackingProblem &problem;
  const uint64_t seed;
  std::optional<size_t> knownBlocks; ///< Of ownBlocks().
  size_t nextIndex = 0;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_H

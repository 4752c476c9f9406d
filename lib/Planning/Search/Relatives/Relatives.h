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
//   * items of several alignments have what these have in common; then so have
//     those of the neighbours that follow;
//   * what was taken from a packing without holes is there (Completer.h);
//   * what fits nearly is glued (NearGluer.h), with several ideas of how near;
//   * sizes are rounded to grids, up and to the nearest multiple, where that
//     makes more of them fit exactly.
//
// Nothing is proved by them.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_RELATIVES_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_RELATIVES_H

#include "lib/Planning/Search/Blocks.h"
#include "lib/Planning/Search/Relatives/Completer.h"

#include <memory>
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
  Relatives(const PackingProblem &problem, const SolveOptions &options)
      : alike(alignedAlike(problem)), problem(alike ? *alike : problem),
        options(options), seed(options.seed) {}

  /// What there is for next() from now on; none to begin with.
  void setNodeLimit(int64_t more) { nodeLimit = nodeCount + more; }
  /// There are nodes enough for near fits and grids.
  bool hasNearFits() const;
  /// The next one; nullopt when there are no more. Those that are the problem
  /// itself, or no easier, are passed over.
  std::optional<Relative> next();
  /// Those are left that seldom help.
  bool isPastPromising() const { return nextIndex >= kPromising; }
  /// The work done so far.
  int64_t nodes() const { return nodeCount; }

private:
  static constexpr size_t kCompletions = 2, kCompleted = 2;
  static constexpr size_t kPromising = kCompleted + kCompletions;
  static constexpr size_t kExact = kPromising + kCompletions;

  /// nullopt: it is already.
  static std::optional<PackingProblem>
  alignedAlike(const PackingProblem &problem);

  std::optional<Relative> layered();
  std::optional<Relative> aligned() const;
  /// `wantsPromising`: with hardly a block for so many items, or with more.
  std::optional<Relative> completed(size_t index, bool wantsPromising);
  /// Those of several totals, the one with the fewest blocks first.
  void raceCompleters();
  std::optional<Relative> glued(size_t index);
  std::optional<Relative> rounded(size_t index);
  /// Into how many blocks the items of another problem can be glued.
  size_t blocksOf(const PackingProblem &other);
  size_t ownBlocks();

  bool isLate() const { return options.deadline.isOver(); }

  const std::optional<PackingProblem> alike;
  const PackingProblem &problem; ///< All alignments are the same.
  const SolveOptions &options;
  const uint64_t seed;
  int64_t nodeLimit = 0;
  std::optional<size_t> knownBlocks; ///< Of ownBlocks().
  /// The problem with nothing that a Completer cannot do with; nullopt: there
  /// is no such one.
  std::optional<PackingProblem> plain;
  std::vector<std::unique_ptr<Completer>> completers;
  size_t nextIndex = 0;
  int64_t nodeCount = 0;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_RELATIVES_H

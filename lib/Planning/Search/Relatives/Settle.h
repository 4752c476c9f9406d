//===- Settle.h - A packing as an order from the bottom up ------*- C++ -*-===//
//
// Items in the order of their offsets, each put as low as it goes: what holes a
// packing has on the way up are closed. So a packing of a problem that is only
// alike (other sizes, some holes more) becomes one of this problem.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_SETTLE_H
#define TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_SETTLE_H

#include "lib/Planning/Kit/FirstFit.h"

#include <random>

namespace tpu_mlir::planning {

/// Settles packings of one problem, and looks for lower ones around the best of
/// them: in each step its order is packed again with the items that live where
/// it is highest moved towards the bottom and all others by a little, at
/// random. What is no higher is the next to begin with.
///
///   bytes                      x lives when the pile is highest: it may go
///    ^     +---+  <- highest   below its neighbours next time.
///    |  +--| x |-+
///    |  |  +---+ |
///    +-------------> steps
///
/// Linear in memory; a node is a question to a set of bytes (FirstFit.h).
class Settler {
public:
  Settler(const PackingProblem &problem, const SolveOptions &options);

  /// False when nothing came of it: offsets leave 63 bits, or the time is over
  /// when there is a packing already.
  bool settle(const std::vector<int64_t> &offsets);
  /// For at most `nodes` more nodes, or until the best is no higher than
  /// `enough`.
  void improve(int64_t enough, int64_t nodes);

  const std::vector<int64_t> &best() const { return bestOffsets; }
  int64_t bestBytes() const { return bytes; }
  int64_t nodes() const { return firstFit.nodes(); }

private:
  bool packInOrder(const std::vector<double> &keys);
  void takeIfNoHigher(std::vector<int64_t> offsets);
  /// Which items live at a step at which the best packing ends highest.
  std::vector<bool> atPeak() const;

  const PackingProblem &problem;
  const SolveOptions &options;
  FirstFit firstFit;
  const std::vector<size_t> unpinned;
  std::mt19937_64 random;
  std::vector<int64_t> bestOffsets, last;
  int64_t bytes = kMaxOffset;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_SEARCH_RELATIVES_SETTLE_H

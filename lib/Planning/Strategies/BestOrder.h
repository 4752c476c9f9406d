//===- BestOrder.h - The lowest of several first fits -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_BESTORDER_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_BESTORDER_H

#include "lib/Planning/Kit/FirstFit.h"

#include <algorithm>

namespace tpu_mlir::planning {

/// Packs orders of items by first fit and keeps the lowest packing. What
/// SolveOptions::other holds has to be beaten.
class BestOrder {
public:
  /// Both outlive this object.
  BestOrder(const PackingProblem &problem, const SolveOptions &options)
      : problem(problem), options(options), firstFit(problem),
        ids(firstFit.unpinnedItems()) {
    if (options.other)
      knownHighWater = problem.highWater(*options.other);
  }

  /// Every item that is not pinned, in buffer order.
  const std::vector<size_t> &unpinned() const { return ids; }

  /// There is a packing, this one's or that of others.
  bool isKnown() const { return best || options.other; }
  /// Where the lowest known packing ends; kMaxOffset without one.
  int64_t knownBytes() const { return knownHighWater; }
  /// Of first fits, and what was counted.
  int64_t nodes() const { return firstFit.nodes() + otherNodes; }
  void count(int64_t nodes) { otherNodes += nodes; }
  /// What has been done so far leaves the others the whole node limit, and it
  /// still counts that it was met.
  void startLimit() {
    hasMetLimit |= nodes() - nodesBefore >= options.nodeLimit;
    nodesBefore = nodes();
  }
  int64_t nodesLeft() const {
    return options.nodeLimit - (nodes() - nodesBefore);
  }
  /// Lower is possible and wanted, and there are nodes and time left. Looks at
  /// the clock.
  bool canGoOn() const {
    return knownHighWater >
               std::max(problem.lowerBoundBytes, options.enoughBytes) &&
           nodesLeft() > 0 && !options.deadline.isOver();
  }

  /// `order` holds the unpinned items. Only the first one is packed to its end
  /// whatever comes out, and however late it is.
  void offer(const std::vector<size_t> &order) {
    auto offsets =
        isKnown()
            ? firstFit.packBelow(knownHighWater, options.deadline, order)
            : firstFit.packUntil(options.deadline, order, /*hasToPack=*/true);
    if (offsets)
      keep(std::move(*offsets));
  }
  /// What has an offset (>= 0) in `known` stays there; `order` holds the
  /// others. The packing, though it may be no better; nullopt at the deadline.
  std::optional<std::vector<int64_t>>
  offerAround(const std::vector<int64_t> &known,
              const std::vector<size_t> &order) {
    auto offsets = firstFit.packAround(known, options.deadline, order);
    if (offsets)
      offerPacked(*offsets);
    return offsets;
  }

  /// Offsets of all items, of which it is known that they are a packing.
  void offerPacked(const std::vector<int64_t> &offsets) {
    if (problem.highWater(offsets) < knownHighWater)
      keep(offsets);
  }

  /// What Strategy::pack() returns. nullopt: offsets leave 63 bits.
  std::optional<Packing> result() {
    if (!isKnown())
      return std::nullopt;
    Packing packing;
    packing.nodes = nodes();
    if (knownHighWater > problem.lowerBoundBytes && (hasMetLimit || !canGoOn()))
      packing.proof = Proof::LimitHit;
    if (best)
      packing.offsets = std::move(*best);
    return packing;
  }

private:
  void keep(std::vector<int64_t> offsets) {
    knownHighWater = problem.highWater(offsets);
    best = std::move(offsets);
  }

  const PackingProblem &problem;
  const SolveOptions &options;
  FirstFit firstFit;
  const std::vector<size_t> ids;
  std::optional<std::vector<int64_t>> best;
  int64_t knownHighWater = kMaxOffset, otherNodes = 0, nodesBefore = 0;
  bool hasMetLimit = false;
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_BESTORDER_H

//===- Passes.h - What passes of training keep ------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSES_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSES_H

#include "lib/Planning/Kit/Placing.h"

namespace tpu_mlir::planning {

/// What one pass keeps: items whose lives lie within each other, the first one
/// outermost, as a forward pass makes them and the backward pass frees them.
using Pass = std::vector<size_t>;

/// Passes that are alike: the items at one place of their lists, a *level*,
/// have the same size.
struct Passes {
  std::vector<Pass> list; ///< In the order in which they begin.
  /// What belongs to none of them.
  std::vector<size_t> rest;
  /// So many passes on, the innermost level is free again; all levels are with
  /// one pass more.
  size_t inFlight = 0;
  /// By level: it takes that one pass more.
  std::vector<bool> isLong;
};

/// The passes that `ids` consist of; of different ones those with the most
/// bytes. nullopt where there are none, or too few of them to follow each
/// other, or where lives pause. O(n log n).
std::optional<Passes> passesOf(const std::vector<Item> &items,
                               std::vector<size_t> ids);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_WOVEN_PASSES_H

//===- Bounds.h - What no plan can beat -------------------------*- C++ -*-===//

#ifndef TPU_MLIR_PLANNING_BOUNDS_H
#define TPU_MLIR_PLANNING_BOUNDS_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// The largest sum of live storage in one pool, and where it is.
struct LiveBound {
  /// The sum, in bytes. With a common alignment A of all storage in the pool,
  /// all sizes but the topmost one count rounded up to A (the last one needs no
  /// padding after it). Reserved bytes that lie below what any plan needs are
  /// counted as alive always. What two of an overlap may have in common counts
  /// once.
  int64_t liveSumBytes = 0;
  /// Lower bound on the high-water mark: at least the sum. Pins count: no plan
  /// ends before the end of a pinned buffer, nor below what the lowest gap
  /// between pinned bytes leaves to another buffer. Nor does it end below the
  /// sum of two that must not share bytes, nor, where alignments differ, below
  /// the lowest stack of what is alive at one step, as far as that is looked
  /// for (lib/Planning/Kit/StackBound.h).
  int64_t bytes = 0;
  /// The live sum is more than an int64_t can say; `bytes` is the largest
  /// int64_t then, and nothing can hold the problem.
  bool leaves63Bits = false;
  /// First step at which the live sum is largest; 0 when the pool is empty.
  int64_t peakStep = 0;
  /// Storage roots alive at peakStep, largest first, ties by id.
  std::vector<BufferId> peakSet;
};

/// Bound for pool `pool`: counts the storage whose only candidate it is.
/// O(i log i), i the number of lifespan intervals, without pins; several
/// alignments take up to about a million steps more.
LiveBound liveBound(const Problem &problem, PoolId pool);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_BOUNDS_H

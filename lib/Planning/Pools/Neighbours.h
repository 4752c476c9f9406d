//===- Neighbours.h - Who is alive at the same time -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_POOLS_NEIGHBOURS_H
#define TPU_MLIR_LIB_PLANNING_POOLS_NEIGHBOURS_H

#include "tpu_mlir/Planning/Problem.h"

namespace tpu_mlir::planning {

/// For any storage class those that it may not share bytes with in a pool:
/// alive at the same time, or a forbidden partner.
///
/// The classes in the order in which their lives begin, under a tree of the
/// last step at which any of a stretch ends: O(log n) for each class whose hull
/// overlaps, nothing for the others. Building it takes O(n log n).
class Neighbours {
public:
  Neighbours(const Problem &problem, const std::vector<StorageClass> &classes);

  /// Ascending; without `id` itself and those of 0 bytes, none when it has no
  /// bytes. Adds to `nodes` how many hulls were looked at.
  std::vector<size_t> of(size_t id, int64_t &nodes) const;

private:
  void collect(size_t node, size_t from, size_t to, size_t id,
               std::vector<size_t> &found, int64_t &nodes) const;
  Interval hullOf(size_t id) const {
    return {classes[id].lifespans.front().begin,
            classes[id].lifespans.back().end};
  }

  const std::vector<StorageClass> &classes;
  std::vector<size_t> byBegin;
  std::vector<int64_t> lastEnd; ///< Children of node k: 2k and 2k+1.
  size_t leafCount = 1;
  std::vector<std::vector<size_t>> partners; ///< Empty when there are none.
};

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_POOLS_NEIGHBOURS_H

//===- Packing.h - Single-pool problems, inside the library -----*- C++ -*-===//
//
// What solve(), the bound and "auto" share. Not for strategies' users.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_PACKING_H
#define TPU_MLIR_LIB_PLANNING_PACKING_H

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// The item that stands for `storage` in `pool`.
Item itemOf(const StorageClass &storage, const Pool &pool);

/// liveBound() of a list of items; peakSet holds item indices.
LiveBound boundOfItems(const std::vector<Item> &items);

/// Item indices sorted by content: lifespans, size (larger first), alignment,
/// pin, reads, then index. Shuffling the items of a problem does not change
/// what stands at each place, except among equal ones.
std::vector<size_t> canonicalOrder(const PackingProblem &problem);

/// The same problem with item `order[i]` at place i.
PackingProblem reordered(const PackingProblem &problem,
                         const std::vector<size_t> &order);

/// True when the validator accepts `offsets`, whatever the capacity.
bool isValidPacking(const PackingProblem &problem,
                    const std::vector<int64_t> &offsets);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_PACKING_H

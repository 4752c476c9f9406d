//===- MultiPool.h - Which buffers have to leave a pool ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_POOLS_MULTIPOOL_H
#define TPU_MLIR_LIB_PLANNING_POOLS_MULTIPOOL_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// Which items must go so that the live sum fits: as long as it is above
/// `capacityBytes`, of the movable items that are alive at the first step at
/// which the sum is largest the first in `order` goes (which has all of them
/// once). Stops early when no item there is movable. Ascending indices.
/// O(i log i), i the number of lifespan intervals, however many go.
///
/// Sizes count as they are, without padding: what this leaves may still not
/// fit, but what it takes has to go.
std::vector<size_t> itemsOverCapacity(const std::vector<Item> &items,
                                      const std::vector<bool> &isMovable,
                                      const std::vector<size_t> &order,
                                      int64_t capacityBytes);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_POOLS_MULTIPOOL_H

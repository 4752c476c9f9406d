//===- Overlaps.h - Results that begin below their operands -----*- C++ -*-===//
//
// Strategies know nothing of Problem::overlaps: to them both buffers of a pair
// are in each other's way. What they answer is packed once more by first fit,
// to which a pair is one blocked stretch of offsets like any other:
//
//     at p        for      blocked between
//     the upper   lower    p - min(distance, lower) and p + upper
//     the lower   upper    p - upper and p + min(distance, lower)
//
// in the orders that the packing, the sizes and the time suggest, and in all
// orders of few items.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_OVERLAPS_H
#define TPU_MLIR_LIB_PLANNING_KIT_OVERLAPS_H

#include "lib/Planning/Kit/Packing.h"

namespace tpu_mlir::planning {

/// The overlaps of a problem between items.
std::vector<ItemOverlap> overlapsOfItems(const Problem &problem,
                                         const ItemOfBuffer &itemOfBuffer);

/// Bytes that the two of a pair have in common at most, when every item begins
/// at a multiple of `unit` and its bytes count up to the next one.
int64_t mostShared(const std::vector<Item> &items, const ItemOverlap &pair,
                   int64_t unit);

/// Makes `packing` lower if the overlaps of `problem` help; a proof that knew
/// nothing of them goes. Up to 7 items that are not pinned get the lowest
/// packing, with a proof, up to 12 mostly; up to 100 are tried in 200 orders
/// that are like the best one, others in five; more than 2,000 stay as they
/// are. O(n^2 log n) an order.
void packOverlapping(const PackingProblem &problem, Packing &packing);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_OVERLAPS_H

//===- LifeBreaks.h - Which lives are long ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_LIFEBREAKS_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_LIFEBREAKS_H

#include "lib/Planning/Kit/Placing.h"

namespace tpu_mlir::planning {

/// Numbers of steps (totalLife()), at least `wide` times as many as the next
/// shorter life of an item has: from there on lives are long. The widest breaks
/// first, three at most; empty where lives are of all lengths. Pinned items and
/// those without bytes do not count. O(n log n).
std::vector<int64_t> lifeBreaks(const std::vector<Item> &items,
                                int64_t wide = 4);

/// One of the breaks has at least one item in sixteen on either side: there is
/// what is kept, and what comes and goes. O(n log n).
bool hasLongAndShort(const std::vector<Item> &items);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_LIFEBREAKS_H

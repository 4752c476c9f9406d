//===- StackBound.h - What alignments cost ----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_KIT_STACKBOUND_H
#define TPU_MLIR_LIB_PLANNING_KIT_STACKBOUND_H

#include "tpu_mlir/Planning/Strategy.h"

#include <vector>

namespace tpu_mlir::planning {

/// A size with the alignment of its offset, which is at least 1.
struct Aligned {
  int64_t sizeBytes = 0;
  int64_t alignment = 1;
};

/// A lower bound on the height of `items`, one upon the other in any order;
/// where kinds of items are few it is the least height. How many of each kind
/// lie at the bottom already decides how low the next one may begin, so this is
/// dynamic programming over these counts; kinds are what alignments and sizes
/// leave modulo the coarsest alignment. As long as that are more than 16,384
/// states, alignments are weakened by halves. Beside that, the items whose
/// alignments are multiples of one are stacked by themselves. 0 where all
/// alignments are the same, as the sum of sizes says it all then.
/// `work` grows by the steps that it took: 16,384 times the kinds at most, and
/// 64 times the items.
int64_t leastStack(const std::vector<Aligned> &items, int64_t &work);

/// The largest leastStack() of the items that are alive at one step, of those
/// steps at which it may be more than `known`, as far as a million steps of
/// work go; else `known`. Where all items have the same alignment, O(n).
int64_t boundOfStacks(const std::vector<Item> &items, int64_t known);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_KIT_STACKBOUND_H

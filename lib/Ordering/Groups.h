//===- Groups.h - Ops that run one right after the other --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_GROUPS_H
#define TPU_MLIR_LIB_ORDERING_GROUPS_H

#include "lib/Ordering/LiveSet.h"

namespace tpu_mlir::ordering {

/// Ops of a part of a problem, put together.
struct Groups {
  /// By their first op. Some order of the groups is an order of the ops that is
  /// as good as any.
  std::vector<Order> groups;
  /// For each group those that have to run before it.
  std::vector<std::vector<int>> after;
};

/// Groups of the ops, which are in an order that is allowed and may run after
/// those of `alive`, which is left as it is. What an op adds to the level while
/// it runs (p) and once it has (i) is the same in all orders if what it uses
/// has one writer, and what it may take the place of one reader; a tensor with
/// several readers is freed by an op of its own after them (p = 0). Then,
/// until nothing changes:
///
///   - v right after u, if nothing else is directly before v, v does not lift
///     the level, and u;v needs no more than u,
///   - u right before v, if nothing else is directly after u, u does not lower
///     the level, and u;v needs no more than v,
///   - a before b, if they have the same ops before and after them, and either
///     both do not lift the level and a needs no more, or both do not lower it
///     and a leaves no less of its peak.
///
/// Any order can be changed to one of these without need of more. Nobody loses
/// a chance in place: where u waits for v, or b for a, both read what has more
/// readers than one of them, as its end is after both. O(ops^2) and somewhat
/// more; of many ops each stays alone.
Groups groupOps(const Uses &uses, LiveSet &alive, const Order &ops);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_GROUPS_H

//===- Trees.h - What trees of ops need -------------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_TREES_H
#define TPU_MLIR_LIB_ORDERING_TREES_H

#include "lib/Ordering/LiveSet.h"

#include <array>

namespace tpu_mlir::ordering {

struct TreeOrder {
  /// No order needs less.
  int64_t bound = 0;
  /// As in the best order of the trees, where what comes before what allows.
  Order order;
};

/// Uses are taken away until what an op makes has one reader in all: the first
/// that uses most of it, or the last one. That makes trees, for which Liu's
/// algorithm ("An application of generalized tree pebbling to sparse matrix
/// factorization", 1987) finds the best order: of a subtree a row of segments,
/// each up to a hill and down to a valley, hills falling and valleys rising;
/// subtrees are merged by the height of hill over valley. Taking uses away
/// never makes the best order need more, so that is a bound, and of a problem
/// of trees the optimum. What several ops write and what an op may make in
/// place does not count while the op runs. O(ops * segments).
std::array<TreeOrder, 2> treeOrders(const Uses &uses);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_TREES_H

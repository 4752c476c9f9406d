//===- Bounds.h - What some op needs in every order -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_BOUNDS_H
#define TPU_MLIR_LIB_ORDERING_BOUNDS_H

#include "lib/Ordering/LiveSet.h"

namespace tpu_mlir::ordering {

/// For each op, bytes that are alive when it runs, in every order. O(ops *
/// tensors / 64) up to 4,000 ops, O(uses) above.
std::vector<int64_t> needsOfOps(const Uses &uses);

/// The largest minimum cut of `ops`, or the first one of at least `enough`: the
/// least that is alive when that op runs, over all sets of ops that may have
/// run by then. A maximum flow for each op, so for a few hundred ops at most.
int64_t cutBound(const Uses &uses, const std::vector<int> &ops, int64_t enough);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_BOUNDS_H

//===- Candidates.h - Orders by rules of thumb ------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_CANDIDATES_H
#define TPU_MLIR_LIB_ORDERING_CANDIDATES_H

#include "lib/Ordering/LiveSet.h"

namespace tpu_mlir::ordering {

struct Candidate {
  const char *method;
  Order order;
};

/// Orders that are quick to find:
///   - the ready op that needs least beyond the peak so far, then frees most
///     (PyTorch inductor's "least peak memory first"), forwards and backwards,
///   - the ready op that lifts the level least,
///   - depth first from the results, as far as it goes from each op, and the
///     reverse of the order in which a walk from the first ops leaves them.
/// O(ops * (ready ops + uses)).
std::vector<Candidate> quickOrders(const Uses &uses);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_CANDIDATES_H

//===- FindOrder.h - Orders of ops that need little memory ------*- C++ -*-===//

#ifndef TPU_MLIR_ORDERING_FINDORDER_H
#define TPU_MLIR_ORDERING_FINDORDER_H

#include "tpu_mlir/Ordering/OrderProblem.h"

namespace tpu_mlir::ordering {

struct OrderOptions {
  /// Sets of ops that the exact search may look at, all parts together.
  int64_t maxSets = 1000000;
  /// Up to so many ops in a part its minimum cut is computed as a bound.
  int maxOpsForCuts = 300;
};

/// An order, and where it comes from.
struct FoundOrder {
  Order order;
  int64_t peak = 0;
  std::string method;
};

struct OrderResult {
  /// From the lowest peak up, each order once. Of equal peaks the text comes
  /// first. Never empty; the text is among them.
  std::vector<FoundOrder> orders;
  /// No order needs less.
  int64_t bound = 0;
  /// Sets of ops that were looked at.
  int64_t sets = 0;
  bool isOptimal() const { return orders.front().peak == bound; }
};

/// Orders of a problem that is right (checkProblem). Between ops that every
/// path goes through, the parts are searched one by one: by rules of thumb,
/// then by a search over sets of ops for a peak of at most so much, for more
/// and more. O(ops * (ready ops + uses)) without the search. Deterministic.
///
/// The search runs each ready op at once that neither lifts the level nor goes
/// beyond the budget: that is never worse, as what an op adds to the level
/// never grows as other ops run.
OrderResult findOrder(const OrderProblem &problem,
                      const OrderOptions &options = {});

/// Bytes that some op needs in every order: the largest of
///   - what an op uses and makes,
///   - what is alive at an op by the ops that come before and after it in every
///     order (up to 4,000 ops),
///   - the best order of trees that are left when uses are taken away until
///     what an op makes has one reader in all,
///   - the minimum cut of what may be alive when it runs, over all sets of ops
///     that have run by then (up to `maxOpsForCuts` ops).
/// What an op may make in place does not count at that op.
int64_t lowerBound(const OrderProblem &problem, const OrderOptions &options);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_ORDERING_FINDORDER_H

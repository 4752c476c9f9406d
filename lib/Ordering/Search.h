//===- Search.h - An order within a budget, or none -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ORDERING_SEARCH_H
#define TPU_MLIR_LIB_ORDERING_SEARCH_H

#include "lib/Ordering/Groups.h"

namespace tpu_mlir::ordering {

struct SearchResult {
  enum class Answer {
    Found,
    None, ///< There is none, all sets were looked at.
    Limit ///< Not known.
  };
  Answer answer = Answer::Limit;
  Order order;
  /// With None: no order of the part stays below so much.
  int64_t nextBudget = 0;
  int64_t sets = 0;
};

/// An order of ops in `groups` during which no more than `budget` bytes are
/// alive; what comes before has run in `alive`, which is the same afterwards.
/// Depth first over sets of groups, each looked at once, at most `maxSets` of
/// them.
SearchResult searchOrder(LiveSet &alive, const Groups &groups, int64_t budget,
                         int64_t maxSets);

} // namespace tpu_mlir::ordering

#endif // TPU_MLIR_LIB_ORDERING_SEARCH_H

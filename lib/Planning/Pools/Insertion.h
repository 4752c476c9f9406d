//===- Insertion.h - Pools filled one after the other -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_POOLS_INSERTION_H
#define TPU_MLIR_LIB_PLANNING_POOLS_INSERTION_H

#include "lib/Planning/Pools/PoolChoice.h"

#include <functional>

namespace tpu_mlir::planning {

/// Makes assignments out of orders: pools from the cheapest on, in each of them
/// those that may be there and are nowhere yet, each into the lowest gap that
/// holds it.
class Inserter {
public:
  explicit Inserter(PoolChoice &choice);

  /// Brings those who want a pool into order.
  using Sort = std::function<void(PoolId, ClassIds &)>;
  /// Those for whom a pool is the last come first there, else in the order of
  /// `sort`. nullopt when one finds no place. A pass of first fit for each
  /// pool.
  std::optional<Assignment> insert(const Sort &sort);
  /// `insert` by one order for all pools; all choosers, each once.
  std::optional<Assignment> insert(const ClassIds &order);

private:
  void insertInto(PoolId pool, const Sort &sort, std::vector<size_t> &poolsLeft,
                  ClassIds &waiting, Assignment &result);
  bool packFixed();

  PoolChoice &choice;
  std::vector<PoolId> cheapFirst;
  Assignment fixed; ///< Of those who have no choice.
  bool isPossible = true;
};

/// A search for a better order of insertion. Begins with the one that rebuilds
/// the assignment (pools from the cheapest on, offsets from the bottom up: so
/// each one finds the place it had, or a lower one), moves one that is not in
/// its cheapest pool to an earlier place at random (SolveOptions::seed), and
/// keeps what is no dearer; until the limit, or long after the last success.
/// True when that made it cheaper.
bool improveByOrders(PoolChoice &choice, Inserter &inserter, int64_t nodeLimit,
                     Assignment &assignment);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_POOLS_INSERTION_H

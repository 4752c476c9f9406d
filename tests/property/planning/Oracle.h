//===- Oracle.h - The invariants by brute force -----------------*- C++ -*-===//
//
// A second opinion on plans that shares nothing with the library: every pair of
// buffers, every pair of lifespans, no sweep, no ordered set.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_TESTS_PROPERTY_PLANNING_ORACLE_H
#define TPU_MLIR_TESTS_PROPERTY_PLANNING_ORACLE_H

#include "tpu_mlir/Planning/Plan.h"

#include <set>

namespace tpu_mlir::planning {

/// The numbers of the broken invariants, 1 to 8. O(n^2).
std::set<int> brokenInvariants(const Problem &problem, const Plan &plan);

/// The largest sum of sizes of roots alive at one step, pool by pool, counting
/// buffers with one candidate only: a bound that knows no alignment. O(n^2).
int64_t plainLiveSum(const Problem &problem, PoolId pool);

/// Some forbidden pair names an alias: strategies keep the whole storage of
/// both apart, so the lowest plan of that is not proved to be the lowest of
/// all.
bool namesMembers(const Problem &problem);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_TESTS_PROPERTY_PLANNING_ORACLE_H

//===- InsertionOrders.h - In which order first fit places ------*- C++ -*-===//
//
// The orders of "greedy-by-size", "greedy-by-conflicts", "hill-climb" and
// "first-fit-decreasing". The first three and their ties are those of the
// memory planner of Apache TVM (USMP, RFC 0009), whose last tie is the name,
// descending: of equal buffers the one that was named last goes to the bottom.
// Items have no names here; the higher index stands for the later name.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_PLANNING_STRATEGIES_INSERTIONORDERS_H
#define TPU_MLIR_LIB_PLANNING_STRATEGIES_INSERTIONORDERS_H

#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::planning {

/// For each item the number of others that it keeps away from: those whose
/// hulls (lives without their gaps) overlap its own, and forbidden partners
/// beyond them. Items of 0 bytes keep away from nothing. A sweep over sorted
/// begins and ends instead of a graph: O(n log n + p), p the forbidden pairs.
std::vector<int64_t> conflictCounts(const PackingProblem &problem);

/// Larger size, then more conflicts, then the higher index first. O(n log n).
std::vector<size_t> bySizeThenConflicts(const PackingProblem &problem,
                                        std::vector<size_t> items);
/// More conflicts, then larger size, then the higher index first. O(n log n).
std::vector<size_t> byConflictsThenSize(const PackingProblem &problem,
                                        std::vector<size_t> items);

/// Larger size first, ties as they came. O(n log n).
std::vector<size_t> bySize(const PackingProblem &problem,
                           std::vector<size_t> items);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_STRATEGIES_INSERTIONORDERS_H

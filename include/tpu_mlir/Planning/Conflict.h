//===- Conflict.h - Which storage is in whose way ---------------*- C++ -*-===//
//
// Two pieces of storage (buffers with their aliases folded in) conflict when
// they may not share a byte: they have a candidate pool in common, both have
// bytes, and they are alive at the same time or a forbidden pair. Gaps in lives
// count. Planning a problem is colouring this graph with ranges of bytes.
//
//     step   0    1    2    3    4    5
//     a      [=========)                       a -- b -- c      d -- e
//     b           [=========)
//     c                [====)                  two components: neither has to
//     d                          [====)        know where the other puts things
//     e                          [=========)
//
// No strategy needs the graph: it may have a quadratic number of edges. It is
// here for reports and for whoever wants to run graph algorithms on a problem.
// Components are found without it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_PLANNING_CONFLICT_H
#define TPU_MLIR_PLANNING_CONFLICT_H

#include "tpu_mlir/Planning/Problem.h"

#include <boost/graph/adjacency_list.hpp>

#include <variant>

namespace tpu_mlir::planning {

/// A vertex: the buffer that is the root of its alias class.
struct ConflictVertex {
  BufferId root = 0;
};

/// Vertices in ascending order of their roots; no loops, no parallel edges.
using ConflictGraph = boost::adjacency_list<boost::vecS, boost::vecS,
                                            boost::undirectedS, ConflictVertex>;

/// The problem has more conflicts than the caller wants to hold in memory.
struct TooManyConflicts {
  int64_t limit = 0;
};

/// An edge takes about 32 bytes: this many take 320 MB.
constexpr int64_t kMaxConflicts = 10'000'000;

/// The whole graph, or a refusal as soon as more than `maxEdges` different
/// conflicts were seen. The problem has passed check().
/// O((i + e) log (i + e)), i the number of lifespan intervals times candidate
/// pools, e the number of edges, counted again for each pool and each pair of
/// intervals in which the same two meet.
std::variant<ConflictGraph, TooManyConflicts>
buildConflictGraph(const Problem &problem, int64_t maxEdges = kMaxConflicts);

/// The roots of each connected component, ascending, components by their first
/// root. O(v + e).
std::vector<std::vector<BufferId>>
connectedComponents(const ConflictGraph &graph);

/// The same components without the graph, by a sweep over the lifespans in each
/// pool: O(i log i + p), p the number of forbidden pairs.
std::vector<std::vector<BufferId>>
independentComponents(const Problem &problem);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_PLANNING_CONFLICT_H

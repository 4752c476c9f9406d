//===- GroupSearch.h - Cutting a run of layers into groups ------*- C++ -*-===//
//
// Layers are given in an order; a group is a stretch of it whose layers all can
// run from local memory. Where to cut is a shortest path: cut points are
// vertices, a group or a layer left global is an edge with its cost. On several
// cores a layer by itself may be a group, too: they share its sections. Then
// other orders of the same layers are searched, in which more of those that
// belong together are neighbours.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_GROUPSEARCH_H
#define TPU_MLIR_LAYERPLANNING_GROUPSEARCH_H

#include "tpu_mlir/LayerPlanning/GroupPlan.h"
#include "tpu_mlir/Planning/Deadline.h"

#include <map>

namespace tpu_mlir::planning {
class PlanCache;
} // namespace tpu_mlir::planning

namespace tpu_mlir::layer {

class StretchMemory;

struct SearchOptions {
  enum class Method {
    /// From the front, the longest group that has a placement.
    Greedy,
    /// The cheapest way to cut.
    Optimal,
  };
  Method method = Method::Optimal;
  GroupOptions group;
  /// A group has at most this many layers; 0: as many as there are.
  int maxLayers = 0;
  /// A group's layers may be apart in the order; false: it is kept.
  bool reorder = true;
  /// When the search ends with the best groups so far, and when it stops to
  /// look at further ones. A matter of the machine: the same bytes come of no
  /// limit alone.
  planning::Deadline deadline, lookDeadline;
  /// What other searches have found, and will; nullptr: nothing of others.
  planning::PlanCache *cache = nullptr;
  /// The same within one run of a program: the groups themselves.
  StretchMemory *memory = nullptr;
};

/// The options with so many seconds left.
inline SearchOptions timed(SearchOptions options, double seconds) {
  options.deadline = planning::Deadline::in(seconds);
  return options;
}

/// What was decided for a whole graph.
struct Grouping {
  /// All layers as they run; those of each group follow one another.
  std::vector<LayerId> order;
  std::vector<GroupPlan> groups; ///< In running order; each two layers or more.
  /// Local layers that stay global because they alone need more than a lane
  /// has, with the smallest need.
  std::map<LayerId, GroupRefusal> refusals;
  /// Groups and the layers left global, together.
  Cost cost;
  /// Groups whose grids were looked at; those like an earlier one do not count.
  int64_t numDrafts = 0;
  int64_t numPlans = 0; ///< Groups whose addresses were looked for.
  /// The time limit ended the search.
  bool isCutByTime = false;
};

/// Cuts `order` (each layer of the graph once, producers before readers), and
/// others that differ from it between two layers that are not local.
///
/// Optimal: dynamic programming over the cut points, with the drafts' lower
/// bounds first; the edges of the best path are planned in full and the path is
/// searched again until all of its edges are. So the result is the cheapest of
/// all ways to cut that were looked at: with groups of up to 32 layers all of
/// them. Longer groups begin and end at multiples of a stride, which grows with
/// them and with the order (of up to 100 layers in all it is one), so that each
/// doubling of their length costs the same; then cut points of the best path
/// move by half a stride and less for as long as that pays, at most eight
/// times. Where Greedy's result is better after all, because of bank conflicts
/// (below), that one is taken. A stretch is given up for longer groups when
/// eight extensions in a row do not fit, or when sixteen in a row cost no less
/// than being cut. Bank conflicts are weighed with a sixteenth of the node
/// limit while cuts are compared and with all of it in the groups that were
/// chosen. For the objective traffic each stretch is also searched for cycles,
/// and with line buffers also without any; the best result is taken.
///
/// With `reorder` views that a stretch need not both make and read are moved
/// out of its way, in front or behind it, and a group may be any convex set of
/// a stretch's layers: of stretches of up to 8 layers all of them are looked
/// at, of longer ones those of up to 32 layers that hang together, within
/// 100,000 layers of such sets and 256 more for each layer (and none beyond
/// 2,000 layers). What is found is an order, which then is searched like the
/// given one and taken where it costs less. O(32 * layers) drafts of short
/// groups and O(log layers) times a constant sum of lengths of long ones, of
/// stretches that are alike only one. A stretch that is like an earlier one, of
/// this graph or of the memory, has its groups. Those of the cache are made
/// again from what was decided and checked, and where that does not hold they
/// are searched. The groups of a stretch depend on nothing but the stretch.
/// Deterministic without a deadline.
///
/// With one on the clock each stretch first has Greedy's groups; then each has
/// a share of what is left, by its layers, three quarters of it to look for
/// groups. Where that was not enough the better one of both is taken, after
/// Greedy's groups have filled the gaps of the other. Only what never ended by
/// itself differs from what comes of no deadline.
Grouping searchGroups(const LayerGraph &graph,
                      const std::vector<LayerId> &order,
                      const target::ChipSpec &chip,
                      const SearchOptions &options);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_GROUPSEARCH_H

//===- GroupSearch.cpp - Cutting a run of layers into groups --------------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "lib/LayerPlanning/RangeSignature.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dag_shortest_paths.hpp>

#include <algorithm>
#include <limits>

namespace tpu_mlir::layer {

namespace {

/// Longer groups of which nothing fits are not looked at after so many.
constexpr int kGiveUpAfter = 8;
/// Nor after so many that cost no less than being cut once more.
constexpr int kDominatedAfter = 16;

/// A way from one cut point to a later one: a group, or one global layer.
struct Step {
  int begin = 0;
  int end = 0;
  /// Of a group: addresses are found and the cost is final.
  bool isPlanned = false;
};

using DraftCache = std::map<Signature, std::optional<GroupEstimate>>;

/// The cost of a path; unreachable is worse than anything.
struct Distance {
  Cost cost;
  bool isReachable = false;
};

struct EdgeStep {
  int step = 0;
  Distance weight;
};
using CutGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                          boost::no_property, EdgeStep>;

/// The cheapest ways from one cut point to those behind it, as far as a group
/// reaches: filled from the last cut point to the first.
class CheapestWays {
public:
  CheapestWays(int numLayers, int maxLayers, Objective objective)
      : maxLayers(maxLayers), objective(objective), costs(numLayers + 1) {
    costs.back().emplace_back();
  }

  /// Steps from `begin` come now; those of all later cut points are known.
  void open(int begin, const Cost &oneLayer) {
    const auto left = static_cast<int>(costs.size()) - 1 - begin;
    costs[begin].resize(std::min(left, maxLayers) + 1);
    for (size_t i = 1; i < costs[begin].size(); ++i) {
      costs[begin][i] = oneLayer;
      costs[begin][i] += costs[begin + 1][i - 1];
    }
  }

  /// A step of `length` layers. False: it costs no less than a known way.
  bool improve(int begin, int length, const Cost &cost) {
    std::vector<Cost> &from = costs[begin];
    if (!isBetter(cost, from[length], objective))
      return false;
    const std::vector<Cost> &rest = costs[begin + length];
    for (size_t i = 0; i < rest.size() && length + i < from.size(); ++i) {
      Cost way = cost;
      way += rest[i];
      if (isBetter(way, from[length + i], objective))
        from[length + i] = way;
    }
    return true;
  }

private:
  const int maxLayers;
  const Objective objective;
  std::vector<std::vector<Cost>> costs; ///< By cut point, then by length.
};

class StretchSearch {
public:
  StretchSearch(const LayerGraph &graph, LayerRange stretch,
                const target::ChipSpec &chip, const SearchOptions &options,
                const RangeSignatures &signatures, DraftCache &drafts,
                Grouping &grouping)
      : graph(graph), stretch(std::move(stretch)), chip(chip), options(options),
        planner(graph, chip, options.group), signatures(signatures),
        drafts(drafts), grouping(grouping) {}

  void run() {
    Grouping best;
    if (options.method == SearchOptions::Method::Optimal)
      best = finish(optimal());
    // Refining may change which is the better one of two.
    Grouping greedily = finish(greedy());
    if (options.method == SearchOptions::Method::Greedy ||
        isBetter(greedily.cost, best.cost, options.group.objective))
      best = std::move(greedily);
    for (GroupPlan &plan : best.groups)
      grouping.groups.push_back(std::move(plan));
    grouping.refusals.merge(best.refusals);
    grouping.cost += best.cost;
  }

private:
  int size() const { return static_cast<int>(stretch.size()); }
  LayerRange rangeOf(int begin, int end) const {
    return LayerRange(stretch.begin() + begin, stretch.begin() + end);
  }

  /// The draft of a stretch, or of an earlier one that is alike: the hint comes
  /// from what is inside, so it is alike, too.
  const std::optional<GroupEstimate> &draftOf(const LayerRange &range,
                                              const GridHint &hint) {
    const auto [it, isNew] = drafts.try_emplace(signatures.of(range));
    if (isNew) {
      ++grouping.numDrafts;
      it->second = planner.estimate(range, hint);
    }
    return it->second;
  }

  /// The full plan of [begin, end); nullptr when there is none.
  const GroupPlan *planOf(int begin, int end) {
    const auto [it, isNew] = plans.try_emplace({begin, end});
    if (isNew) {
      ++grouping.numPlans;
      const LayerRange range = rangeOf(begin, end);
      auto result = planner.plan(range, hints[{begin, end}]);
      if (auto *plan = std::get_if<GroupPlan>(&result))
        it->second = std::move(*plan);
    }
    return it->second ? &*it->second : nullptr;
  }

  std::vector<std::pair<int, int>> greedy() {
    std::vector<std::pair<int, int>> cuts;
    for (int begin = 0; begin < size();) {
      int end = begin + 1;
      while (end < std::min(size(), begin + options.maxLayers)) {
        const GroupPlan *plan = planOf(begin, end + 1);
        if (!plan)
          break;
        ++end;
        hints.try_emplace({begin, end + 1}, plan->draft.hint);
      }
      cuts.emplace_back(begin, end);
      begin = end;
    }
    return cuts;
  }

  std::vector<std::pair<int, int>> optimal() {
    buildGraph();
    while (true) {
      std::vector<int> path = shortestPath();
      if (planAll(path))
        return cutsOf(path);
    }
  }

  void addStep(int begin, int end, const Cost &cost) {
    const EdgeStep edge{static_cast<int>(steps.size()), {cost, true}};
    edges.push_back(boost::add_edge(begin, end, edge, cuts).first);
    steps.push_back({begin, end, end == begin + 1});
  }

  void buildGraph() {
    cuts = CutGraph(size() + 1);
    CheapestWays ways(size(), options.maxLayers, options.group.objective);
    for (int begin = size() - 1; begin >= 0; --begin) {
      const Cost oneLayer = globalCost(graph, stretch[begin], chip);
      addStep(begin, begin + 1, oneLayer);
      ways.open(begin, oneLayer);
      int failures = 0, dominated = 0;
      GridHint hint;
      for (int end = begin + 2;
           end <= std::min(size(), begin + options.maxLayers) &&
           failures < kGiveUpAfter && dominated < kDominatedAfter;
           ++end) {
        const LayerRange range = rangeOf(begin, end);
        hints[{begin, end}] = hint;
        const std::optional<GroupEstimate> &draft = draftOf(range, hint);
        failures = draft ? 0 : failures + 1;
        if (!draft)
          continue;
        hint = draft->hint;
        addStep(begin, end, draft->cost);
        dominated =
            ways.improve(begin, end - begin, draft->cost) ? 0 : dominated + 1;
      }
    }
  }

  /// Steps of the cheapest path, first to last. Cut points are numbered along
  /// the order, which is a topological one.
  std::vector<int> shortestPath() {
    const auto better = [&](const Distance &a, const Distance &b) {
      if (a.isReachable != b.isReachable)
        return a.isReachable;
      return a.isReachable && isBetter(a.cost, b.cost, options.group.objective);
    };
    const auto extend = [](Distance a, const Distance &b) {
      a.isReachable &= b.isReachable;
      a.cost += b.cost;
      return a;
    };
    std::vector<Distance> distance(size() + 1);
    std::vector<CutGraph::vertex_descriptor> from(size() + 1);
    boost::dag_shortest_paths(
        cuts, 0,
        boost::weight_map(get(&EdgeStep::weight, cuts))
            .distance_map(boost::make_iterator_property_map(
                distance.begin(), get(boost::vertex_index, cuts)))
            .predecessor_map(boost::make_iterator_property_map(
                from.begin(), get(boost::vertex_index, cuts)))
            .distance_compare(better)
            .distance_combine(extend)
            .distance_inf(Distance{})
            .distance_zero(Distance{Cost{}, true}));
    std::vector<int> path;
    for (int at = size(); at > 0; at = static_cast<int>(from[at]))
      path.push_back(cuts[boost::edge(from[at], at, cuts).first].step);
    std::reverse(path.begin(), path.end());
    return path;
  }

  /// Finds the addresses of the groups on `path`. True when no cost changed
  /// for the worse: the path stays the best one.
  bool planAll(const std::vector<int> &path) {
    bool isFinal = true;
    for (int index : path) {
      Step &step = steps[index];
      if (step.isPlanned)
        continue;
      step.isPlanned = true;
      Distance &weight = cuts[edges[index]].weight;
      const GroupPlan *plan = planOf(step.begin, step.end);
      weight.isReachable = plan != nullptr;
      isFinal &=
          plan && !isBetter(weight.cost, plan->cost, options.group.objective);
      if (plan)
        weight.cost = plan->cost;
    }
    return isFinal;
  }

  std::vector<std::pair<int, int>> cutsOf(const std::vector<int> &path) const {
    std::vector<std::pair<int, int>> result;
    for (int step : path)
      result.emplace_back(steps[step].begin, steps[step].end);
    return result;
  }

  /// What comes of these cuts.
  Grouping finish(const std::vector<std::pair<int, int>> &pieces) {
    Grouping result;
    for (const auto &[begin, end] : pieces) {
      if (end - begin > 1) {
        result.groups.push_back(*planOf(begin, end));
        planner.refine(result.groups.back());
        result.cost += result.groups.back().cost;
        continue;
      }
      const LayerId layer = stretch[begin];
      result.cost += globalCost(graph, layer, chip);
      // Say so where even one layer alone is too large.
      auto draft = planner.draft({layer});
      const auto *refusal = std::get_if<GroupRefusal>(&draft);
      if (refusal && !refusal->isNotCheaper)
        result.refusals.emplace(layer, *refusal);
    }
    return result;
  }

  const LayerGraph &graph;
  const LayerRange stretch;
  const target::ChipSpec &chip;
  const SearchOptions &options;
  const GroupPlanner planner;
  const RangeSignatures &signatures;
  DraftCache &drafts;
  Grouping &grouping;
  CutGraph cuts;
  std::vector<Step> steps;
  std::vector<CutGraph::edge_descriptor> edges; ///< Of each step.
  std::map<std::pair<int, int>, std::optional<GroupPlan>> plans;
  std::map<std::pair<int, int>, GridHint> hints; ///< For each stretch.
};

} // namespace

Grouping searchGroups(const LayerGraph &graph,
                      const std::vector<LayerId> &order,
                      const target::ChipSpec &chip,
                      const SearchOptions &options) {
  Grouping grouping;
  const RangeSignatures signatures(graph);
  DraftCache drafts;
  LayerRange stretch;
  const auto finish = [&] {
    if (!stretch.empty())
      StretchSearch(graph, std::move(stretch), chip, options, signatures,
                    drafts, grouping)
          .run();
    stretch.clear();
  };
  for (LayerId layer : order) {
    if (graph.layers[layer].isLocal()) {
      stretch.push_back(layer);
      continue;
    }
    finish();
    grouping.cost += globalCost(graph, layer, chip);
  }
  finish();
  return grouping;
}

} // namespace tpu_mlir::layer

//===- GroupSearch.cpp - Cutting a run of layers into groups --------------===//
//
// Drafts, which say what groups cost at least, are steps between cut points.
// Groups on the cheapest path are planned, and may turn out dearer or
// impossible, until all on the path are.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "lib/LayerPlanning/Cache/StretchCache.h"
#include "lib/LayerPlanning/CheapestWays.h"
#include "lib/LayerPlanning/ConvexSearch.h"
#include "lib/LayerPlanning/CutGraph.h"
#include "lib/LayerPlanning/ViewOrder.h"

#include <algorithm>
#include <list>
#include <set>

namespace tpu_mlir::layer {
namespace {

/// Longer groups of which nothing fits are not looked at after so many layers.
constexpr int kGiveUpAfter = 8;
/// Nor after so many that cost no less than being cut once more.
constexpr int kDominatedAfter = 16;
/// Groups of up to so many layers may begin and end everywhere.
constexpr int kEverywhere = 32;
/// A bound of the layers looked at for each doubling of lengths
/// beyond that: with strides of s, of n layers n / s groups begin, each with
/// length / s ends.
constexpr double kStrideBudget = 1 << 20;
/// Ways to cut are kept for groups of up to so many layers.
constexpr int kWindow = 512;
/// Rounds of moving the ends of long groups.
constexpr int kMoveRounds = 8;

/// Finds groups, as drafts, that are worth being steps.
class Explorer {
public:
  Explorer(const Stretch &stretch, CutGraph &graph)
      : stretch(stretch), state(stretch.state), graph(graph) {}

  void explore() {
    CheapestWays cheapest(stretch.size(), kWindow,
                          state.options.group.objective, state.chip);
    for (int begin = stretch.size() - 1; begin >= 0; --begin)
      exploreFrom(begin, cheapest);
    for (int end = 0; end <= stretch.size(); ++end)
      std::reverse(graph.to(end).begin(), graph.to(end).end());
  }

  /// Long groups were looked at in strides: tries to move each cut point of the
  /// cheapest path by half a stride, a quarter and so on, and to do without it.
  /// False when there is no new way.
  bool moveEnds() {
    const Cuts cuts = graph.path();
    bool isNew = false;
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      const int begin = cuts[i], cut = cuts[i + 1];
      const int end = stretch.endOf(cuts, i + 1);
      const int stride = std::max(strideOf(cut - begin), strideOf(end - cut));
      if (stride == 1)
        continue;
      isNew |= addGroup(begin, end);
      for (int by = stride / 2; by > 0; by /= 2)
        for (int other : {cut - by, cut + by})
          if (other > begin && other < end) {
            isNew |= addGroup(begin, other);
            isNew |= addGroup(other, end);
          }
    }
    return isNew;
  }

private:
  /// Groups of `length` layers begin and end at multiples of this.
  int strideOf(int length) const {
    if (length <= kEverywhere)
      return 1;
    int stride = 1;
    while (double(stride) * stride * kStrideBudget <
           double(length) * length * stretch.size())
      stride *= 2;
    return stride;
  }

  /// The next end to look at; after the last cut point when there is none.
  int nextEnd(int begin, int end) const {
    const int stride = strideOf(end + 1 - begin);
    return begin % stride == 0 ? (end / stride + 1) * stride
                               : stretch.size() + 1;
  }

  const Draft &draftOf(int begin, int end, int hint) {
    return state.draftOf(stretch.rangeOf(begin, end), hint);
  }

  void exploreFrom(int begin, CheapestWays &cheapest) {
    const Cost oneLayer = state.costOf(stretch.layers[begin]);
    graph.to(begin + 1).push_back({begin, 0, true, true, oneLayer});
    cheapest.open(begin, oneLayer);
    int failures = 0, dominated = 0, hint = state.hints.add({});
    for (int end = begin + 2;
         end <= stretch.lastEnd(begin) && failures < kGiveUpAfter &&
         dominated < kDominatedAfter && !state.isLookingOver();
         end = nextEnd(begin, end)) {
      const Draft &draft = draftOf(begin, end, hint);
      failures = draft.exists ? 0 : failures + strideOf(end - begin);
      if (!draft.exists)
        continue;
      graph.to(end).push_back({begin, hint, false, true, draft.cost});
      hint = draft.hint;
      dominated =
          cheapest.improve(begin, end - begin, draft.cost) ? 0 : dominated + 1;
    }
  }

  /// False when it was looked at before, or does not exist.
  bool addGroup(int begin, int end) {
    if (end - begin < 2 || end > stretch.lastEnd(begin) ||
        state.isLookingOver() || !added.emplace(begin, end).second)
      return false;
    std::vector<Step> &steps = graph.to(end);
    const auto at = std::lower_bound(
        steps.begin(), steps.end(), begin,
        [](const Step &step, int value) { return step.begin < value; });
    if (at != steps.end() && at->begin == begin)
      return false;
    const int hint = state.hints.add({});
    const Draft &draft = draftOf(begin, end, hint);
    if (draft.exists)
      steps.insert(at, {begin, hint, false, true, draft.cost});
    return draft.exists;
  }

  const Stretch &stretch;
  SearchState &state;
  CutGraph &graph;
  std::set<std::pair<int, int>> added;
};

class StretchSearch {
public:
  StretchSearch(SearchState &state, LayerRange stretch)
      : state(state), stretch{state, std::move(stretch)} {}

  Grouping run() {
    const bool isGreedy = state.options.method == SearchOptions::Method::Greedy;
    Grouping best = finish(isGreedy ? greedy() : optimal());
    // No plan costs less than its draft, unless some were left out for the
    // time. Else refining, which looks at waits
    // for banks, may have changed which is the better one of two.
    if (!isGreedy && !state.isOver() &&
        (state.isCut || state.isBetter(bound, best.cost))) {
      Grouping greedily = finish(greedy());
      if (state.isBetter(greedily.cost, best.cost))
        best = std::move(greedily);
    }
    return best;
  }

private:
  /// The full plan of [begin, end); nullptr when there is none.
  const GroupPlan *planOf(int begin, int end, int hint) {
    const auto [it, isNew] = plans.try_emplace({begin, end});
    if (isNew)
      it->second = state.planOf(stretch.rangeOf(begin, end), hint);
    return it->second ? &*it->second : nullptr;
  }

  /// From the front, the longest group that has a placement: by doubling and
  /// halving.
  Cuts greedy() {
    plans.clear();
    Cuts cuts;
    for (int begin = 0; begin < stretch.size();) {
      cuts.push_back(begin);
      begin = longestFrom(begin);
    }
    return cuts;
  }

  int longestFrom(int begin) {
    const int last = stretch.lastEnd(begin);
    int fits = begin + 1, tooLong = last + 1;
    int hint = state.hints.add({});
    while (fits + 1 < tooLong && !state.isOver()) {
      const int middle = fits + (tooLong - fits) / 2;
      const int end =
          tooLong > last ? std::min(last, begin + 2 * (fits - begin)) : middle;
      const GroupPlan *plan = planOf(begin, end, hint);
      if (!plan) {
        tooLong = end;
        continue;
      }
      hintOf[{begin, end}] = hint;
      hint = state.hints.add(plan->draft.hint);
      plans.erase({begin, fits});
      fits = end;
    }
    return fits;
  }

  Cuts optimal() {
    Explorer explorer(stretch, graph);
    explorer.explore();
    graph.search(1);
    bound = graph.cost();
    settle();
    for (int round = 0; round < kMoveRounds && explorer.moveEnds(); ++round) {
      graph.search(1);
      settle();
    }
    return graph.path();
  }

  /// Plans the groups on the cheapest path and searches again, until all of
  /// them are planned.
  void settle() {
    while (const int changed = planAll(graph.path())) {
      if (state.isOver()) {
        graph.dropUnplanned();
        graph.search(1);
        return;
      }
      graph.search(changed);
    }
  }

  /// Finds the addresses of the groups on the path. 0 when no cost changed for
  /// the worse: the path stays the best one. Else the first cut point whose
  /// ways changed.
  int planAll(const Cuts &cuts) {
    int changed = 0;
    Plans onPath;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const int begin = cuts[i], end = stretch.endOf(cuts, i);
      Step &step = graph.cheapestTo(end);
      if (!step.isPlanned) {
        const Cost before = step.cost;
        planStep(step, end);
        if (changed == 0 &&
            (!step.isPossible || state.isBetter(before, step.cost)))
          changed = end;
      }
      if (auto kept = plans.extract(std::pair(begin, end)))
        onPath.insert(std::move(kept));
    }
    // Most groups are not looked at again, and plans are large.
    plans = std::move(onPath);
    return changed;
  }

  void planStep(Step &step, int end) {
    if (state.isOver()) {
      step.isPossible = false;
      return;
    }
    step.isPlanned = true;
    const GroupPlan *plan = planOf(step.begin, end, step.hint);
    step.isPossible = plan != nullptr;
    if (plan)
      step.cost = plan->cost;
    hintOf[{step.begin, end}] = step.hint;
  }

  /// What comes of these cuts.
  Grouping finish(const Cuts &cuts) {
    Grouping result;
    for (size_t i = 0; i < cuts.size(); ++i) {
      const int begin = cuts[i], end = stretch.endOf(cuts, i);
      if (end - begin > 1) {
        result.groups.push_back(*planOf(begin, end, hintOf[{begin, end}]));
        plans.erase({begin, end});
        if (!state.isOver())
          state.refine(result.groups.back(), hintOf[{begin, end}]);
        result.cost += result.groups.back().cost;
        continue;
      }
      const LayerId layer = stretch.layers[begin];
      if (auto group = state.groupOf(layer)) {
        state.refine(*group, state.hints.add({}));
        result.cost += group->cost;
        result.groups.push_back(std::move(*group));
        continue;
      }
      result.cost += globalCost(state.graph, layer, state.chip);
      // Say so where even one layer alone is too large.
      auto draft = state.planner.draft({layer});
      const auto *refusal = std::get_if<GroupRefusal>(&draft);
      if (refusal && !refusal->isNotCheaper)
        result.refusals.emplace(layer, *refusal);
    }
    return result;
  }

  using Plans = std::map<std::pair<int, int>, std::optional<GroupPlan>>;

  SearchState &state;
  const Stretch stretch;
  CutGraph graph{stretch};
  Cost bound; ///< No way to cut that was looked at costs less.
  Plans plans;
  std::map<std::pair<int, int>, int> hintOf; ///< Of planned groups.
};

/// Stretch by stretch; one that is like an earlier one has its groups. For
/// traffic fewer grids are looked at, and no search knows which of its groups
/// will find addresses, nor how they wait: what is found for cycles may move
/// less after all, and what has no line buffers may be better. That is taken
/// then.
class GraphSearch {
public:
  GraphSearch(const LayerGraph &graph, const target::ChipSpec &chip,
              const SearchOptions &options)
      : state(graph, chip, options),
        stretches(graph, chip, options, state.signatures,
                  options.cache ? *options.cache : own,
                  options.memory ? *options.memory : ownMemory) {
    const GroupOptions &asked = options.group;
    std::set<std::pair<Objective, bool>> ways;
    std::set<Objective> objectives = {asked.objective};
    if (asked.objective == Objective::Traffic)
      objectives.insert(Objective::Cycles);
    for (Objective objective : objectives)
      for (bool lineBuffers : {asked.lineBuffers, false})
        ways.emplace(objective, lineBuffers);
    ways.erase({asked.objective, asked.lineBuffers});
    for (auto [objective, lineBuffers] : ways) {
      SearchOptions other = options;
      other.group.objective = objective;
      other.group.lineBuffers = lineBuffers;
      others.emplace_back(graph, chip, other);
    }
  }

  void add(const LayerRange &stretch) {
    const std::string key = stretches.keyOf(stretch);
    std::optional<Grouping> found = stretches.find(key, stretch);
    if (!found) {
      found = search(stretch);
      if (!isCut())
        stretches.add(key, stretch, *found);
    }
    for (GroupPlan &plan : found->groups)
      result.groups.push_back(std::move(plan));
    result.order.insert(result.order.end(), found->order.begin(),
                        found->order.end());
    result.refusals.merge(found->refusals);
    result.cost += found->cost;
  }

  Grouping finish() {
    result.numDrafts = state.numDrafts;
    result.numPlans = state.numPlans;
    for (const SearchState &other : others) {
      result.numDrafts += other.numDrafts;
      result.numPlans += other.numPlans;
    }
    result.isCutByTime = isCut();
    return std::move(result);
  }

  Grouping result;

private:
  Grouping search(const LayerRange &stretch) {
    Grouping best;
    const auto take = [&](Grouping found, const LayerRange &order) {
      if (!best.order.empty() && !state.isBetter(found.cost, best.cost))
        return;
      best = std::move(found);
      best.order = order;
    };
    const auto searchWith = [&](SearchState &some) {
      Grouping found = StretchSearch(some, stretch).run();
      const Cost known = found.cost;
      take(std::move(found), stretch);
      if (!some.options.reorder ||
          some.options.method == SearchOptions::Method::Greedy)
        return;
      if (const auto order = orderForGroups(some, stretch, known))
        take(StretchSearch(some, *order).run(), *order);
    };
    searchWith(state);
    for (SearchState &other : others)
      searchWith(other);
    return best;
  }
  bool isCut() const {
    return state.isCut ||
           std::any_of(others.begin(), others.end(),
                       [](const SearchState &other) { return other.isCut; });
  }

  SearchState state;
  std::list<SearchState> others; ///< With other options.
  planning::PlanCache own;       ///< Where nobody gives one.
  StretchMemory ownMemory;       ///< The same.
  StretchCache stretches;
};

} // namespace

Grouping searchGroups(const LayerGraph &graph,
                      const std::vector<LayerId> &order,
                      const target::ChipSpec &chip,
                      const SearchOptions &options) {
  GraphSearch search(graph, chip, options);
  const ViewOrder views(graph, order);
  LayerRange stretch;
  const auto finish = [&] {
    if (!stretch.empty())
      search.add(stretch);
    stretch.clear();
  };
  for (LayerId layer : options.reorder ? views.aside() : order) {
    if (graph.layers[layer].isLocal()) {
      stretch.push_back(layer);
      continue;
    }
    finish();
    search.result.order.push_back(layer);
    search.result.cost += globalCost(graph, layer, chip);
  }
  finish();
  Grouping found = search.finish();
  views.putBack(found);
  return found;
}

} // namespace tpu_mlir::layer

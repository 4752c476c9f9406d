//===- GroupSearch.cpp - Cutting a run of layers into groups --------------===//
//
// Drafts, which say what groups cost at least, are steps between cut points.
// Groups on the cheapest path are planned, and may turn out dearer or
// impossible, until all on the path are.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "lib/LayerPlanning/Cache/StretchCache.h"
#include "lib/LayerPlanning/Explorer.h"
#include "lib/LayerPlanning/Order/ConvexSearch.h"
#include "lib/LayerPlanning/Order/ViewOrder.h"

#include <algorithm>
#include <list>
#include <set>

namespace tpu_mlir::layer {
namespace {

/// Rounds of moving the ends of long groups.
constexpr int kMoveRounds = 8;

class StretchSearch {
public:
  StretchSearch(SearchState &state, LayerRange stretch)
      : state(state), stretch{state, std::move(stretch)} {}

  /// For who may have no time for more: the longest groups, from the front.
  void begin() {
    firstCuts = greedy();
    first = finish(firstCuts);
  }

  Grouping run() {
    if (state.options.method == SearchOptions::Method::Greedy)
      return finish(greedy());
    Grouping best = finish(optimal());
    // No plan costs less than its draft, unless some were left out for the
    // time. Else refining, which looks at waits
    // for banks, may have changed which is the better one of two.
    if (state.isCut || state.isBetter(bound, best.cost)) {
      if (!first && !state.isOver())
        begin();
      if (first && state.isBetter(first->cost, best.cost))
        best = std::move(*first);
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
    if (first && state.isCut)
      offerFirst();
    graph.search(1);
    bound = graph.cost();
    settle();
    for (int round = 0; round < kMoveRounds && explorer.moveEnds(); ++round) {
      graph.search(1);
      settle();
    }
    return graph.path();
  }

  /// The first groups, which are planned, stand where there was no time to look
  /// for better ones.
  void offerFirst() {
    auto group = first->groups.begin();
    for (size_t i = 0; i < firstCuts.size(); ++i) {
      const int begin = firstCuts[i], end = stretch.endOf(firstCuts, i);
      if (end - begin < 2)
        continue;
      while (group->draft.range.size() < 2) // On several cores.
        ++group;
      const Cost &cost = (group++)->cost;
      if (end - begin <= kWindow) // Longer ones would be planned once more.
        graph.stepOf(begin, end) = {begin, hintOf[{begin, end}], true, true,
                                    cost};
    }
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
  Cuts firstCuts;
  std::optional<Grouping> first; ///< What came of them.
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

  /// All pieces in their order: stretches, and layers that are not local.
  void run(const std::vector<LayerRange> &pieces) {
    size_t layersLeft = 0;
    for (const LayerRange &piece : pieces)
      layersLeft += piece.size();
    begin(pieces);
    for (size_t i = 0; i < pieces.size(); ++i) {
      const LayerRange &piece = pieces[i];
      if (isStretch(piece)) {
        share = state.options.deadline;
        if (const auto left = share.secondsLeft())
          share.endIn(*left * double(piece.size()) / double(layersLeft));
        add(piece, begun[i]);
        begun[i].clear();
      } else {
        result.order.push_back(piece.front());
        result.cost += globalCost(state.graph, piece.front(), state.chip);
      }
      layersLeft -= piece.size();
    }
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

private:
  bool isStretch(const LayerRange &piece) const {
    return state.graph.layers[piece.front()].isLocal();
  }

  /// Where the time is limited each stretch has groups before any is searched.
  void begin(const std::vector<LayerRange> &pieces) {
    begun.resize(pieces.size());
    if (!state.options.deadline.isSet() ||
        state.options.method == SearchOptions::Method::Greedy)
      return;
    const auto beginWith = [&](SearchState &some) {
      for (size_t i = 0; i < pieces.size(); ++i)
        if (isStretch(pieces[i]) &&
            !stretches.find(stretches.keyOf(pieces[i]), pieces[i])) {
          begun[i].emplace_back(some, pieces[i]);
          begun[i].back().begin();
        }
    };
    beginWith(state);
    for (SearchState &other : others)
      beginWith(other);
  }

  void add(const LayerRange &stretch, std::list<StretchSearch> &searches) {
    const std::string key = stretches.keyOf(stretch);
    std::optional<Grouping> found = stretches.find(key, stretch);
    if (!found) {
      found = search(stretch, searches);
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

  Grouping search(const LayerRange &stretch,
                  std::list<StretchSearch> &searches) {
    if (searches.empty()) {
      searches.emplace_back(state, stretch);
      for (SearchState &other : others)
        searches.emplace_back(other, stretch);
    }
    Grouping best;
    const auto take = [&](Grouping found, const LayerRange &order) {
      if (!best.order.empty() && !state.isBetter(found.cost, best.cost))
        return;
      best = std::move(found);
      best.order = order;
    };
    size_t searchesLeft = searches.size();
    const auto searchWith = [&](SearchState &some, StretchSearch &inOrder) {
      if (const auto left = share.secondsLeft())
        some.limit(*left / double(searchesLeft--));
      Grouping found = inOrder.run();
      const Cost known = found.cost;
      take(std::move(found), stretch);
      if (!some.options.reorder ||
          some.options.method == SearchOptions::Method::Greedy)
        return;
      if (const auto order = orderForGroups(some, stretch, known))
        take(StretchSearch(some, *order).run(), *order);
    };
    auto inOrder = searches.begin();
    searchWith(state, *inOrder);
    for (SearchState &other : others)
      searchWith(other, *++inOrder);
    return best;
  }
  bool isCut() const {
    return state.isCut ||
           std::any_of(others.begin(), others.end(),
                       [](const SearchState &other) { return other.isCut; });
  }

  Grouping result;
  SearchState state;
  std::list<SearchState> others; ///< With other options.
  planning::Deadline share;      ///< Of the stretch at hand.
  /// Of each piece: the searches, with each state, that have first groups.
  std::vector<std::list<StretchSearch>> begun;
  planning::PlanCache own; ///< Where nobody gives one.
  StretchMemory ownMemory; ///< The same.
  StretchCache stretches;
};

} // namespace

Grouping searchGroups(const LayerGraph &graph,
                      const std::vector<LayerId> &order,
                      const target::ChipSpec &chip,
                      const SearchOptions &options) {
  const ViewOrder views(graph, order);
  std::vector<LayerRange> pieces;
  bool isInStretch = false;
  for (LayerId layer : options.reorder ? views.aside() : order) {
    const bool isLocal = graph.layers[layer].isLocal();
    if (!isLocal || !isInStretch)
      pieces.emplace_back();
    pieces.back().push_back(layer);
    isInStretch = isLocal;
  }
  GraphSearch search(graph, chip, options);
  search.run(pieces);
  Grouping found = search.finish();
  views.putBack(found);
  return found;
}

} // namespace tpu_mlir::layer

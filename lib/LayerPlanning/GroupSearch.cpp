//===- GroupSearch.cpp - Cutting a run of layers into groups --------------===//
//
// Drafts, which say what groups cost at least, are steps between cut points.
// Groups on the cheapest path are planned, and may turn out dearer or
// impossible, until all on the path are.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include "lib/LayerPlanning/CheapestWays.h"
#include "lib/LayerPlanning/RangeSignature.h"

#include <algorithm>
#include <set>
#include <unordered_map>

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

/// Grid hints repeat, and there are many stretches.
class HintTable {
public:
  int add(const GridHint &hint) {
    const auto [it, isNew] =
        numbers.emplace(hint.sections, static_cast<int>(hints.size()));
    if (isNew)
      hints.push_back(hint);
    return it->second;
  }
  const GridHint &operator[](int number) const { return hints[number]; }

private:
  std::map<Sections, int> numbers;
  std::vector<GridHint> hints;
};

/// What was found for a stretch, and for all that are like it.
struct Draft {
  bool exists = false;
  int hint = 0; ///< For longer groups; see HintTable.
  Cost cost;
};

/// What stretches of one graph share.
struct SearchState {
  SearchState(const LayerGraph &graph, const target::ChipSpec &chip,
              const SearchOptions &options)
      : graph(graph), chip(chip), options(options),
        planner(graph, chip, options.group), signatures(graph) {}

  const LayerGraph &graph;
  const target::ChipSpec &chip;
  const SearchOptions &options;
  const GroupPlanner planner;
  RangeSignatures signatures;
  std::unordered_map<Signature, Draft, HashSignature> drafts;
  HintTable hints;
  int64_t numDrafts = 0, numPlans = 0; ///< As in Grouping.

  bool isBetter(const Cost &a, const Cost &b) const {
    return layer::isBetter(a, b, options.group.objective);
  }
};

/// A way to a cut point from an earlier one: a group, or one global layer.
struct Step {
  int begin = 0;
  int hint = 0;
  /// Addresses are found and the cost is final; else it is a lower bound.
  bool isPlanned = false;
  bool isPossible = true;
  Cost cost;
};

/// Where a stretch is cut: the begin of each piece.
using Cuts = std::vector<int>;

/// A run of layers that is to be cut.
struct Stretch {
  SearchState &state;
  const LayerRange layers;

  int size() const { return static_cast<int>(layers.size()); }
  LayerRange rangeOf(int begin, int end) const {
    return LayerRange(layers.begin() + begin, layers.begin() + end);
  }
  int lastEnd(int begin) const {
    const int most = state.options.maxLayers;
    return most != 0 && most < size() - begin ? begin + most : size();
  }
  /// The end of piece `index`.
  int endOf(const Cuts &cuts, size_t index) const {
    return index + 1 < cuts.size() ? cuts[index + 1] : size();
  }
};

/// The steps to each cut point, and the cheapest way there.
class CutGraph {
public:
  explicit CutGraph(const Stretch &stretch)
      : stretch(stretch), stepsTo(stretch.size() + 1),
        ways(stretch.size() + 1) {}

  /// The steps to a cut point; by begin, once all are there.
  std::vector<Step> &to(int end) { return stepsTo[end]; }
  Step &cheapestTo(int end) { return stepsTo[end][ways[end].step]; }
  const Cost &cost() const { return ways.back().cost; }

  /// Finds the cheapest way to each cut point from `first` on; those to the
  /// ones in front of it are known.
  void search(int first) {
    for (int end = first; end <= stretch.size(); ++end) {
      ways[end].step = -1;
      for (size_t i = 0; i < stepsTo[end].size(); ++i) {
        const Step &step = stepsTo[end][i];
        if (!step.isPossible)
          continue;
        Cost cost = ways[step.begin].cost;
        cost += step.cost;
        if (ways[end].step < 0 || stretch.state.isBetter(cost, ways[end].cost))
          ways[end] = {cost, static_cast<int>(i)};
      }
    }
  }

  Cuts path() const {
    Cuts cuts;
    for (int end = stretch.size(); end > 0; end = cuts.back())
      cuts.push_back(stepsTo[end][ways[end].step].begin);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

private:
  /// The cheapest way to a cut point: its last step.
  struct Way {
    Cost cost;
    int step = -1;
  };

  const Stretch &stretch;
  std::vector<std::vector<Step>> stepsTo;
  std::vector<Way> ways;
};

/// Finds groups, as drafts, that are worth being steps.
class Explorer {
public:
  Explorer(const Stretch &stretch, CutGraph &graph)
      : stretch(stretch), state(stretch.state), graph(graph) {}

  void explore() {
    CheapestWays cheapest(stretch.size(), kWindow,
                          state.options.group.objective);
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

  /// The draft of a stretch, or of an earlier one that is alike: the hint comes
  /// from what is inside, so it is alike, too.
  const Draft &draftOf(int begin, int end, int hint) {
    const LayerRange range = stretch.rangeOf(begin, end);
    const auto [it, isNew] =
        state.drafts.try_emplace(state.signatures.of(range));
    if (!isNew)
      return it->second;
    ++state.numDrafts;
    if (const auto found = state.planner.estimate(range, state.hints[hint]))
      it->second = {true, state.hints.add(found->hint), found->cost};
    return it->second;
  }

  void exploreFrom(int begin, CheapestWays &cheapest) {
    const Cost oneLayer =
        globalCost(state.graph, stretch.layers[begin], state.chip);
    graph.to(begin + 1).push_back({begin, 0, true, true, oneLayer});
    cheapest.open(begin, oneLayer);
    int failures = 0, dominated = 0, hint = state.hints.add({});
    for (int end = begin + 2;
         end <= stretch.lastEnd(begin) && failures < kGiveUpAfter &&
         dominated < kDominatedAfter;
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
        !added.emplace(begin, end).second)
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
    // No plan costs less than its draft. Else refining, which looks at waits
    // for banks, may have changed which is the better one of two.
    if (!isGreedy && state.isBetter(bound, best.cost)) {
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
    if (isNew) {
      ++state.numPlans;
      auto result =
          state.planner.plan(stretch.rangeOf(begin, end), state.hints[hint]);
      if (auto *plan = std::get_if<GroupPlan>(&result))
        it->second = std::move(*plan);
    }
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
    while (fits + 1 < tooLong) {
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
    while (const int changed = planAll(graph.path()))
      graph.search(changed);
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
        state.planner.refine(result.groups.back());
        result.cost += result.groups.back().cost;
        continue;
      }
      const LayerId layer = stretch.layers[begin];
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

/// Stretch by stretch. For traffic fewer grids are looked at, and no objective
/// knows which of its groups will find addresses: what is found for cycles may
/// move less after all, and is taken then.
class GraphSearch {
public:
  GraphSearch(const LayerGraph &graph, const target::ChipSpec &chip,
              const SearchOptions &options)
      : cycleOptions(options), state(graph, chip, options) {
    cycleOptions.group.objective = Objective::Cycles;
    if (options.group.objective != Objective::Cycles)
      cycles.emplace(graph, chip, cycleOptions);
  }

  void add(const LayerRange &stretch) {
    Grouping best = StretchSearch(state, stretch).run();
    if (cycles) {
      Grouping other = StretchSearch(*cycles, stretch).run();
      if (state.isBetter(other.cost, best.cost))
        best = std::move(other);
    }
    for (GroupPlan &plan : best.groups)
      result.groups.push_back(std::move(plan));
    result.refusals.merge(best.refusals);
    result.cost += best.cost;
  }

  Grouping finish() {
    result.numDrafts = state.numDrafts + (cycles ? cycles->numDrafts : 0);
    result.numPlans = state.numPlans + (cycles ? cycles->numPlans : 0);
    return std::move(result);
  }

  Grouping result;

private:
  SearchOptions cycleOptions;
  SearchState state;
  std::optional<SearchState> cycles;
};

} // namespace

Grouping searchGroups(const LayerGraph &graph,
                      const std::vector<LayerId> &order,
                      const target::ChipSpec &chip,
                      const SearchOptions &options) {
  GraphSearch search(graph, chip, options);
  LayerRange stretch;
  const auto finish = [&] {
    if (!stretch.empty())
      search.add(stretch);
    stretch.clear();
  };
  for (LayerId layer : order) {
    if (graph.layers[layer].isLocal()) {
      stretch.push_back(layer);
      continue;
    }
    finish();
    search.result.cost += globalCost(graph, layer, chip);
  }
  finish();
  return search.finish();
}

} // namespace tpu_mlir::layer

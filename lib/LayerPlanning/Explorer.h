//===- Explorer.h - Groups that are worth a look ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_EXPLORER_H
#define TPU_MLIR_LIB_LAYERPLANNING_EXPLORER_H

#include "lib/LayerPlanning/CheapestWays.h"
#include "lib/LayerPlanning/CutGraph.h"

#include <algorithm>
#include <set>

namespace tpu_mlir::layer {

/// Longer groups of which nothing fits are not looked at after so many layers.
inline constexpr int kGiveUpAfter = 8;
/// Nor after so many that cost no less than being cut once more.
inline constexpr int kDominatedAfter = 16;
/// Groups of up to so many layers may begin and end everywhere.
inline constexpr int kEverywhere = 32;
/// A bound of the layers looked at for each doubling of lengths
/// beyond that: with strides of s, of n layers n / s groups begin, each with
/// length / s ends.
inline constexpr double kStrideBudget = 1 << 20;
/// Ways to cut are kept for groups of up to so many layers.
inline constexpr int kWindow = 512;

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

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_EXPLORER_H

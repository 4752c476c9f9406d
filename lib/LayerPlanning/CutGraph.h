//===- CutGraph.h - The ways to cut a run of layers -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_CUTGRAPH_H
#define TPU_MLIR_LIB_LAYERPLANNING_CUTGRAPH_H

#include "lib/LayerPlanning/SearchState.h"

#include <algorithm>

namespace tpu_mlir::layer {

/// A way to a cut point from an earlier one: a group, or one layer.
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
  /// The step between two cut points, which is new where there was none.
  Step &stepOf(int begin, int end) {
    std::vector<Step> &steps = stepsTo[end];
    const auto at = std::lower_bound(
        steps.begin(), steps.end(), begin,
        [](const Step &step, int value) { return step.begin < value; });
    return at != steps.end() && at->begin == begin
               ? *at
               : *steps.insert(at, Step{begin, 0, false, false, {}});
  }
  Step &cheapestTo(int end) { return stepsTo[end][*ways[end].step]; }
  const Cost &cost() const { return ways.back().cost; }

  /// Finds the cheapest way to each cut point from `first` on; those to the
  /// ones in front of it are known.
  void search(int first) {
    for (int end = first; end <= stretch.size(); ++end) {
      ways[end].step.reset();
      for (size_t i = 0; i < stepsTo[end].size(); ++i) {
        const Step &step = stepsTo[end][i];
        if (!step.isPossible)
          continue;
        Cost cost = ways[step.begin].cost;
        cost += step.cost;
        if (!ways[end].step || stretch.state.isBetter(cost, ways[end].cost))
          ways[end] = {cost, i};
      }
    }
  }

  /// Groups whose addresses are not known are no steps any more.
  void dropUnplanned() {
    for (std::vector<Step> &steps : stepsTo)
      for (Step &step : steps)
        step.isPossible &= step.isPlanned;
  }

  Cuts path() const {
    Cuts cuts;
    for (int end = stretch.size(); end > 0; end = cuts.back())
      cuts.push_back(stepsTo[end][*ways[end].step].begin);
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

private:
  /// The cheapest way to a cut point: its last step.
  struct Way {
    Cost cost;
    std::optional<size_t> step;
  };

  const Stretch &stretch;
  std::vector<std::vector<Step>> stepsTo;
  std::vector<Way> ways;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_CUTGRAPH_H

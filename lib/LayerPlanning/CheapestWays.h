//===- CheapestWays.h - What it costs to get from cut to cut --------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_CHEAPESTWAYS_H
#define TPU_MLIR_LIB_LAYERPLANNING_CHEAPESTWAYS_H

#include "tpu_mlir/LayerPlanning/CostModel.h"

#include <algorithm>
#include <vector>

namespace tpu_mlir::layer {

/// The cheapest ways from one cut point to those after it, as far as a window
/// reaches: filled from the last cut point to the first.
class CheapestWays {
public:
  CheapestWays(int numLayers, int window, Objective objective,
               const target::ChipSpec &chip)
      : numLayers(numLayers), window(window), objective(objective), chip(chip),
        costs(std::min(numLayers, window) + 1), toEnd(numLayers + 1) {
    from(numLayers).emplace_back();
  }

  /// Steps from `begin` come now; those of all later cut points are known.
  void open(int begin, const Cost &oneLayer) {
    std::vector<Cost> &ways = from(begin);
    ways.assign(std::min(numLayers - begin, window) + 1, oneLayer);
    ways[0] = {};
    for (size_t i = 1; i < ways.size(); ++i)
      ways[i] += from(begin + 1)[i - 1];
    toEnd[begin] = oneLayer;
    toEnd[begin] += toEnd[begin + 1];
  }

  /// A step of `length` layers. False: it costs no less than a known way; of
  /// those to the end for a step that is longer than the window.
  bool improve(int begin, int length, const Cost &cost) {
    Cost whole = cost;
    whole += toEnd[begin + length];
    const bool isShorter = isBetter(whole, toEnd[begin], objective, chip);
    if (isShorter)
      toEnd[begin] = whole;
    if (length > window)
      return isShorter;
    std::vector<Cost> &ways = from(begin);
    if (!isBetter(cost, ways[length], objective, chip))
      return false;
    const std::vector<Cost> &rest = from(begin + length);
    for (size_t i = 0; i < rest.size() && length + i < ways.size(); ++i) {
      if (isNoLess(cost, rest[i], ways[length + i]))
        continue;
      Cost way = cost;
      way += rest[i];
      if (isBetter(way, ways[length + i], objective, chip))
        ways[length + i] = way;
    }
    return true;
  }

private:
  /// No number of the sum that isBetter() looks at is less than that of
  /// `known`: most ways are no better by this alone, which is quick.
  static bool isNoLess(const Cost &a, const Cost &b, const Cost &known) {
    const auto sum = [&](int64_t Cost::*part) {
      return static_cast<__int128>(a.*part) + b.*part;
    };
    const __int128 traffic = sum(&Cost::loadBytes) + sum(&Cost::storeBytes);
    const __int128 l2 = sum(&Cost::l2Bytes);
    const __int128 knownTraffic =
        static_cast<__int128>(known.loadBytes) + known.storeBytes;
    return sum(&Cost::cycles) >= known.cycles && traffic >= knownTraffic &&
           l2 >= known.l2Bytes && traffic - l2 >= knownTraffic - known.l2Bytes;
  }

  std::vector<Cost> &from(int begin) { return costs[begin % costs.size()]; }

  const int numLayers, window;
  const Objective objective;
  const target::ChipSpec &chip;
  /// Of the cut points in the window, by length.
  std::vector<std::vector<Cost>> costs;
  std::vector<Cost> toEnd; ///< From each cut point to the last one.
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_CHEAPESTWAYS_H

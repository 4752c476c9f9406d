//===- RangeSignature.h - When two groups are the same question -----------===//
//
// Networks repeat their blocks. Two stretches whose layers are alike and read
// each other's tensors alike have the same grids, costs and plans.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H
#define TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H

#include "tpu_mlir/LayerPlanning/Slicing.h"

#include <map>
#include <utility>

namespace tpu_mlir::layer {

/// 128 bits of hash.
using Signature = std::pair<uint64_t, uint64_t>;

struct HashSignature {
  size_t operator()(const Signature &signature) const {
    return signature.first ^ signature.second;
  }
};

/// All that planning a stretch of one graph looks at, but names: which layers
/// are alike (their facts and those of their tensors), which tensors are the
/// same one, and what is read outside of the stretch.
using RangeWords = std::vector<int64_t>;

Signature hashOf(const RangeWords &words);

/// Signatures of the stretches of one graph. Not for several threads at once.
class RangeSignatures {
public:
  /// O(operands), and a search among the layers that are not alike for each.
  explicit RangeSignatures(const LayerGraph &graph);
  /// Two stretches are alike when theirs are equal. Until the next question.
  /// O(operands + readers of its results).
  const RangeWords &wordsOf(const LayerRange &range);
  /// Of those a hash: two stretches with the same one are taken to be alike.
  Signature of(const LayerRange &range) { return hashOf(wordsOf(range)); }

  /// The same for another graph, or another program: the facts themselves
  /// instead of which layers have the same.
  std::vector<RangeWords> factsOf(const LayerRange &range) const;

private:
  /// A number that holds for one question only.
  struct Mark {
    int64_t question = 0;
    int64_t number = 0;
  };

  const LayerGraph &graph;
  std::map<RangeWords, int64_t> known; ///< The facts that layers have.
  std::vector<int64_t> facts;          ///< Of each layer, as a number of them.
  int64_t question = 0;
  std::vector<Mark> numbers;     ///< Of tensors, in the order of first mention.
  std::vector<int64_t> insideOf; ///< For each layer the last question.
  RangeWords words;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H

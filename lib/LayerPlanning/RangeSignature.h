//===- RangeSignature.h - When two groups are the same question -----------===//
//
// Networks repeat their blocks. Two stretches whose layers are alike and read
// each other's tensors alike have the same grids and costs.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H
#define TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H

#include "tpu_mlir/LayerPlanning/Slicing.h"

#include <utility>

namespace tpu_mlir::layer {

/// 128 bits of hash: two stretches with the same one are taken to be alike.
using Signature = std::pair<uint64_t, uint64_t>;

struct HashSignature {
  size_t operator()(const Signature &signature) const {
    return signature.first ^ signature.second;
  }
};

/// Signatures of the stretches of one graph. Not for several threads at once.
class RangeSignatures {
public:
  /// O(operands).
  explicit RangeSignatures(const LayerGraph &graph);
  /// All that a grid search looks at, but names: the facts of the layers and
  /// of their tensors, which of them are the same tensor, and what is read
  /// outside of the stretch. O(operands + readers of its results).
  Signature of(const LayerRange &range);

private:
  /// A number that holds for one question only.
  struct Mark {
    int64_t question = 0;
    int64_t number = 0;
  };

  const LayerGraph &graph;
  std::vector<Signature> facts; ///< Of each layer alone.
  int64_t question = 0;
  std::vector<Mark> numbers;     ///< Of tensors, in the order of first mention.
  std::vector<int64_t> insideOf; ///< For each layer the last question.
  std::vector<int64_t> words;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LIB_LAYERPLANNING_RANGESIGNATURE_H

//===- StretchMemory.h - Groups found earlier in the same run ---*- C++ -*-===//
//
// A network repeats its blocks. The groups of a block are those of an equal one
// under other names: a copy, where the cache of decisions would have to make
// slices, steps and costs anew.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_STRETCHMEMORY_H
#define TPU_MLIR_LAYERPLANNING_STRETCHMEMORY_H

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include <string>

namespace tpu_mlir::layer {

/// The groups of runs of layers of any graphs, by the whole question: what the
/// search looks at of layers, tensors, chip and options. It keeps one copy of
/// the plans of each different run. Not for several threads at once.
class StretchMemory {
public:
  /// From these numbers on there are layers and tensors of single groups.
  struct GraphSize {
    LayerId layers = 0;
    TensorId tensors = 0;
  };

  /// The groups of `stretch` of `graph`, whose question is `key`; nullopt when
  /// nothing is kept under it. O(size of the plans).
  std::optional<Grouping> find(const std::string &key, const LayerGraph &graph,
                               const LayerRange &stretch) const;
  /// Keeps what was found for it, which has to have been checked.
  void add(const std::string &key, const LayerGraph &graph,
           const LayerRange &stretch, const Grouping &grouping);

private:
  struct Known {
    LayerRange stretch;
    /// Of each layer the result and the operands, in its order: what equal
    /// stretches have equal.
    std::vector<TensorId> tensors;
    GraphSize size;
    Grouping grouping;
  };

  std::map<std::string, Known> known;
};

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_STRETCHMEMORY_H

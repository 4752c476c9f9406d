//===- InputCopies.h - Inputs that a group loads a second time --*- C++ -*-===//

#ifndef TPU_MLIR_LAYERPLANNING_INPUTCOPIES_H
#define TPU_MLIR_LAYERPLANNING_INPUTCOPIES_H

#include "tpu_mlir/LayerPlanning/Slicing.h"

namespace tpu_mlir::layer {

/// An input that is loaded a second time: `readers` read the copy, layers in
/// front of them the tensor itself. It frees the bytes in between, and an input
/// that the first and the last layer read costs no row without a layer.
struct InputCopy {
  TensorId tensor = 0;
  std::vector<LayerId> readers;
};

/// The inputs of a group that may be worth a second load when it runs in
/// several sections: tensors that are cut with the sections and that the first
/// and the last layer read, or that nobody reads for four layers and more. The
/// copy is for the readers after the longest such gap. O(layers * operands).
std::vector<InputCopy> inputCopies(const LayerGraph &graph,
                                   const LayerRange &range);

/// Adds the copies as further tensors after those of `graph`: copy i is tensor
/// graph.tensors.size() + i. O(copies and their readers).
void addCopies(LayerGraph &graph, const std::vector<InputCopy> &copies);
/// Takes back what addCopies did last, with the same copies.
void removeCopies(LayerGraph &graph, const std::vector<InputCopy> &copies);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_INPUTCOPIES_H

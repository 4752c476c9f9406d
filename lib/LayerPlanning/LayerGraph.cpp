//===- LayerGraph.cpp - Layers as the local-memory planner sees them ------===//

#include "tpu_mlir/LayerPlanning/LayerGraph.h"

namespace tpu_mlir::layer {

TensorId LayerGraph::addTensor(Tensor tensor) {
  tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(tensors.size()) - 1;
}

LayerId LayerGraph::addLayer(Layer layer) {
  const auto id = static_cast<LayerId>(layers.size());
  tensors[layer.result].producer = id;
  for (TensorId result : layer.moreResults)
    tensors[result].producer = id;
  for (const LayerOperand &operand : layer.operands) {
    std::vector<LayerId> &readers = tensors[operand.tensor].readers;
    if (readers.empty() || readers.back() != id)
      readers.push_back(id);
  }
  layers.push_back(std::move(layer));
  return id;
}

} // namespace tpu_mlir::layer

//===- BuildLayerGraph.h - A block of ops as layers -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H

#include "lib/Analysis/Local/Layers/LmemForm.h"
#include "tpu_mlir/LayerPlanning/LayerGraph.h"

#include "mlir/IR/Block.h"

#include <optional>
#include <vector>

namespace tpu_mlir::grouping {

/// The layers of one block, and what they were in the IR.
struct BlockLayers {
  layer::LayerGraph graph;
  std::vector<mlir::Operation *> ops; ///< Of each layer, in block order.
  /// Of each tensor: the value, and its form in local memory. A weight that
  /// two ops want in different forms is two tensors.
  std::vector<mlir::Value> values;
  std::vector<mlir::RankedTensorType> types;
  std::vector<bool> isBroadcast;
  /// The block's first `top.None`; null when it has none.
  mlir::Value none;
};

/// A view whose bytes are its operands': no instruction.
bool isFreeGlobally(mlir::Operation *op);

/// Every op of `block` that does something is a layer (weights, inputs, none,
/// scratch buffers and the terminator are not). Ops that cannot run from local
/// memory say why. An op whose tensors have no static size becomes a layer
/// without operands and cost; nothing here fails. O(operands).
BlockLayers buildLayers(mlir::Block &block, const target::ChipSpec &chip);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H

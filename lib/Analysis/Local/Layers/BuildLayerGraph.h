//===- BuildLayerGraph.h - A block of ops as layers -------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H

#include "lib/Analysis/Local/Layers/LmemForm.h"
#include "tpu_mlir/LayerPlanning/LayerGraph.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/STLFunctionalExtras.h"

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

/// The same elements in another shape.
bool isView(mlir::Operation *op);

/// A view whose bytes are its operands': no instruction. A slice is one where
/// its address says so.
bool isFreeGlobally(mlir::Operation *op);

/// Which elements of its operands have an effect is in a mask.
bool isMasked(mlir::Operation *op);

/// A ranked static tensor whose bytes can be counted and that has five
/// dimensions at most, so that what layers move of it counts.
bool isCounted(mlir::Type type);

/// How many bytes of an operand a layer in global memory has use for, where
/// that is less than all, as of a table that it looks things up in; else the
/// largest number there is.
int64_t mostBytesRead(mlir::Operation *op, unsigned index);

/// Calls `ask` with `op`, or, in a group, with a copy in no block that reads
/// what its loads do: ops speak of their operands as they are outside, and a
/// load may give a weight the shape that the chip's kernels read.
void callAsOutside(mlir::Operation *op,
                   llvm::function_ref<void(mlir::Operation *)> ask);

/// Every op of `block` that does something is a layer (weights, inputs, none,
/// scratch buffers and the terminator are not). Ops that cannot run from local
/// memory say why. An op whose tensors have no static size becomes a layer
/// without operands and cost; nothing here fails. What has an address in L2 is
/// said to be there. O(operands).
BlockLayers buildLayers(mlir::Block &block, const target::ChipSpec &chip);

/// For layers whose tensors have no addresses yet: what is neither a weight nor
/// shares its storage with an input or a result of its function, and has
/// `l2Bytes` at most, will be in second-level memory. Not more than a guess, as
/// there may not be room for all of them at a time. O(operands).
void expectL2(BlockLayers &layers, int64_t l2Bytes);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_BUILDLAYERGRAPH_H

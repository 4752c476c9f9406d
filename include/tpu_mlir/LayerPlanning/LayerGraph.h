//===- LayerGraph.h - Layers as the local-memory planner sees them -*- C++
//-*-===//
//
// A straight run of ops as a value: which tensors there are, how each layer
// reads them, what a layer costs. Whoever knows an IR builds one; nothing here
// does.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LAYERPLANNING_LAYERGRAPH_H
#define TPU_MLIR_LAYERPLANNING_LAYERGRAPH_H

#include "tpu_mlir/LayerPlanning/LmemLayout.h"
#include "tpu_mlir/Support/SliceRule.h"

#include <limits>
#include <string>
#include <vector>

namespace tpu_mlir::layer {

/// Index into LayerGraph::tensors.
using TensorId = int;
/// Index into LayerGraph::layers.
using LayerId = int;

/// One value. Extents are those of its form in local memory.
struct Tensor {
  std::string name;
  Shape5 shape{1, 1, 1, 1, 1};
  int64_t elementBits = 8;
  /// Each channel's plane is padded to whole execution units.
  bool euAligned = true;
  /// A weight: in global memory before the run, and never a layer's result.
  bool isParameter = false;
  /// Bytes of the whole tensor in global memory.
  int64_t globalBytes = 0;
  /// In second-level memory, or expected to be, rather than in global memory.
  bool isInL2 = false;
  /// What a byte of it that moves to or from global memory counts as, in bytes:
  /// more than 1 for a tensor that should stay in local memory.
  int64_t price = 1;
  /// Somebody outside of all layers reads it (a return, an op that is not a
  /// layer): it is stored whatever happens.
  bool isReadOutside = false;
  /// The layer that makes it; -1: it comes from outside.
  LayerId producer = -1;
  /// Layers that read it, ascending, each once.
  std::vector<LayerId> readers;
  /// It shares storage with another tensor in global memory (a reshape's
  /// result): nothing moves when its producer stays global.
  bool isGlobalView = false;
};

/// A tensor that a layer reads, with one rule for each of its dimensions;
/// `resultDim` is a Dim of the layer's result.
struct LayerOperand {
  TensorId tensor = 0;
  std::array<DimRule, kNumDims> rules;
  /// Where the layer is global and in pieces: it is in pieces, too.
  bool isInPieces = false;
  /// Where the layer is global: it reads no more bytes of it, as of a table
  /// that it looks things up in.
  int64_t mostBytes = std::numeric_limits<int64_t>::max();
};

/// Scratch bytes of one lane: `tiles` tiles as large as the result, or as
/// operand 0 where that is asked for and larger, their elements `tileBits`
/// wide, and `bytes` more.
struct LayerScratch {
  int64_t tiles = 0;
  int64_t tileBits = 32;
  int64_t bytes = 0;
  bool isOfOperand = false;
};

/// One op. Only an op with one result can run from local memory.
struct Layer {
  std::string name;
  std::vector<LayerOperand> operands;
  TensorId result = 0;
  /// Results after the first one, of layers that stay global.
  std::vector<TensorId> moreResults;
  /// Whether the result may be computed in parts along each dimension.
  std::array<bool, kNumDims> isCuttable{};
  LayerScratch scratch;
  /// Multiply-adds for each element of the result.
  int64_t macsPerElement = 1;
  /// They run on the matrix units (convolution, matrix product), not on the
  /// vector units.
  bool isMatrix = false;
  /// The operand that the result may be written over, when they have the same
  /// slices; -1: none.
  int inPlaceOperand = -1;
  /// Empty: may run from local memory. Otherwise why not.
  std::string whyGlobal;
  /// Its kernel for global memory splits itself over all cores.
  bool isMulticore = false;
  /// Where it stays global: into how many pieces it may be divided, one for a
  /// core each, and along which dimension of the result. They are equally long
  /// but for the last one, which may be shorter.
  int64_t numPieces = 1;
  Dim pieceDim = N;
  /// Nothing runs when it stays global (a reshape).
  bool isFreeGlobally = false;
  /// Where it stays global its result is its operand by another name, whatever
  /// runs in between.
  bool isView = false;
  /// Exists within a group alone; see LineBuffers.h.
  bool isLineBuffer = false;

  bool isLocal() const { return whyGlobal.empty(); }
};

/// Layers in an order in which they may run.
struct LayerGraph {
  std::vector<Tensor> tensors;
  std::vector<Layer> layers;

  TensorId addTensor(Tensor tensor);
  /// Sets the producer of the result and the readers of the operands.
  LayerId addLayer(Layer layer);
};

/// What a layer in global memory reads of a tensor.
struct GlobalRead {
  TensorId tensor = 0;
  int64_t bytes = 0;
  bool isInPieces = false;
};

/// Of each tensor once, in the order of operands. O(operands^2).
std::vector<GlobalRead> globalReads(const LayerGraph &graph,
                                    const Layer &layer);

/// No layer is divided whose pieces would all read the same tensor.
/// O(operands).
void readEachOperandOnce(LayerGraph &graph);

} // namespace tpu_mlir::layer

#endif // TPU_MLIR_LAYERPLANNING_LAYERGRAPH_H

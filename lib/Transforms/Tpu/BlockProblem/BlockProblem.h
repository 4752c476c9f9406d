//===- BlockProblem.h - The ops of a block as a problem of order *- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_BLOCKPROBLEM_BLOCKPROBLEM_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_BLOCKPROBLEM_BLOCKPROBLEM_H

#include "tpu_mlir/Analysis/Tensor/BuildProblem.h"
#include "tpu_mlir/Ordering/OrderProblem.h"

namespace tpu_mlir::reorder {

/// The problem, and what its numbers stand for.
struct BlockProblem {
  ordering::OrderProblem problem;
  /// By number, in the order of the text: ops of the block that run.
  std::vector<mlir::Operation *> ops;
};

/// What tensors are while a function runs.
struct TensorRules {
  /// Sizes are rounded up to a multiple of it.
  int64_t alignment = 1;
  /// Inputs of the network die after their last reader.
  bool inReuse = false;
  /// Ops with the attribute `in_place` may write over an operand.
  bool inPlace = false;
  /// Storage classes that are in no memory that an order could make smaller, by
  /// number; those beyond the end are in it.
  std::vector<bool> isElsewhere;
};

/// By storage class: which ones `global` has in regions of their own, where
/// inputs and outputs are and what crosses functions.
std::vector<bool> outsideNeurons(const GlobalProblem &global);

/// Of the block of `function`: storage classes are tensors, those that live
/// longer than the block are alive from its start, or to its end. `facts` are
/// those without updates that `rules` leaves to the order. O(ops * uses).
BlockProblem makeBlockProblem(mlir::func::FuncOp function,
                              const GlobalFacts &facts,
                              const TensorRules &rules);

/// Whether layer groups that run transfers for each other follow each other, as
/// they do in the text. O(ops).
bool keepsNeighbours(const BlockProblem &block, const ordering::Order &order);

/// Moves the ops. Inputs go first; what else runs no step (weights, scratch)
/// goes before what needs it first. Both keep their order. O(ops of the block).
void applyOrder(const BlockProblem &block, const ordering::Order &order);

} // namespace tpu_mlir::reorder

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_BLOCKPROBLEM_BLOCKPROBLEM_H

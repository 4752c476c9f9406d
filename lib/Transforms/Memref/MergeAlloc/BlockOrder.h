//===- BlockOrder.h - Ops on memrefs as a problem of order ------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_BLOCKORDER_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_BLOCKORDER_H

#include "tpu_mlir/Ordering/OrderProblem.h"
#include "tpu_mlir/Transforms/MergeAlloc.h"

namespace tpu_mlir::merging {

/// The problem, and what its numbers stand for.
struct BlockOrder {
  ordering::OrderProblem problem;
  /// By number, in the order of the text. What has no effect, as views and
  /// constants, and memref.alloc are not among them: they go with what needs
  /// them.
  std::vector<mlir::Operation *> ops;
};

/// Of the ops of a block, the only one of its region, that has a terminator;
/// `buffers` are the tensors. An op comes after what makes its operands; after
/// what wrote what it reads or writes, and after what read what it writes, by
/// whatever name. Arguments and globals are all the same memory, an allocation
/// is none but its own. An op whose effects are not known, that has effects on
/// something other than memrefs of which `flow` knows where they come from,
/// that may not end, or that may still be at work when it is done, keeps its
/// place among all ops. An op with regions is one op, with the effects of all
/// that is inside. O(ops + uses + names of what is handed on).
BlockOrder makeBlockOrder(mlir::Block &block,
                          llvm::ArrayRef<TickBuffer> buffers,
                          const mlir::BufferViewFlowAnalysis &flow,
                          bool inPlace);

/// Moves the ops; each memref.dealloc stands as early as it may. O(ops log ops
/// + uses).
void applyOrder(const BlockOrder &block, const ordering::Order &order);

} // namespace tpu_mlir::merging

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_BLOCKORDER_H

//===- Merges.h - Concats that need not copy --------------------*- C++ -*-===//

#ifndef TPU_MLIR_ANALYSIS_TENSOR_MERGES_H
#define TPU_MLIR_ANALYSIS_TENSOR_MERGES_H

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuLayerOps.h"

namespace tpu_mlir {

/// Whether a `tpu.Concat` that is not marked `only_merge` may be: it clamps and
/// scales nothing, ops of its block write every piece, and each is one run of
/// the result. What that takes of memory is another question. O(operands).
bool mayBeMerged(tpu::ConcatOp op);

/// Where the pieces are in the result of `op`, were it merged; none where it
/// clamps or scales, or a piece is not one run of the result. O(operands).
llvm::SmallVector<InPlaceEdge> edgesIfMerged(tpu::ConcatOp op);

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_TENSOR_MERGES_H

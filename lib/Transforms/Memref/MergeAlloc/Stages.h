//===- Stages.h - The four stages, one after the other ----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_STAGES_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_STAGES_H

#include "tpu_mlir/Transforms/MergeAlloc.h"

namespace tpu_mlir::merging {

/// Merges the buffers of those scopes that `wants` names. All stages are
/// filled in. Fails where a stage fails.
mlir::LogicalResult
mergeScopes(mlir::Operation *function, const MergeAllocationOptions &options,
            llvm::function_ref<bool(mlir::Block *scope)> wants);

/// Puts the ops of a function that is one block into an order in which merged
/// buffers have fewer bytes: fewer in all, and in no scope and memory space
/// more; else everything stays. Ops change places where memory and values allow
/// it (BlockOrder.h). All stages are filled in. O(ops * ready ops) and a search
/// with a limit.
void reorderOps(mlir::Operation *function,
                const MergeAllocationOptions &options);

/// Says of an allocation, or of what frees it, that both are complete:
/// bufferization.manual_deallocation.
void markAsFreedByHand(mlir::Operation *op);

/// Moves what the threads of scf.forall and scf.parallel loops allocate out of
/// these loops, inner loops first: one allocation for all threads, a slice for
/// each, whose size is a multiple of the alignment. A loop whose number of
/// threads is not known keeps its own allocation. O(ops * nested loops).
///
///     scf.forall (%t) in (4) {              %all = alloc 4 * 128 bytes
///       %b = alloc 100 bytes                scf.forall (%t) in (4) {
///                                 ->          %b = view %all[%t * 128]
mlir::LogicalResult hoistThreadBuffers(mlir::Operation *function,
                                       const MergeAllocationOptions &options);

} // namespace tpu_mlir::merging

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_STAGES_H

//===- DeadAllocs.h - Allocations that nobody accesses ----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_DEADALLOCS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_DEADALLOCS_H

#include "tpu_mlir/Transforms/MergeAlloc.h"

namespace tpu_mlir::merging {

/// Removes every memref.alloc of static size, in a memory space that the
/// options name, that is only viewed and freed, together with the views and
/// deallocs. O(uses).
void removeDeadAllocs(mlir::Operation *function,
                      const MergeAllocationOptions &options);

} // namespace tpu_mlir::merging

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_DEADALLOCS_H

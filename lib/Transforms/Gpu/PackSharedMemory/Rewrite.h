//===- Rewrite.h - One buffer of bytes, and views of it ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_REWRITE_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_REWRITE_H

#include "lib/Transforms/Gpu/PackSharedMemory/PlanShared.h"

namespace tpu_mlir::shared_memory {

/// Replaces the packable buffers by views of one attribution, or of one
/// memref.alloc at the start of the kernel when none of them is an attribution,
/// and inserts the barriers. The attribution comes after those that stay, and
/// in a gpu.func says how it is aligned. O(ops).
void applyPlan(const SharedBuffers &buffers, const SharedPlan &plan);

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_REWRITE_H

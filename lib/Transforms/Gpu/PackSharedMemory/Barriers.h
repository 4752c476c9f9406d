//===- Barriers.h - Where threads have to wait for each other ---*- C++ -*-===//
//
// Data flow over the nodes of a kernel: which buffers have been accessed, by
// this thread or by others, since all of them met at the last barrier. A node
// that accesses a buffer is a hazard when one that shares bytes with it is
// among those, or an earlier instance of itself, made by an earlier run of its
// alloc.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_BARRIERS_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_BARRIERS_H

#include "lib/Transforms/Gpu/PackSharedMemory/SharedBuffers.h"

#include "llvm/ADT/BitVector.h"

namespace tpu_mlir::shared_memory {

/// Of each buffer, which others have bytes in common with it.
using SharingBuffers = std::vector<llvm::BitVector>;

/// Barriers that are needed on top of those that are there, as the nodes to put
/// them in front of, ascending. In straight-line code they are the fewest: each
/// is as late as the first hazard that is left allows, and so serves as many
/// others as possible. A barrier is put in front of a loop rather than into it
/// where that is enough; none is left that could be done without.
/// O(barriers * nodes * buffers / 64) for kernels without deeply nested loops.
std::vector<int64_t> placeBarriers(const SharedBuffers &buffers,
                                   const SharingBuffers &sharing);

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_BARRIERS_H

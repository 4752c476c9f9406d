//===- SharedBuffers.h - The workgroup memory of one kernel -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_SHAREDBUFFERS_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_SHAREDBUFFERS_H

#include "lib/Transforms/Gpu/PackSharedMemory/KernelGraph.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"

#include <string>

namespace tpu_mlir::shared_memory {

struct SharedBuffer {
  /// An attribution of the kernel, or what an alloc in it makes.
  mlir::Value memref;
  int64_t sizeBytes = 0;
  int64_t alignment = 1;
  /// Not empty: why it stays as it is.
  std::string stays;
  mlir::Operation *blame = nullptr;
  std::vector<mlir::memref::DeallocOp> deallocs;
  /// Ticks at which its bytes matter to some thread: sorted, disjoint; [0,1)
  /// when nobody accesses it.
  std::vector<Interval> life;
  /// Graph nodes at which a thread may access it, ascending. A copy that is
  /// under way is an access by all nodes up to the one that waits for it.
  std::vector<int64_t> accessNodes;
};

/// All of one kernel, and what is known about its control flow.
class SharedBuffers {
public:
  /// O(ops + uses log uses), plus O(ops) for each buffer that is copied to
  /// asynchronously.
  SharedBuffers(mlir::Operation *kernel, const CallSummaries &calls,
                int64_t alignment);

  mlir::Operation *kernel() const { return kernelOp; }
  /// Those that can be packed, in the order of attributions and the text.
  const std::vector<SharedBuffer> &packable() const { return buffers; }
  /// Those that stay.
  const std::vector<SharedBuffer> &staying() const { return stays; }
  mlir::Attribute space() const { return memorySpace; }
  /// Without one, all lives are the whole kernel.
  const KernelGraph *graph() const { return graphOf.get(); }
  const OpTicks &time() const { return *ticks; }

private:
  void collect(int64_t alignment);
  void examineType(SharedBuffer &buffer, int64_t alignment);
  void analyse();
  void findLife(SharedBuffer &buffer, const MemrefUses &uses);
  void widenOverDivergence(SharedBuffer &buffer);
  void followCopies(SharedBuffer &buffer,
                    llvm::ArrayRef<mlir::Operation *> copies);

  mlir::Operation *kernelOp;
  const CallSummaries &calls;
  mlir::Attribute memorySpace;
  std::vector<SharedBuffer> buffers;
  std::vector<SharedBuffer> stays;
  std::unique_ptr<OpTicks> ticks;
  std::unique_ptr<Uniformity> uniformity;
  std::unique_ptr<KernelGraph> graphOf;
  std::vector<Interval> divergentRanges;
};

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_SHAREDBUFFERS_H

//===- PlanShared.h - An offset for every buffer of a kernel ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_PLANSHARED_H
#define TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_PLANSHARED_H

#include "lib/Transforms/Gpu/PackSharedMemory/SharedBuffers.h"

#include <optional>

namespace tpu_mlir::shared_memory {

struct SharedPlan {
  std::vector<int64_t> offsets; ///< One a buffer.
  int64_t totalBytes = 0;
  int64_t lowerBoundBytes = 0;
  int64_t alignment = 1;
  /// As of placeBarriers().
  std::vector<int64_t> barriers;
};

struct SharedPlanOptions {
  std::string strategy = "auto";
  /// Bytes that the kernel has in all, buffers that stay included.
  std::optional<int64_t> capacityBytes;
};

/// Places the packable buffers. Among plans of the lowest size found, sharing
/// that costs a barrier but saves nothing is undone. Emits E001 and fails when
/// the capacity is exceeded.
mlir::FailureOr<SharedPlan> planShared(const SharedBuffers &buffers,
                                       const SharedPlanOptions &options);

/// Bytes of all buffers without packing, each rounded up to its alignment; the
/// largest int64_t when that is more.
int64_t separateBytes(const std::vector<SharedBuffer> &buffers);

} // namespace tpu_mlir::shared_memory

#endif // TPU_MLIR_LIB_TRANSFORMS_GPU_PACKSHAREDMEMORY_PLANSHARED_H

//===- Options.h - What the options of merge-alloc mean ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MERGEALLOC_OPTIONS_H
#define TPU_MLIR_LIB_TRANSFORMS_MERGEALLOC_OPTIONS_H

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include <optional>

namespace tpu_mlir {

/// Emits E016 or E018 at `function` for a value that makes no sense.
mlir::LogicalResult checkOptions(mlir::Operation *function,
                                 const MergeAllocationOptions &options);

/// The registry name of the planner. The options have been checked.
std::string strategyOf(const MergeAllocationOptions &options);

/// Bytes that the memory space has, if it has a limit. The options have been
/// checked.
std::optional<int64_t> capacityOf(const MergeAllocationOptions &options,
                                  llvm::StringRef space);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_MERGEALLOC_OPTIONS_H

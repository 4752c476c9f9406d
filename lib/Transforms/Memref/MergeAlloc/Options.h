//===- Options.h - What the options of merge-alloc mean ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_OPTIONS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_OPTIONS_H

#include "tpu_mlir/Transforms/MergeAlloc.h"

#include <optional>

namespace tpu_mlir::merging {

/// The items between the commas of an option, trimmed. Commas in brackets of
/// any kind and in strings are part of their item. Empty text has no items.
llvm::SmallVector<std::string> splitItems(llvm::StringRef text);

/// Emits E016 or E018, once and at no place of the module, for a value that
/// makes no sense. Memory spaces get the names that spaceName() gives, however
/// they are spelled. What dialects have to say about their attributes is asked
/// for, so these may be loaded: not for use while passes run.
mlir::LogicalResult resolveOptions(mlir::MLIRContext *context,
                                   MergeAllocationOptions &options);

/// The registry name of the planner. The options have been resolved.
std::string strategyOf(const MergeAllocationOptions &options);

/// Bytes that the memory space has, if it has a limit. The options have been
/// resolved.
std::optional<int64_t> capacityOf(const MergeAllocationOptions &options,
                                  llvm::StringRef space);

} // namespace tpu_mlir::merging

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_MERGEALLOC_OPTIONS_H

//===- Joins.h - Allocs that may begin at the same byte ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_JOINS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_JOINS_H

#include "lib/Transforms/Memref/AssignPools/FunctionFacts.h"

namespace tpu_mlir::pools {

/// Groups of `allocs`, by index, largest first, that may share bytes although
/// lives of them meet: an elementwise op reads the one, which dies, and writes
/// the other; or they are allocated in branches that exclude each other. `uses`
/// has one entry an alloc. O(uses), and what Joiner takes.
std::vector<std::vector<int64_t>>
findJoins(llvm::ArrayRef<PoolAlloc> allocs,
          llvm::ArrayRef<const MemrefUses *> uses, const OpTicks &ticks);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_JOINS_H

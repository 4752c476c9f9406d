//===- ThreadPools.h - A plan into the functions of a module ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_THREADPOOLS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_THREADPOOLS_H

#include "lib/Transforms/Memref/AssignPools/PoolProblem.h"

namespace tpu_mlir::pools {

constexpr llvm::StringLiteral kPool = "tpu.pool";
constexpr llvm::StringLiteral kOffset = "tpu.offset";
constexpr llvm::StringLiteral kPoolAlignment = "tpu.pool_alignment";
constexpr llvm::StringLiteral kPoolArguments = "tpu.pool_arguments";
constexpr llvm::StringLiteral kPoolSizes = "module.pool_sizes";

/// Gives every function the pools that it and those it calls need, and turns
/// allocs and constants into views of them. Never fails: all that could go
/// wrong has been looked at.
void threadPools(mlir::ModuleOp module, const CallTree &tree,
                 const PoolProblem &global, const planning::Plan &plan);

/// The alignment that everything in a pool asks of its first byte.
int64_t poolAlignment(const PoolProblem &global, const planning::Plan &plan,
                      planning::PoolId pool);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_THREADPOOLS_H

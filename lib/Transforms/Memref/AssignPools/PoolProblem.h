//===- PoolProblem.h - The planning problem of a module ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLPROBLEM_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLPROBLEM_H

#include "lib/Transforms/Memref/AssignPools/Constants.h"
#include "lib/Transforms/Memref/AssignPools/FunctionFacts.h"
#include "lib/Transforms/Memref/AssignPools/TimeAxis.h"
#include "tpu_mlir/Planning/Strategy.h"

namespace tpu_mlir::pools {

/// The attribute of an alloc that names the pools it may be in, best first.
constexpr llvm::StringLiteral kCandidatePools = "candidate_pools";

/// The pools of a module.
struct ModulePools {
  std::vector<planning::Pool> pools;
  /// The pool that the module has itself; it is no user's.
  std::optional<planning::PoolId> internal;
  /// In order.
  std::vector<planning::PoolId> writable;
  std::vector<planning::PoolId> readOnly;
};

/// Adds the internal pool where `pools` has none to write. Pools without an
/// alignment get this one.
ModulePools makePools(std::vector<planning::Pool> pools, int64_t alignment);

/// Which pools an alloc may be in. Emits E005 and fails when its attribute is
/// no array of names of pools to write that all who access it can reach, or
/// when there is no such pool.
mlir::FailureOr<std::vector<planning::PoolId>>
candidatesOf(const PoolAlloc &planned, const ModulePools &pools);

/// The problem and what its buffers stand for.
struct PoolProblem {
  planning::Problem problem;
  ModulePools pools;
  /// The first buffers, in the order of the functions in the text.
  std::vector<const PoolAlloc *> allocs;
  /// The buffers after them.
  std::vector<ConstantBytes> constants;
  /// Buffers that may share bytes although their lives meet, with the same
  /// candidates, largest first.
  std::vector<std::vector<planning::BufferId>> joins;
};

/// The problem with each of `joins` in the place of its first buffer.
planning::Problem withJoins(const PoolProblem &global);

/// How often each function runs, when each entry runs once.
llvm::DenseMap<mlir::Operation *, int64_t> countRuns(const CallTree &tree,
                                                     const AllFacts &facts);

/// Emits E005 (candidates) and fails.
mlir::FailureOr<PoolProblem> buildPoolProblem(mlir::ModuleOp module,
                                              const CallTree &tree,
                                              const AllFacts &facts,
                                              ModulePools pools,
                                              int64_t maxTicks, bool remarks);

/// Of a buffer or constant of the problem.
mlir::Location locationOf(const PoolProblem &global, planning::BufferId id);

/// "the module does not fit: pool 'sram' needs ..., has ..., over by ..." with
/// notes on what is alive, and on sizes that would do.
void emitDoesNotFit(mlir::ModuleOp module, const PoolProblem &global,
                    const planning::Infeasible &infeasible,
                    const planning::SolveOptions &options);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_POOLPROBLEM_H

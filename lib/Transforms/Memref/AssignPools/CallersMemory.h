//===- CallersMemory.h - What the caller of an entry hands over -*- C++ -*-===//
//
// The memref arguments of entries are the inputs and outputs of a program. They
// are the caller's, who needs their sizes; or, on request, buffers of the pools
// like any other:
//
//     func @main(%x)          func @main()
//       use %x           =>     %x = alloc {callers_use = 1}
//                               use %x
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLERSMEMORY_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLERSMEMORY_H

#include "lib/Transforms/Memref/AssignPools/PoolProblem.h"

namespace tpu_mlir::pools {

/// Arguments that become buffers of pools: memrefs of static size and identity
/// layout that no function keeps, of entries that are called from outside only.
class PooledArguments {
public:
  /// Puts an alloc in the place of each of them. O(arguments + calls).
  PooledArguments(const CallTree &tree, const AllFacts &facts);
  /// What is not in `global` is an argument again.
  void keepPlanned(const PoolProblem &global);
  bool contains(mlir::BlockArgument argument) const;
  /// All are arguments again: the module is as it was.
  void undo();
  /// Takes the arguments off the functions; their allocs are gone by now.
  void finish();

private:
  struct One {
    mlir::func::FuncOp function;
    unsigned index = 0;
    mlir::memref::AllocOp alloc;
  };
  std::vector<One> all;
};

/// The problem with the arguments of entries as inputs and outputs, in a pool
/// that is the caller's, and its plan: `plan` is one of `global.problem`. An
/// argument that is written, or may be, is an output; those of `pooled`, which
/// may be null, are buffers of `global` already.
struct PoolRecord {
  planning::Problem problem;
  planning::Plan plan;
};
PoolRecord recordPools(const CallTree &tree, const AllFacts &facts,
                       const PooledArguments *pooled, const PoolProblem &global,
                       const planning::Plan &plan);

/// What an argument of an entry is called: the name of its location, else
/// "arg0"; with the function where there are several entries.
std::string argumentName(const CallTree &tree, mlir::BlockArgument argument);

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLERSMEMORY_H

//===- KeptArguments.h - Memrefs that a function does not give back -------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_KEPTARGUMENTS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_KEPTARGUMENTS_H

#include "lib/Transforms/Memref/AssignPools/CallTree.h"
#include "tpu_mlir/Analysis/Memref/Aliases.h"
#include "tpu_mlir/Analysis/Memref/Calls.h"

namespace tpu_mlir::pools {

/// Which arguments functions free, store, or hand on to who may keep them. To
/// be returned is not meant: the caller sees that.
class KeptArguments {
public:
  /// Circles of calls are followed, too; calls of function values free what
  /// some function below `root` that they may lead to frees. O(uses of all
  /// names of arguments).
  KeptArguments(const CallTree &tree, mlir::Operation *root);

  /// Why nobody knows what becomes of the operands of `call` that are in
  /// `names`; nullopt: when it is done, it is done with them. Of functions
  /// without a body it is believed.
  std::optional<Stay> ofCall(mlir::CallOpInterface call,
                             llvm::ArrayRef<mlir::Value> names) const;

private:
  using Argument = std::pair<mlir::Operation *, unsigned>;
  void scan(const TreeNode &node);
  void spread();

  const CallTree &tree;
  FreeingCalls freeing;
  llvm::DenseMap<Argument, Stay> kept;
  /// Who passes an argument of its own on as this one.
  llvm::DenseMap<Argument, llvm::SmallVector<Argument, 2>> passedOnBy;
};

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_KEPTARGUMENTS_H

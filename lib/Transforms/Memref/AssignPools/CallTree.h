//===- CallTree.h - Which functions can be planned together -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLTREE_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLTREE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/MapVector.h"

#include <optional>
#include <string>

namespace tpu_mlir::pools {

/// Why what a function allocates stays: the end of "buffer stays: ...".
struct Barrier {
  std::string why;
  /// The op to blame.
  mlir::Operation *op = nullptr;
};

/// One function that has a body.
struct TreeNode {
  mlir::func::FuncOp function;
  /// Calls of functions that have a body, in the order of the text.
  std::vector<mlir::func::CallOp> calls;
  /// nullopt: at any time it runs at most once, and all who call it directly
  /// are known.
  std::optional<Barrier> barrier;
  /// It can be called from outside, or nobody calls it.
  bool isEntry = false;
};

/// Nobody knows when, or how often at once, its regions run, or they cannot be
/// reached from outside.
bool isApart(mlir::Operation *op);

/// The functions of one module and who calls whom.
class CallTree {
public:
  /// Symbols are looked for in all of `root`, which holds `module`. O(ops +
  /// calls).
  CallTree(mlir::ModuleOp module, mlir::Operation *root);

  /// In the order of the text.
  const llvm::MapVector<mlir::Operation *, TreeNode> &nodes() const {
    return nodeOf;
  }
  const TreeNode &node(mlir::Operation *function) const {
    return nodeOf.find(function)->second;
  }
  /// The callee, if it has a body here.
  mlir::func::FuncOp callee(mlir::func::CallOp call) const {
    return calleeOf.lookup(call);
  }
  /// Functions without a barrier, each after all that it calls.
  const std::vector<mlir::func::FuncOp> &calleesFirst() const { return order; }

private:
  void collectCalls(mlir::ModuleOp module);
  void findAddressTaken(mlir::Operation *root);
  void findParallelCalls();
  void findRecursion();
  void spreadBarriers();
  void sortCalleesFirst();
  void bar(mlir::Operation *function, std::string why, mlir::Operation *op);

  llvm::MapVector<mlir::Operation *, TreeNode> nodeOf;
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> calleeOf;
  std::vector<mlir::func::FuncOp> order;
};

} // namespace tpu_mlir::pools

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_ASSIGNPOOLS_CALLTREE_H

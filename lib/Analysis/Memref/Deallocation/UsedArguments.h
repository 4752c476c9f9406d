//===- UsedArguments.h - What functions do with what they get ---*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_USEDARGUMENTS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_USEDARGUMENTS_H

#include "lib/Analysis/Memref/Deallocation/FreshResults.h"
#include "lib/Analysis/Memref/Deallocation/Model/Names.h"

namespace tpu_mlir::verify_deallocation {

/// Whether functions access the buffers of their arguments, and whether others
/// may have these afterwards. To free is to access; to return it is not.
class UsedArguments {
public:
  /// Of the functions below `root`; others access what they get, and keep
  /// nothing of it. O(ops, and uses of all names of arguments).
  UsedArguments(mlir::Operation *root, FreshResults &fresh);

  /// By the call `op`, of its operand. What some paths do only is possible.
  /// O(operands).
  Touch of(mlir::Operation *op, mlir::Value operand) const;

private:
  struct Passed {
    mlir::BlockArgument argument;
    bool isCertain;
    /// Something in the function waits, be it for something else.
    bool waits;
  };
  void collect(mlir::Operation *function, FreshResults &fresh);
  void add(mlir::Operation *user, mlir::Value name, Passed passed,
           const Callees &callees, AsynchronousNest &asynchronous);
  static Touch asPassed(Touch touch, const Passed &passed);
  void spread();
  mlir::Operation *calleeOf(mlir::Operation *op) const;

  mutable mlir::SymbolTableCollection symbols;
  llvm::DenseSet<mlir::Operation *> functions;
  llvm::MapVector<mlir::Value, Touch> known;
  /// By argument: those that become it by a call.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Passed, 2>> passedAs;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_USEDARGUMENTS_H

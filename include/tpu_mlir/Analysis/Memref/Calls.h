//===- Calls.h - Calls that free what they are given ------------*- C++ -*-===//
//
// A function may free its argument, under whatever name, or hand it to another
// function that does. To its caller the call is then what a memref.dealloc is.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_CALLS_H
#define TPU_MLIR_ANALYSIS_MEMREF_CALLS_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir {

/// The function that a call leads to, by name or by a constant that names it;
/// null: nobody can say. What it leads to may be a declaration.
mlir::Operation *calledFunction(mlir::CallOpInterface call,
                                mlir::SymbolTableCollection &symbols);

/// Which operands the calls below one op may free, on some path. Rather too
/// many: a value counts as freed when some name that it may go by is.
///
/// Declarations free nothing: that is how external functions are called. Where
/// nobody can say which function is called, or it is not below the op, the call
/// may free everything. So on one function alone every call does: others are
/// not looked at, which may be changing at the time.
class FreeingCalls {
public:
  /// Knows of no call: each may free what it is given.
  FreeingCalls() = default;
  /// The pass has to have called registerBufferFlowModels(). O(ops).
  explicit FreeingCalls(mlir::Operation *root);

  /// Some buffer that `operand` may be is freed by the call, as far as known
  /// when the object was made; a call that was not there then may free it.
  /// O(operands).
  bool mayFree(mlir::CallOpInterface call, mlir::Value operand) const;
  /// The same of an argument of a function that is called. O(1).
  bool mayBeFreed(mlir::BlockArgument argument) const {
    return freed.contains(argument);
  }
  /// Who knows more than the names in the text has found that the function does
  /// not free its argument. O(1).
  void spare(mlir::BlockArgument argument) { freed.erase(argument); }

private:
  class Search;

  /// The function that a call leads to; null: nobody knows.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> callees;
  /// Arguments of functions that are called.
  llvm::DenseSet<mlir::Value> freed;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_CALLS_H

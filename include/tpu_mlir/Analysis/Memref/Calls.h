//===- Calls.h - What calls do with the buffers they are given --*- C++ -*-===//
//
// A function may free its argument, under whatever name, or hand it to another
// function that does. To its caller the call is then what a memref.dealloc is.
// Or it keeps the argument where it is found after the call: in a table, as an
// address, in something asynchronous that goes on.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_ANALYSIS_MEMREF_CALLS_H
#define TPU_MLIR_ANALYSIS_MEMREF_CALLS_H

#include "tpu_mlir/Analysis/Memref/Stay.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir {

/// The function that a call leads to, by name or by a constant that names it;
/// null: nobody can say. What it leads to may be a declaration.
mlir::Operation *calledFunction(mlir::CallOpInterface call,
                                mlir::SymbolTableCollection &symbols);

/// Which operands the calls below one op may free, on some path, and which they
/// may keep. Rather too many: a value counts as freed, or kept, when some name
/// that it may go by is.
///
/// Declarations free and keep nothing: that is how external functions are
/// called. Where nobody can say which function is called, or it is not below
/// the op, the call may free and keep everything. So on one function alone
/// every call does: others are not looked at, which may be changing at the
/// time.
class CallSummaries {
public:
  /// Knows of no call: each may free what it is given.
  CallSummaries() = default;
  /// The pass has to have called registerBufferFlowModels(). O(ops, and uses of
  /// all names of arguments of functions that are called).
  explicit CallSummaries(mlir::Operation *root);

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

  /// Why some function that the call leads to, maybe through others, may hold
  /// or use `operand` after the call, other than by what it returns, and which
  /// op there does. nullopt: none does. O(operands).
  std::optional<Stay> mayKeep(mlir::CallOpInterface call,
                              mlir::Value operand) const;

private:
  class Search;

  /// The function that a call leads to; null: nobody knows.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> callees;
  /// Arguments of functions that are called.
  llvm::DenseSet<mlir::Value> freed;
  llvm::DenseMap<mlir::Value, Stay> kept;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_ANALYSIS_MEMREF_CALLS_H

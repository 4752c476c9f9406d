//===- Waits.h - What goes on, and what waits for it ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WAITS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WAITS_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace tpu_mlir::verify_deallocation {

/// The op, or the outermost one around it, that goes on after control has left
/// it, until something waits for it; null: there is none.
mlir::Operation *startedBy(mlir::Operation *op);

/// Which ops wait for what was started, for this or for something else.
class Waits {
public:
  /// Of the functions below `root`. O(ops).
  explicit Waits(mlir::Operation *root);

  /// It takes a token and gives none, or says so by its name. A call of a
  /// function below the root does what the function does, or one that it calls.
  bool is(mlir::Operation *op) const;
  /// Something in the function waits.
  bool in(mlir::Operation *function) const {
    return waiting.contains(function);
  }

private:
  mlir::Operation *calleeOf(mlir::Operation *op) const;

  mutable mlir::SymbolTableCollection symbols;
  llvm::DenseSet<mlir::Operation *> functions;
  llvm::DenseSet<mlir::Operation *> waiting;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_MODEL_WAITS_H

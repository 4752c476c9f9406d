//===- FreshResults.h - Calls that hand buffers over ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_FRESHRESULTS_H
#define TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_FRESHRESULTS_H

#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

namespace tpu_mlir::verify_deallocation {

/// Which results of calls belong to the caller: those of functions below `root`
/// all of whose returns give something that was allocated for it alone, or that
/// such a function returned. Results of functions that call themselves are not
/// among them.
class FreshResults {
public:
  explicit FreshResults(mlir::Operation *root);

  /// O(1) once the function that is called is known.
  bool isFresh(mlir::OpResult result);

private:
  const llvm::BitVector &of(mlir::Operation *function);
  llvm::BitVector collect(mlir::Operation *function);

  mlir::SymbolTableCollection symbols;
  llvm::DenseSet<mlir::Operation *> functions;
  llvm::DenseMap<mlir::Operation *, llvm::BitVector> known;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_VERIFYDEALLOCATION_FRESHRESULTS_H

//===- Callers.h - Who notices a copy in the place of an argument -*- C++ -*-=//

#ifndef TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_CALLERS_H
#define TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_CALLERS_H

#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace tpu_mlir {

/// A function may return one of its arguments. When nobody writes to either
/// afterwards, a copy does as well, and then all results are the callers' to
/// free. Who calls from elsewhere is taken to know that results never are
/// arguments.
class Callers {
public:
  void add(mlir::Operation *callee, mlir::CallOpInterface call) {
    calls[callee].push_back(call);
  }
  /// `function` will be another one: what it does with results is not known.
  void setDone(mlir::Operation *function) { done.insert(function); }

  /// Nobody who calls `function` notices. What calls itself, or each other,
  /// does not unless somebody in the circle does. O(callers and what they
  /// call).
  bool mayGetCopies(mlir::Operation *function);

private:
  bool isUnnoticed(mlir::CallOpInterface call);

  llvm::MapVector<mlir::Operation *, llvm::SmallVector<mlir::CallOpInterface>>
      calls;
  llvm::DenseSet<mlir::Operation *> done;
  llvm::DenseSet<mlir::Operation *> asked;
};

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_TRANSFORMS_DEALLOCATEBUFFERS_CALLERS_H

//===- Callers.h - Who notices a copy in the place of an argument -*- C++ -*-=//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CALLERS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CALLERS_H

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "mlir/Interfaces/CallInterfaces.h"

#include <functional>

namespace tpu_mlir::deallocation {

/// A function may return one of its arguments. When nobody writes to either
/// afterwards, or looks at the form of the result, a copy does as well, and
/// then all results are the callers' to free. Who calls from elsewhere is taken
/// to know that results never are arguments.
class Callers {
public:
  /// As for Owners, what is known so far.
  Callers(std::function<const ReturnedBuffer *(mlir::OpResult)> returnedBy,
          const ModuleFacts &module)
      : returnedBy(std::move(returnedBy)), module(module) {}

  void add(mlir::Operation *callee, mlir::CallOpInterface call);
  /// Something other than a call that is known names `function`: nobody can say
  /// who calls it.
  void setNamed(mlir::Operation *function) { named.insert(function); }
  bool isCalled(mlir::Operation *function) const {
    return calls.contains(function);
  }
  /// `function` will be another one: what it does with results is not known.
  void setDone(mlir::Operation *function) { done.insert(function); }

  /// Nobody who calls `function` notices. What calls itself, or each other,
  /// does not unless somebody in the circle does. Looks once at each function
  /// that calls it, or what returns its results: O(their ops), and for each
  /// call the names that its operands may have.
  bool mayGetCopies(mlir::Operation *function);

private:
  using Calls = llvm::SmallVector<mlir::CallOpInterface>;
  bool isUnnoticed(mlir::Operation *caller, const Calls &calls);

  std::function<const ReturnedBuffer *(mlir::OpResult)> returnedBy;
  const ModuleFacts &module;
  /// By callee and caller.
  llvm::MapVector<mlir::Operation *, llvm::MapVector<mlir::Operation *, Calls>>
      calls;
  llvm::DenseSet<mlir::Operation *> done, named;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_CALLERS_H

//===- FreshResults.h - What calls give their callers -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FRESHRESULTS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FRESHRESULTS_H

#include "lib/Analysis/Memref/Deallocation/Relations.h"

#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SmallSet.h"

namespace tpu_mlir::verify_deallocation {

/// Which results of calls belong to the caller: those of functions below `root`
/// all of whose returns give something that was allocated for it alone, or that
/// such a function returned. And which are arguments of the function. Nothing
/// is known of results that go round a circle of functions.
class FreshResults {
public:
  explicit FreshResults(mlir::Operation *root);

  /// O(1) once the function that is called is known.
  bool isFresh(mlir::OpResult result);
  /// On some path it is, as far as is known; what a call gives of which nothing
  /// is known may be.
  bool mayBeFresh(mlir::OpResult result);
  /// O(operands) then.
  Returns returns(mlir::OpResult result, mlir::Value operand);

  /// Which ops wait.
  const Waits &waits() const { return waiting; }

private:
  /// Of one result.
  struct Result {
    bool isFresh = false;
    /// It may be allocated on some path, by this function or one that it calls.
    bool mayBeFresh = false;
    /// It is one of these arguments, or something that is no argument.
    bool isKnown = false;
    /// It is one of these arguments, and nothing else.
    bool isArgument = false;
    llvm::SmallSet<unsigned, 2> arguments;
  };
  using Results = std::vector<Result>;
  class Collector;

  mlir::Operation *calleeOf(mlir::OpResult result);
  const Result *find(mlir::OpResult result);

  Waits waiting;
  mlir::SymbolTableCollection symbols;
  llvm::DenseSet<mlir::Operation *> functions;
  llvm::DenseMap<mlir::Operation *, Results> known;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FRESHRESULTS_H

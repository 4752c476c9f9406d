//===- Leftovers.h - What is left to the program ----------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_LEFTOVERS_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_LEFTOVERS_H

#include "lib/Analysis/Memref/Deallocation/FunctionCheck.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/Owners.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/SetVector.h"

namespace tpu_mlir::deallocation {

/// The functions with a body below one op, and what those that are done give
/// their callers.
class KnownFunctions {
public:
  explicit KnownFunctions(mlir::Operation *root);

  /// In the order of the text.
  const llvm::SetVector<mlir::Operation *> &all() const { return functions; }
  /// The function that is called, be it a declaration; null: not known.
  mlir::Operation *called(mlir::CallOpInterface call) const;
  /// The same if it is one of these, else null.
  mlir::Operation *calleeOf(mlir::CallOpInterface call) const;
  /// The function among these that `name` means to `op`, or null.
  mlir::Operation *named(mlir::Operation *op, mlir::SymbolRefAttr name) const;
  /// What the result of a call is; null: its function is not done.
  const ReturnedBuffer *returnedBy(mlir::OpResult result) const;

  /// By result, of functions that are done.
  llvm::DenseMap<mlir::Operation *, std::vector<ReturnedBuffer>> returned;

private:
  mutable mlir::SymbolTableCollection symbols;
  llvm::SetVector<mlir::Operation *> functions;
};

/// What functions leave to the program, and the remarks on it.
class Leftovers {
public:
  explicit Leftovers(const KnownFunctions &functions) : functions(functions) {}

  /// A call of a function of which nothing was known when the caller was done.
  void addCircle(mlir::Operation *call) { inCircles.insert(call); }
  /// What functions that nothing sees return may be the caller's to free; what
  /// memref.realloc gives is. Before the function changes.
  void addUnseen(mlir::Operation *function, const Owners &owners);
  /// What is allocated and stays so. Remarks on what is known by now, once for
  /// each allocation that control can get to.
  void add(mlir::Operation *function, const FlowGraph &graph,
           const Owners &owners);
  /// When all functions below `root` are done: the remarks on all else that is
  /// not freed.
  void tell(mlir::Operation *root);

private:
  /// Of one function, once it is done.
  struct Left {
    /// Ops that make something that the program frees at times.
    std::vector<mlir::Operation *> made;
    /// What some of these make: new memory.
    std::vector<mlir::Value> isNew;
    /// Results of calls of which it is not known what they are: it may be new.
    std::vector<mlir::OpResult> unseen;
  };
  using FunctionCheck = verify_deallocation::FunctionCheck;
  using FreshResults = verify_deallocation::FreshResults;

  void findLeaving();
  bool mayBeNew(mlir::OpResult unseen, FreshResults &fresh) const;
  static llvm::DenseMap<mlir::Operation *, mlir::Operation *>
  unfreed(FunctionCheck &check, const Left &left);
  void remarkLeft(FunctionCheck check, const Left &left) const;
  void remarkUnseen(mlir::OpResult result) const;
  bool givesToCaller(mlir::Operation *call) const;
  void remarkCircles() const;

  const KnownFunctions &functions;
  llvm::MapVector<mlir::Operation *, Left> leftBy;
  /// Functions with something that is the program's to free, or may be: an
  /// allocation, or what a call gives of which nothing is known. Also those
  /// that call one.
  llvm::SetVector<mlir::Operation *> leaving;
  /// By function, those to which it gives what they do not own.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *, 2>>
      givesTo;
  llvm::SetVector<mlir::Operation *> inCircles;
};

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_LEFTOVERS_H

//===- FreedArguments.h - Functions that free what they get -----*- C++ -*-===//
//
// A function may take over a buffer: it frees its argument, under whatever
// name, or hands it to another function that does. Its caller must not free
// that buffer again, nor use it.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FREEDARGUMENTS_H
#define TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FREEDARGUMENTS_H

#include "lib/Analysis/Memref/Deallocation/FreshResults.h"
#include "lib/Analysis/Memref/Deallocation/Model/Names.h"
#include "lib/Analysis/Memref/Deallocation/UsedArguments.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace tpu_mlir::verify_deallocation {

class Worlds;

class FreedArguments {
public:
  /// Of the functions below `root`; others are taken to free nothing. O(ops),
  /// and once more for each function of which more is known by what it calls.
  FreedArguments(mlir::Operation *root, FreshResults &fresh);

  /// Whether the call frees the buffer behind an operand. O(1) once the
  /// function that is called is known.
  Frees ofCall(mlir::Operation *op, mlir::Value operand);
  /// Whether it frees the buffer that all operands are which `isIt` says, and
  /// uses it then; nullopt: no more than one argument that is used is. O(1)
  /// once that is known of these arguments.
  std::optional<SharedFate>
  ofShared(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isIt);
  /// What the call does to the buffer of an operand besides. O(operands).
  Touch usesBy(mlir::Operation *op, mlir::Value operand) const {
    return used.of(op, operand);
  }
  /// On some path, by the names in the text alone. O(operands).
  bool mayFree(mlir::Operation *op, mlir::Value operand) const;
  /// The buffer of a memref may be freed in its function.
  bool mayBeFreed(mlir::Value value) const;
  /// The function frees its argument. O(its worlds), once for all arguments.
  Frees of(mlir::BlockArgument argument);
  /// A call below the root leads to it.
  bool isCalled(mlir::Operation *function) const {
    return called.contains(function);
  }

private:
  mlir::Operation *calleeOf(mlir::Operation *op) const;
  bool update(mlir::Operation *function);
  bool callsItself(mlir::Operation *function) const;
  void explore(mlir::Operation *function,
               llvm::function_ref<void(Worlds &)> visit);
  llvm::SmallVector<Frees> collect(mlir::Operation *function);
  SharedFate collectShared(mlir::Operation *function,
                           llvm::ArrayRef<unsigned> arguments);
  void solve(mlir::Operation *function);

  FreshResults &fresh;
  UsedArguments used;
  mutable mlir::SymbolTableCollection symbols;
  llvm::SetVector<mlir::Operation *> functions;
  llvm::DenseSet<mlir::Operation *> called;
  /// By function, all whose buffers are freed on some path.
  llvm::DenseMap<mlir::Operation *, llvm::DenseSet<mlir::Value>> freed;
  /// By function, and argument.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Frees>> known;
  /// Functions that are known, in the order in which they were looked at, and
  /// those that somebody asked for while they were.
  std::vector<mlir::Operation *> solved;
  int depth = 0; ///< Functions that are being looked at.
  /// By function, and arguments that are one buffer.
  std::map<std::pair<mlir::Operation *, std::vector<unsigned>>, SharedFate>
      knownShared;
  llvm::DenseSet<mlir::Operation *> asked;
};

} // namespace tpu_mlir::verify_deallocation

#endif // TPU_MLIR_LIB_ANALYSIS_MEMREF_DEALLOCATION_FREEDARGUMENTS_H

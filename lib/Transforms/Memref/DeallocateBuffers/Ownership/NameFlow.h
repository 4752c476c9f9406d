//===- NameFlow.h - Which names of memrefs come from which ------*- C++ -*-===//
//
// The memrefs of a function as a graph: a view comes from what it shows, a phi
// from what edges hand to it, the result of a call from an operand that the
// function returns. What no name comes from stands for itself. Made once; who
// owns what is asked of it afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_NAMEFLOW_H
#define TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_NAMEFLOW_H

#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/FlowGraph.h"
#include "lib/Transforms/Memref/DeallocateBuffers/Ownership/ModuleFacts.h"

#include "llvm/ADT/DenseSet.h"

namespace tpu_mlir::deallocation {

/// What a function gives its caller in one result.
struct ReturnedBuffer {
  /// The caller has to free it, and nobody else has it.
  bool owned = false;
  /// Else, the numbers of the arguments one of which it is; empty: unknown.
  llvm::SmallVector<unsigned, 1> arguments;
};

/// What is known of the functions that calls lead to.
struct CallFacts {
  /// What the result of a call is; null: nothing is known.
  llvm::function_ref<const ReturnedBuffer *(mlir::OpResult)> returnedBy;
  const ModuleFacts &module;

  bool ownsResult(mlir::OpResult result) const;
  /// The operands of a call one of which it returns in `value`.
  llvm::SmallVector<mlir::Value, 2> returnedOperands(mlir::Value value) const;
  /// It is known of each memref it returns what that is.
  bool knowResults(mlir::Operation *op) const;
};

/// Says of an scf.if that it gives a buffer that it owns when its condition
/// holds, and a copy of one that it does not own otherwise. Nothing else in a
/// program is taken for a flag of this pass: a condition under which a buffer
/// is used in place looks the same and says nothing of who owns it.
inline constexpr llvm::StringLiteral kCopiesUnlessOwned =
    "tpu_memory.copies_unless_owned";

struct NameFlow {
  using Names = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>>;

  /// All memrefs in the order of the text.
  std::vector<mlir::Value> values;
  llvm::DenseMap<mlir::Value, int> position;
  /// Names that are other names: what they come from.
  Names incoming;
  Names outgoing;
  /// Phis that share an operand; critical together.
  Names twins;
  /// Control flow may hand them what is not known.
  llvm::DenseSet<mlir::Value> unknownPhis;
  /// Ops that make a copy of what is not owned, by a flag.
  llvm::DenseSet<mlir::Operation *> keeps;
  /// What edges hand to phis that are in `incoming`.
  llvm::DenseSet<mlir::OpOperand *> forwarded;

  bool isKept(mlir::Value value) const {
    return value.getDefiningOp() && keeps.contains(value.getDefiningOp());
  }
};

/// About O(names + what edges hand on).
NameFlow findNameFlow(mlir::Operation *function, const FlowGraph &graph,
                      const CallFacts &calls);

} // namespace tpu_mlir::deallocation

#endif // TPU_MLIR_LIB_TRANSFORMS_MEMREF_DEALLOCATEBUFFERS_OWNERSHIP_NAMEFLOW_H

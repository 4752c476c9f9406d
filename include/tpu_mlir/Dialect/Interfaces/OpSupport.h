//===- OpSupport.h - What both dialects' ops have in common -----*- C++ -*-===//
//
// Checks and interface implementations that depend on shapes and attributes
// alone, not on which dialect an op is of.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_OPSUPPORT_H
#define TPU_MLIR_DIALECT_INTERFACES_OPSUPPORT_H

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir {

/// Every address in a result type, and in an operand that no op defines, is an
/// integer of at least 0 in 63 bits. One error for the first that is not.
/// O(values).
llvm::LogicalResult verifyAddresses(mlir::Operation *op);

/// Gives the results of an op of several the names that the toolchain prints
/// (`%values, %indices`), when there are as many as it has.
void nameResults(
    mlir::Operation *op,
    llvm::function_ref<void(mlir::Value, llvm::StringRef)> setName);

/// Operand 0 and result 0 have as many elements, when both are static.
llvm::LogicalResult verifySameElementCount(mlir::Operation *op);

/// Every branch of an If yields as many values as the op has results; an empty
/// one yields nothing that is read.
llvm::LogicalResult verifyBranches(mlir::Operation *op);

/// The operands are ranked alike, agree outside of `axis` (negative: from the
/// end) and add up to result 0 along it. Dynamic dimensions agree with
/// everything; none and unranked operands are not looked at.
llvm::LogicalResult verifyConcat(mlir::Operation *op, int64_t axis);

/// Result 0 is operand 0 seen under another shape: one edge at offset 0, when
/// both take the same, known number of bytes; otherwise no edge.
llvm::SmallVector<InPlaceEdge> viewEdges(mlir::Operation *op);

/// The trait of every op of both dialects: verifyAddresses holds.
template <typename ConcreteType>
class AddressedTensors
    : public mlir::OpTrait::TraitBase<ConcreteType, AddressedTensors> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyAddresses(op);
  }
};

} // namespace tpu_mlir

#endif // TPU_MLIR_DIALECT_INTERFACES_OPSUPPORT_H

//===- TpuLocalFacts.h - Facts of whole families of Tpu ops -----*- C++ -*-===//
//
// What the classes of TpuClasses.td call in place of each op, and what their
// traits say of how kernels treat operands in local memory.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H

#include "tpu_mlir/Support/LocalFacts.h"

#include "mlir/IR/OpDefinition.h"

namespace tpu_mlir::tpu {

/// Operands follow the result element by element; they broadcast from the
/// right, where an operand of size 1 that meets a larger size is read whole.
LocalFacts elementwiseFacts(mlir::Operation *op);

/// Operand 0 follows the result and has its shape; the others are read whole.
LocalFacts tableFacts(mlir::Operation *op);

/// Operand 0 under another shape, of which the first two dimensions are as
/// before: these follow; nothing else may be cut.
LocalFacts shapeViewFacts(mlir::Operation *op);

/// The kernel reads each element of operand 0 before it writes that place of
/// the result, so that the two may share their bytes.
template <typename Op>
struct WritesOverOperand : mlir::OpTrait::TraitBase<Op, WritesOverOperand> {};

/// Weights after operand 0 are read as one stream: their channels do not begin
/// at whole execution units.
template <typename Op>
struct CompactCoefficients : mlir::OpTrait::TraitBase<Op, CompactCoefficients> {
};

/// Each element of the result is one of operand 0's: in global memory the
/// kernel reads these alone.
template <typename Op>
struct PicksElements : mlir::OpTrait::TraitBase<Op, PicksElements> {};

/// Operands after operand 0 are tables: one row that every lane gets.
template <typename Op>
struct BroadcastTables : mlir::OpTrait::TraitBase<Op, BroadcastTables> {};

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H

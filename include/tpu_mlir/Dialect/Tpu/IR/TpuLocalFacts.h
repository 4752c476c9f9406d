//===- TpuLocalFacts.h - Facts of whole families of Tpu ops -----*- C++ -*-===//
//
// What the classes of TpuClasses.td call in place of each op.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H
#define TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H

#include "tpu_mlir/Support/LocalFacts.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace tpu_mlir::tpu {

/// Operands follow the result element by element; they broadcast from the
/// right, where an operand of size 1 that meets a larger size is read whole.
LocalFacts elementwiseFacts(mlir::Operation *op);

/// Operand 0 follows the result and has its shape; the others are read whole.
LocalFacts tableFacts(mlir::Operation *op);

/// Operand 0 under another shape, of which the first two dimensions are as
/// before: these follow; nothing else may be cut.
LocalFacts shapeViewFacts(mlir::Operation *op);

} // namespace tpu_mlir::tpu

#endif // TPU_MLIR_DIALECT_TPU_IR_TPULOCALFACTS_H

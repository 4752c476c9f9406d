//===- Interfaces.h - What an op tells memory planning ----------*- C++ -*-===//

#ifndef TPU_MLIR_DIALECT_INTERFACES_INTERFACES_H
#define TPU_MLIR_DIALECT_INTERFACES_INTERFACES_H

#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Support/LocalFacts.h"

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tpu_mlir {

/// One way in which a result and an operand of an op share bytes.
struct InPlaceEdge {
  enum class Direction {
    /// The result lies inside the operand, `offsetBytes` from its start
    /// (reshape: 0; slice: the offset of its first element).
    ResultInOperand,
    /// The operand lies inside the result, `offsetBytes` from its start
    /// (concat: where the piece goes).
    OperandInResult,
  };

  unsigned operand = 0;
  unsigned result = 0;
  /// With elements one after the other; where that is on a chip that stores
  /// images in slots, if anywhere, says offsetInStorage().
  int64_t offsetBytes = 0;
  Direction direction = Direction::ResultInOperand;
  /// The backend emits no instruction for this op: the sharing has to hold.
  bool required = false;
  /// The op writes into the shared bytes, so the operand's old value is gone
  /// afterwards (insert, running statistics).
  bool overwrites = false;
};

} // namespace tpu_mlir

#include "tpu_mlir/Dialect/Interfaces/Interfaces.h.inc"

#endif // TPU_MLIR_DIALECT_INTERFACES_INTERFACES_H

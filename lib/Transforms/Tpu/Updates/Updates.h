//===- Updates.h - Ops that may write over an operand -----------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_UPDATES_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_UPDATES_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tpu_mlir::updates {

/// The ops of a module, groups as one op each, that say of themselves that they
/// may write a result over an operand once they have the attribute `in_place`.
class Updates {
public:
  /// Finds them, and takes the attribute off. O(ops).
  explicit Updates(mlir::ModuleOp module);

  bool empty() const { return ops.empty(); }
  /// All or none of them have the attribute.
  void mark(bool isOn);

private:
  std::vector<mlir::Operation *> ops;
};

} // namespace tpu_mlir::updates

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_UPDATES_H

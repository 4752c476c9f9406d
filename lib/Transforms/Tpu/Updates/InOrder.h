//===- InOrder.h - Ops whose result may begin below an operand --*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_INORDER_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_INORDER_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace tpu_mlir::updates {

/// The ops of a module, those inside of groups aside, that say of themselves
/// that their result may begin below an operand once they have the attribute
/// `in_order`.
class InOrder {
public:
  /// Takes the attribute off everywhere; finds the ops if `isPromised`, as it
  /// is for kernels that read before they write. O(ops + extents of results).
  InOrder(mlir::ModuleOp module, bool fourN, bool isPromised);

  bool empty() const { return ops.empty(); }
  /// All or none of them have the attribute.
  void mark(bool isOn);

private:
  std::vector<mlir::Operation *> ops;
};

/// Says on the module whether kernels read before they write although the chip
/// does not say so; the attribute that an earlier run gave ops goes.
void recordKernelOrder(mlir::ModuleOp module, bool isPromised);

} // namespace tpu_mlir::updates

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_INORDER_H

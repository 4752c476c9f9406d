//===- ApplyPlan.h - The only code that writes addresses --------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_APPLYPLAN_APPLYPLAN_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_APPLYPLAN_APPLYPLAN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"

namespace tpu_mlir::addressing {

/// One value at an absolute address.
struct AddressedValue {
  mlir::Value value;
  int64_t address = 0;
};

/// Writes the addresses into the types of the values, and whatever has to
/// follow: what a Group stores and yields takes the address of the Group's
/// result; function types take those of arguments and returned values. Emits
/// E010 and fails when an op of another dialect cannot live with that: it wants
/// types to be equal, and addresses make them differ. O(ops of the module).
mlir::LogicalResult applyAddresses(mlir::ModuleOp module,
                                   llvm::ArrayRef<AddressedValue> addresses);

/// Sets an i64 attribute of the module.
void setModuleInteger(mlir::ModuleOp module, llvm::StringRef name,
                      int64_t value);

} // namespace tpu_mlir::addressing

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_APPLYPLAN_APPLYPLAN_H

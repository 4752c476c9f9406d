//===- Marks.h - What ops may share bytes -----------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_MARKS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_MARKS_H

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::updates {

inline constexpr llvm::StringLiteral kInPlace = "in_place";

/// Of the ops of `module` alone, a group as one of them.
void forEachOp(mlir::ModuleOp module,
               llvm::function_ref<void(mlir::Operation *)> each);

/// The op has the unit attribute `mark`, or has it no longer.
void setMark(mlir::Operation *op, llvm::StringRef mark, bool isOn);

/// Takes `in_place` and `in_order` off ops none of whose results shares a byte
/// with an operand: there is nothing that they allow. The module has its
/// addresses. O(ops).
void dropUnusedMarks(mlir::ModuleOp module, bool fourN);

} // namespace tpu_mlir::updates

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_UPDATES_MARKS_H

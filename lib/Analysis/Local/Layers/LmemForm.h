//===- LmemForm.h - The shape an operand has in local memory ----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_LMEMFORM_H
#define TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_LMEMFORM_H

#include "tpu_mlir/Support/SliceRule.h"
#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

namespace tpu_mlir::grouping {

/// How one operand of an op lies in local memory, and how it is read there.
struct LmemForm {
  /// What the load results in. Activations keep their type. Weights that are
  /// still in the order of the front end get the layout of the chip's kernels:
  /// filters in blocks of input channels, one row for each output channel;
  /// biases with the requantisation of their channel; matrices and vectors with
  /// leading dimensions of 1.
  mlir::RankedTensorType type;
  /// One rule for each dimension of `type`; resultDim counts dimensions of
  /// result 0.
  llvm::SmallVector<DimRule> rules;
  /// Each channel begins at a whole execution unit; not so for coefficients
  /// that kernels read one after the other.
  bool isEuAligned = true;
  /// One row that every lane gets (tables).
  bool isBroadcast = false;
};

/// True when a weight op defines `value`.
bool isWeight(mlir::Value value);

/// The form of operand `index` of `op`, a ranked static tensor; `rules` are
/// what the op states for the operand's own type.
LmemForm lmemForm(mlir::Operation *op, unsigned index,
                  llvm::ArrayRef<DimRule> rules, const target::ChipSpec &chip);

} // namespace tpu_mlir::grouping

#endif // TPU_MLIR_LIB_ANALYSIS_LOCAL_LAYERS_LMEMFORM_H

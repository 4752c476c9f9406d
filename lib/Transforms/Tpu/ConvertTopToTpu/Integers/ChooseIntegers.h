//===- ChooseIntegers.h - How a module becomes integers ---------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_CHOOSEINTEGERS_H
#define TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_CHOOSEINTEGERS_H

#include "lib/Transforms/Tpu/ConvertTopToTpu/IntegerMode.h"
#include "lib/Transforms/Tpu/ConvertTopToTpu/LowerFunction.h"

#include "tpu_mlir/Target/ChipSpec.h"

#include "mlir/IR/BuiltinOps.h"

namespace tpu_mlir::lowering {

/// What INT8, F8E4M3 or F8E5M2 mean for `module` on `chip`. Emits and fails:
/// the chip has no integers here, or no floats of 8 bits (E018), the module has
/// no tensor with a range (E005; F8E5M2 needs none), or the table of floats
/// `quantizeTable` (empty: none) cannot be read or is wrong (E017).
mlir::FailureOr<IntegerMode> chooseIntegers(mlir::ModuleOp module,
                                            const target::ChipSpec &chip,
                                            mlir::StringRef modeName,
                                            const std::string &quantizeTable);
/// Whether chooseIntegers() knows a mode, in any letters.
bool isIntegerMode(mlir::StringRef modeName);

/// What a mode with packed matrices ("W4F16") means; nullopt for another mode.
/// 1 lane: no chip is given.
std::optional<IntegerMode> choosePacking(const FloatMode &floats,
                                         int64_t groupSize, bool isSymmetric,
                                         int64_t lanes);

/// What makes integers of the ops that have a rule; `mode` outlives it.
IntegerLowering integerLowering(const IntegerMode &mode);

} // namespace tpu_mlir::lowering

#endif // TPU_MLIR_LIB_TRANSFORMS_TPU_CONVERTTOPTOTPU_INTEGERS_CHOOSEINTEGERS_H

//===- Float8.h - Floats of 8 bits that have a scale ------------*- C++ -*-===//
//
// Elements are computed with as they are stored; the scales of operands and
// result are a factor, an attribute of the op.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_FLOAT8_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_FLOAT8_H

#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Execution/Elementwise.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tpu_mlir::interpreter {

/// The result is of such floats, and the op has factors under that name.
bool hasFactors(const Call &call, llvm::StringRef name);
/// What `compute` makes in f32 times the factor, or those of the channels.
execution::Outcome
runScaled(const Call &call, llvm::StringRef name,
          llvm::function_ref<execution::Outcome(const execution::TensorSpan &)>
              compute);
/// Add and Sub: each operand times its factor in `f8_scales`.
execution::Outcome runScaledSum(const Call &call, execution::Binary op);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_FLOAT8_H

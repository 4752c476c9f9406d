//===- Quantized.h - Ops on integers that stand for numbers -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_QUANTIZED_H
#define TPU_MLIR_LIB_INTERPRETER_QUANTIZED_H

#include "lib/Interpreter/Call.h"

#include "tpu_mlir/Execution/Elementwise.h"
#include "tpu_mlir/Execution/Requantize.h"

namespace tpu_mlir {

/// Integers with a scale are among operands and results.
bool isQuantized(const Call &call);
/// An error when a zero point is not 0: such arithmetic is not there.
execution::Outcome checkSymmetric(const Call &call);
/// How the sums of a convolution or a product become elements: by the op's
/// `multiplier` and `rshift`, or `multipliers` and `rshifts`. Where a compiler
/// put these among coefficients that are random numbers, numbers that keep sums
/// of `terms` products in range. nullopt in `to`: not at all, in numbers.
execution::Outcome readRequant(const Call &call, int64_t terms,
                               std::optional<execution::Requant> &to);
/// The same elements as integers that stand for themselves.
execution::TensorView raw(const execution::TensorView &view);
execution::TensorSpan raw(const execution::TensorSpan &span);

/// Add, Sub, Mul, Max, Min by `multipliers` and `rshifts` (Mul: `multiplier`
/// and `rshift`).
execution::Outcome runQuantizedBinary(const Call &call, execution::Binary op);
/// Concat whose operands have scales of their own.
execution::Outcome runQuantizedConcat(const Call &call);
/// tpu.MulShift.
execution::Outcome runMulShift(const Call &call);

} // namespace tpu_mlir

#endif // TPU_MLIR_LIB_INTERPRETER_QUANTIZED_H

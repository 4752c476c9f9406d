//===- Quantized.h - Ops on integers that stand for numbers -----*- C++ -*-===//

#ifndef TPU_MLIR_LIB_INTERPRETER_KERNELS_QUANTIZED_H
#define TPU_MLIR_LIB_INTERPRETER_KERNELS_QUANTIZED_H

#include "lib/Interpreter/Kernels/Call.h"

#include "tpu_mlir/Execution/Elementwise.h"
#include "tpu_mlir/Execution/Requantize.h"

namespace tpu_mlir::interpreter {

/// Integers with a scale are among operands and results.
bool isQuantized(const Call &call);
/// How numbers become integers, by the op's `round_mode`; where it has none,
/// halves of convolutions go up, as the op says, others away from zero.
execution::Outcome readRounding(const Call &call, execution::Rounding &to);
/// How the sums of a convolution or a product become elements: by the op's
/// `multiplier` and `rshift`, or `multipliers` and `rshifts`. Where a compiler
/// put these among coefficients that are random numbers, numbers that keep sums
/// of `terms` products in range. The offset is the result's zero point. nullopt
/// in `to`: not at all, in numbers.
execution::Outcome readRequant(const Call &call, int64_t terms,
                               std::optional<execution::Requant> &to);
/// The same elements as integers that stand for themselves.
execution::TensorView raw(const execution::TensorView &view);
execution::TensorSpan raw(const execution::TensorSpan &span);

/// What `is_reverse` does.
execution::Outcome
reverseOperands(const Call &call,
                llvm::SmallVector<execution::TensorView> &operands);
/// Add, Sub, Mul, Max, Min by `multipliers` and `rshifts` (Mul: `multiplier`
/// and `rshift`).
execution::Outcome runQuantizedBinary(const Call &call, execution::Binary op);
/// Concat whose operands have scales of their own.
execution::Outcome runQuantizedConcat(const Call &call);
/// Those below zero times `multiplier` and `rshift`, others as they are; or
/// with `multiplier_neg` and `rshift_neg` these for the former, those for the
/// latter.
execution::Outcome runQuantizedLeakyRelu(const Call &call);
/// tpu.Scale with shifts to the left as operand 3: (x * factor + bias) of a
/// channel.
execution::Outcome runQuantizedScale(const Call &call);
/// tpu.MulShift, tpu.RequantInt.
execution::Outcome runMulShift(const Call &call);
/// tpu.RequantIntAxis: each channel by numbers of its own, which are an
/// operand.
execution::Outcome runRequantAxis(const Call &call);
/// tpu.RequantFp: round(x * scale + offset).
execution::Outcome runRequantFp(const Call &call);
/// tpu.DequantInt: (q - zero point) * multiplier * 2^lshift / 2^shift.
execution::Outcome runDequantInt(const Call &call);
/// A weight whose op says that a byte holds two of its numbers, as that type;
/// other ones as they are.
execution::TensorView unpacked(const Call &call,
                               const execution::TensorView &weight);

} // namespace tpu_mlir::interpreter

#endif // TPU_MLIR_LIB_INTERPRETER_KERNELS_QUANTIZED_H

//===- Elementwise.h - An element from the elements at its place *- C++ -*-===//
//
// Computed in f32 and rounded once, to the type of the result. Shapes spread as
// in numpy: dimensions are compared from the end, and one that is 1 or missing
// is repeated. Errors: shapes that do not fit each other or the result.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_ELEMENTWISE_H
#define TPU_MLIR_EXECUTION_ELEMENTWISE_H

#include "tpu_mlir/Execution/MatMul.h"
#include "tpu_mlir/Execution/Requantize.h"

namespace tpu_mlir::execution {

enum class Binary {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  Modulo,    ///< a - b * (a / b cut towards zero): the sign of a
  Remainder, ///< a - b * floor(a / b): the sign of b
  Power,     ///< a^b; of integers cut towards zero and saturated
};

/// relu(.. (a op b) op c ..), from the first operand to the last. Where all
/// types are integers it is computed in them, exactly, saturated at 64 bits and
/// then at those of the result; a quotient is cut towards zero, and one by
/// zero, or what is left of it, an error. Max and Min of a NaN and a number are
/// the NaN.
Outcome combine(Binary op, llvm::ArrayRef<TensorView> operands,
                const FusedRelu &relu, const TensorSpan &result);
/// The same with a number on the right (`reversed`: on the left), in f32.
Outcome combineConst(Binary op, const TensorView &input, double number,
                     bool reversed, const FusedRelu &relu,
                     const TensorSpan &result);

/// Functions of one number; sigmoid(x) = 1 / (1 + exp(-x)).
enum class Function {
  Abs,
  Arccos,
  Arccosh,
  Arcsin,
  Arcsinh,
  Arctan,
  Arctanh,
  Ceil,
  Cos,
  Cosh,
  Elu, ///< x < 0 ? a * (exp(x) - 1) : x; a is coefficient 0
  Erf,
  Exp,
  Floor,
  Gelu,        ///< x / 2 * (1 + erf(x / sqrt(2)))
  GeluTanh,    ///< x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
  GeluSigmoid, ///< x * sigmoid(1.702 x)
  HardSigmoid, ///< min(max(a * x + b, 0), 1); b, a are coefficients 0 and 1
  HardSwish,   ///< x * min(max(x / 6 + 1 / 2, 0), 1)
  IsFinite,    ///< 1 or 0
  Log,
  Log1p, ///< log(1 + x)
  Log2,
  LogSigmoid, ///< log(sigmoid(x))
  Mish,       ///< x * tanh(log(1 + exp(x)))
  Negate,
  Power,   ///< x^a; a is coefficient 0
  PowerOf, ///< a^x
  Reciprocal,
  Relu6, ///< min(max(x, 0), 6)
  Round, ///< to the nearest, ties to even
  Rsqrt,
  Sigmoid,
  Sign,
  Silu, ///< x * sigmoid(x)
  Sin,
  Sinh,
  Softplus, ///< log(1 + exp(x)), x itself above 20
  Softsign, ///< x / (1 + |x|)
  Sqrt,
  Square,
  Swish, ///< x * sigmoid(a x)
  Tan,
  Tanh,
};

/// Errors: as many coefficients as the function asks for.
Outcome apply(Function function, llvm::ArrayRef<double> coefficients,
              const TensorView &input, const FusedRelu &relu,
              const TensorSpan &result);

/// min(max(x, least), most).
Outcome clip(const TensorView &input, double least, double most,
             const TensorSpan &result);
/// x < 0 ? slope * x : x. A slope of one number, or of one for each channel of
/// dimension 1, in whatever shape.
Outcome leakyRelu(const TensorView &input, double slope,
                  const TensorSpan &result);
Outcome prelu(const TensorView &input, const TensorView &slope,
              const TensorSpan &result);

/// Which elements of the last dimension are a pair: 2i and 2i + 1, or i and i
/// plus half of them.
enum class Pairing { Neighbours, Halves };
/// Rotary position embedding: of a pair (a, b) in the last dimension, which is
/// even, a * cos - b * sin and b * cos + a * sin, each with the sine and the
/// cosine of its own place. These spread over the input.
Outcome rotate(const TensorView &input, const TensorView &sine,
               const TensorView &cosine, Pairing pairing,
               const TensorSpan &result);

/// The same number in another type. An integer with a scale or a zero point is
/// (q - zeroPoint) * scale; a number becomes x / scale, rounded, + zeroPoint,
/// saturated. Integers without scales exactly, saturated.
Outcome convert(const TensorView &input, const TensorSpan &result,
                Rounding rounding = Rounding::HalfAwayFromZero);

/// result = table[q mod 256] for elements q of 8 bits; the table has 256
/// elements of the result's type.
Outcome lookUp(const TensorView &input, const TensorView &table,
               const TensorSpan &result);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_ELEMENTWISE_H

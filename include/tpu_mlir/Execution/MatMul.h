//===- MatMul.h - Products of matrices --------------------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_MATMUL_H
#define TPU_MLIR_EXECUTION_MATMUL_H

#include "tpu_mlir/Execution/Requantize.h"

namespace tpu_mlir::execution {

/// What a product or a convolution does to a sum before it is rounded to the
/// type of the result: nothing, or max(x, 0), or with a limit of at least 0
/// min(max(x, 0), limit).
struct FusedRelu {
  bool isOn = false;
  double limit = -1;
};

struct MatMul {
  /// The last two dimensions of that tensor are exchanged.
  bool leftTranspose = false, rightTranspose = false, outputTranspose = false;
  /// The dimension before the last two is the row's: [.., rows, heads, depth]
  /// instead of [.., heads, rows, depth], of all three tensors.
  bool headsInside = false;
  FusedRelu relu;
  /// Integers: of 8 bits at most both sides, the bias of any width.
  std::optional<Requant> requant;
  /// With that, what is taken off elements before they are multiplied.
  int64_t leftZeroPoint = 0, rightZeroPoint = 0;
};

/// result[.., i, j] = relu(sum over k of left[.., i, k] * right[.., k, j] +
/// bias[.., j]) in f32: every product is rounded, the sum goes over k upward
/// from 0, then the bias. Leading dimensions of both are equal, 1 or missing.
/// `bias`: null, one number for all or one for each column, whatever its shape.
/// An operand of one dimension is a row (left) or a column (right), which the
/// result does not have. Integers are taken as (q - zeroPoint) * scale, or with
/// `requant` as they are: the sum, exact, is requantized, each column a
/// channel, limited by the relu and saturated. Errors: ranks or dimensions that
/// do not fit each other. O(rows * depth * columns); the same bits for any
/// number of threads.
Outcome matMul(const MatMul &how, const TensorView &left,
               const TensorView &right, const TensorView *bias,
               const TensorSpan &result, unsigned threads);

/// A weight of 4 or 8 bits a number, [columns, depth], with a scale and a zero
/// point for each `group` numbers of a row; group 0 or less: one for the row.
struct PackedWeight {
  /// Of 4 bits unsigned, two a byte, the even one in the low half.
  TensorView numbers;
  /// [columns, groups], or [lanes, columns / lanes, groups], where column n is
  /// row n / lanes of lane n % lanes.
  TensorView scales, zeroPoints;
  int64_t bits = 4, group = 0;
};

/// As matMul() without transposes, of a right side whose element (k, j) is
/// (number - zero point) * scale in f32. Errors: bits, groups or shapes that do
/// not fit each other.
Outcome matMulPacked(const TensorView &left, const PackedWeight &right,
                     const TensorView *bias, const FusedRelu &relu,
                     const TensorSpan &result, unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_MATMUL_H

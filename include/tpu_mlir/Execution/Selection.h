//===- Selection.h - Elements that others choose ----------------*- C++ -*-===//
//
// Comparisons are exact, for integers of every width and floats; a NaN is
// unequal to everything, and neither less nor greater. Shapes spread as in
// Elementwise.h. Elements that are moved keep their bytes. Errors: shapes,
// types or indices that do not fit; where indices are negative they count from
// the end.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_SELECTION_H
#define TPU_MLIR_EXECUTION_SELECTION_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

enum class Comparison {
  Equal,
  NotEqual,
  Less,
  LessOrEqual,
  Greater,
  GreaterOrEqual,
  And, ///< Of elements that are not 0.
  Or,
  Xor,
};

/// 1 where `left` compares so with `right`, else 0.
Outcome compare(Comparison how, const TensorView &left, const TensorView &right,
                const TensorSpan &result);
/// An element of `yes` where the condition is not 0, else of `no`, as the
/// number that it is.
Outcome select(const TensorView &condition, const TensorView &yes,
               const TensorView &no, const TensorSpan &result);

/// result[.., i, ..] = input[.., indices[.., i, ..], ..] along `axis`; the
/// result has the shape of the indices, which is in no other dimension larger
/// than the input's.
Outcome gatherElements(const TensorView &input, const TensorView &indices,
                       int64_t axis, const TensorSpan &result);
/// The input, but for result[.., indices[.., i, ..], ..] = updates[.., i, ..];
/// the last one stays.
Outcome scatterElements(const TensorView &input, const TensorView &indices,
                        const TensorView &updates, int64_t axis,
                        const TensorSpan &result);
/// Rows of the indices, their last dimension, are the first coordinates of
/// slices of the input: these one after the other, or put there one after the
/// other. The first `batchDims` dimensions of the input are also those of the
/// indices, each with an input of its own.
Outcome gatherSlices(const TensorView &input, const TensorView &indices,
                     int64_t batchDims, const TensorSpan &result);
Outcome scatterSlices(const TensorView &input, const TensorView &indices,
                      const TensorView &updates, const TensorSpan &result);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_SELECTION_H

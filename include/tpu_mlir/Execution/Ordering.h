//===- Ordering.h - Rows by the size of their elements ----------*- C++ -*-===//
//
// A row is all that lies along one axis. Numbers are compared exactly; of equal
// ones that with the lower index comes first, and a NaN after all of them.
// Errors: axes, types or shapes that do not fit.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_ORDERING_H
#define TPU_MLIR_EXECUTION_ORDERING_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// The first elements of each row in falling order (or rising), as many as the
/// results have along `axis`, and where in the row they were. The elements have
/// the input's type; either result may be null. O(n log n) a row.
Outcome sortRows(const TensorView &input, int64_t axis, bool falling,
                 const TensorSpan *values, const TensorSpan *indices);

/// The largest (or smallest) element of each row and where it is, a NaN where
/// there is one; of equal ones the first, or the last. Either result may be
/// null, and has the elements of the other dimensions in order, whatever its
/// shape.
Outcome findExtreme(const TensorView &input, int64_t axis, bool largest,
                    bool last, const TensorSpan *values,
                    const TensorSpan *indices);

/// result[i] = the sum of the row's elements up to i, in f32, upward.
Outcome cumulativeSum(const TensorView &input, int64_t axis,
                      const TensorSpan &result);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_ORDERING_H

//===- Spread.h - Operands of smaller shapes --------------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_EXECUTION_KERNELS_SPREAD_H
#define TPU_MLIR_LIB_EXECUTION_KERNELS_SPREAD_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// Bytes of an element that is moved; an error where operands and result differ
/// in them, or where that is half a one.
Outcome elementBytes(llvm::ArrayRef<TensorView> operands,
                     const TensorSpan &result, int64_t &bytes);

/// For each dimension of `to`, how far the element of `from` moves on; 0 where
/// it is repeated. nullopt: the shapes do not fit each other. O(rank).
std::optional<Shape> spreadSteps(llvm::ArrayRef<int64_t> from,
                                 llvm::ArrayRef<int64_t> to);

/// Calls `row(start of the operand, start of the result)` for every row of
/// `shape`, in order; the row is its last dimension.
template <typename Row>
void forEachRow(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> steps,
                const Row &row) {
  const int64_t rank = shape.size();
  const int64_t length = rank ? shape.back() : 1;
  const int64_t rows = countOf(shape, 0, std::max<int64_t>(rank - 1, 0));
  Shape at(rank, 0);
  int64_t start = 0;
  for (int64_t i = 0; i < rows; ++i) {
    row(start, i * length);
    for (int64_t dim = rank - 2; dim >= 0; --dim) {
      start += steps[dim];
      if (++at[dim] < shape[dim])
        break;
      start -= shape[dim] * steps[dim];
      at[dim] = 0;
    }
  }
}

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_LIB_EXECUTION_KERNELS_SPREAD_H

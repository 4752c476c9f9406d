//===- Movement.h - Elements in other places --------------------*- C++ -*-===//
//
// Elements are moved as bytes, none is changed; operand and result have
// elements of one size, of whole bytes. Errors: shapes, axes or indices that do
// not fit, and elements of half a byte.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_MOVEMENT_H
#define TPU_MLIR_EXECUTION_MOVEMENT_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// The same bytes under another shape.
Outcome reshape(const TensorView &input, const TensorSpan &result);
/// Dimension i of the result is dimension order[i] of the input.
Outcome permute(const TensorView &input, llvm::ArrayRef<int64_t> order,
                const TensorSpan &result);
/// One after the other along `axis`.
Outcome concat(llvm::ArrayRef<TensorView> operands, int64_t axis,
               const TensorSpan &result);
/// Parts of the input that tile it in the order of the results, and the other
/// way: along one dimension; or along several, row by row, and then each part
/// has one element along all of these but the last. The parts are all of it.
Outcome deal(const TensorView &input, llvm::ArrayRef<TensorSpan> results);
Outcome join(llvm::ArrayRef<TensorView> operands, const TensorSpan &result);
/// Element i along a dimension is element offset + i * step of the input; steps
/// may be negative.
Outcome slice(const TensorView &input, llvm::ArrayRef<int64_t> offsets,
              llvm::ArrayRef<int64_t> steps, const TensorSpan &result);

enum class PadMode { Constant, Reflect, Symmetric, Edge };
/// starts: elements in front, for each dimension, negative: cut off; the ends
/// follow from the shapes. Constant: `number` in the type of the result.
/// Reflect does not repeat the outermost element, Symmetric does.
Outcome pad(PadMode mode, const TensorView &input,
            llvm::ArrayRef<int64_t> starts, double number,
            const TensorSpan &result);
/// Of the matrices in the last two dimensions the elements with column - row >=
/// diagonal (`upper`) or <= diagonal, zeros elsewhere.
Outcome triangle(bool upper, int64_t diagonal, const TensorView &input,
                 const TensorSpan &result);
/// Each element `scales[dim]` times along each dimension.
Outcome upsample(const TensorView &input, llvm::ArrayRef<int64_t> scales,
                 const TensorSpan &result);
/// The input again and again along each dimension of the result, of whose sizes
/// the input's are divisors; the input's dimensions count from the end.
Outcome tile(const TensorView &input, const TensorSpan &result);
/// result[.., i .., ..] = input[.., indices[i ..], ..]: `axis` gives way to the
/// dimensions of the indices. Negative indices count from the end.
Outcome gather(const TensorView &input, const TensorView &indices, int64_t axis,
               const TensorSpan &result);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_MOVEMENT_H

//===- Normalization.h - Rows as a whole ------------------------*- C++ -*-===//
//
// Operands are read as f32. Sums over a row go over its elements upward, in
// f64; the rest is f32, rounded once to the type of the result. Errors: axes or
// shapes that do not fit.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_EXECUTION_NORMALIZATION_H
#define TPU_MLIR_EXECUTION_NORMALIZATION_H

#include "tpu_mlir/Execution/MatMul.h"

namespace tpu_mlir::execution {

/// e(i) / sum of e over `axis`, with e(i) = exp(beta * (x(i) - max x)); `log`:
/// the logarithm of that, beta * (x(i) - max x) - log(sum of e).
Outcome softmax(const TensorView &input, int64_t axis, double beta, bool log,
                const TensorSpan &result, unsigned threads);

/// Rows are the dimensions from `axis` on; m and v their mean and variance (of
/// the population): (x - m) / sqrt(v + eps) * gamma + beta, where gamma and
/// beta are null or have one element for each of the row.
Outcome layerNorm(const TensorView &input, int64_t axis, double eps,
                  const TensorView *gamma, const TensorView *beta,
                  const TensorSpan &result, unsigned threads);
/// Rows are the last dimension: x / sqrt(mean of x^2 + eps) * gamma.
Outcome rmsNorm(const TensorView &input, double eps, const TensorView *gamma,
                const TensorSpan &result, unsigned threads);
/// Rows are the channels (dimension 1) of one of `groups` equal groups with all
/// that lies in them; gamma and beta have one element a channel. As many groups
/// as channels: instance norm.
Outcome groupNorm(const TensorView &input, int64_t groups, double eps,
                  const TensorView *gamma, const TensorView *beta,
                  const TensorSpan &result, unsigned threads);

struct ChannelSums {
  int64_t size = 1;
  double alpha = 1e-4, beta = 0.75, bias = 1;
};
/// x / (bias + alpha / size * sum of the squares at its place in the channels
/// c - floor((size - 1) / 2) to c + ceil((size - 1) / 2))^beta.
Outcome localResponseNorm(const ChannelSums &how, const TensorView &input,
                          const TensorSpan &result, unsigned threads);

/// relu(x * factor[c] + bias[c]) for channels c in dimension 1; both are null
/// or have one element, or one a channel.
Outcome scale(const TensorView &input, const TensorView *factor,
              const TensorView *bias, const FusedRelu &relu,
              const TensorSpan &result);

enum class Reduction { Sum, Mean, Max, Min, Product, L1, L2 };
/// Over `axes`; the result's elements are those of the other dimensions in
/// order, whatever its shape. Products are in f64, too.
Outcome reduce(Reduction kind, const TensorView &input,
               llvm::ArrayRef<int64_t> axes, const TensorSpan &result);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_NORMALIZATION_H

//===- Convolution.h - Convolution and its transpose ------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_CONVOLUTION_H
#define TPU_MLIR_EXECUTION_CONVOLUTION_H

#include "tpu_mlir/Execution/MatMul.h"

namespace tpu_mlir::execution {

/// Lists have an entry for each spatial dimension, of which there are 1 to 3;
/// pads all the starts, then all the ends. Negative pads cut off.
struct Convolution {
  Shape kernel, strides, dilations, pads;
  int64_t group = 1;
  FusedRelu relu;
  /// Integers: of 8 bits at most the input and the filter, the bias of any
  /// width.
  std::optional<Requant> requant;
  /// With that, what lies outside of the input (its zero point: what it adds to
  /// every sum is the bias's business), and what is taken off the filter.
  int64_t padding = 0, filterZeroPoint = 0;
};

/// input [n, ic, ..], filter [oc, ic / group, kernel ..], result [n, oc, ..]:
///
///   result[n, o, p] = relu(bias[o] + sum over c, t of
///       input[n, c, p * stride + t * dilation - pad] * filter[o, c, t])
///
/// or with `requant`, exactly and whatever the scales,
///
///   result[n, o, p] = saturated(relu(requant(bias[o] + sum ..)))
///
/// over the channels c of o's group and the taps t upward, the last spatial
/// dimension fastest, in f32 as MatMul.h says; elements outside of the input
/// are 0 and count. The pads at the ends follow from the result's shape.
/// Errors: shapes or lists that do not fit each other. The same bits for any
/// number of threads, and for a part of the result computed from the part of
/// the input that it reads.
Outcome convolve(const Convolution &how, const TensorView &input,
                 const TensorView &filter, const TensorView *bias,
                 const TensorSpan &result, unsigned threads);

/// The transpose: element p of the input is spread over p * stride + t *
/// dilation - pad. filter [oc, ic / group, kernel ..]; sums and order as above,
/// where elements between those of the input are 0 and count.
Outcome deconvolve(const Convolution &how, const TensorView &input,
                   const TensorView &filter, const TensorView *bias,
                   const TensorSpan &result, unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_CONVOLUTION_H

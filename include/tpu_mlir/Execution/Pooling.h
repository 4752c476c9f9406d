//===- Pooling.h - Windows of the input -------------------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_POOLING_H
#define TPU_MLIR_EXECUTION_POOLING_H

#include "tpu_mlir/Execution/MatMul.h"

namespace tpu_mlir::execution {

/// Lists have an entry for each spatial dimension, of which there are 1 to 3;
/// pads all the starts, then all the ends.
struct Pooling {
  enum class Kind { Average, Max, Min };
  Kind kind = Kind::Average;
  Shape kernel, strides, pads;
  /// Averages are of the whole kernel, not of what of it lies in the input.
  bool countsPads = false;
  /// Element i is that of [floor(i * in / out), ceil((i + 1) * in / out));
  /// kernel, strides and pads are not read.
  bool isAdaptive = false;
  FusedRelu relu;
  /// Averages of integers, with one of these, are made of the sum over the
  /// whole kernel, where what lies outside of the input is `padding`: that sum
  /// less as many times the padding, requantized (its factor has the kernel's
  /// size in it), or the sum times `factor` plus `offset` in f32, to the
  /// nearest, ties away from zero. Saturated; no relu with a factor.
  std::optional<Requant> requant;
  std::optional<double> factor;
  double offset = 0;
  int64_t padding = 0;
};

/// input [n, c, ..], result [n, c, ..], or its elements under another shape
/// when there is one a channel. Averages: the sum of the window's elements
/// upward in f32, divided by their number. Max and Min: of elements inside the
/// input, exactly, NaNs are passed over. A window without any has 0.
Outcome pool(const Pooling &how, const TensorView &input,
             const TensorSpan &result, unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_POOLING_H

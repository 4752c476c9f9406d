//===- Recurrent.h - Layers with a state ------------------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_RECURRENT_H
#define TPU_MLIR_EXECUTION_RECURRENT_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

/// A layer that reads a sequence step by step, as ONNX defines it, with s(x) =
/// 1 / (1 + exp(-x)), the input x of a step and the state h of the one before:
///
///   LSTM (gates i, o, f, c)       GRU (gates z, r, h)
///     i, o, f = s(x W + h R + b)    z, r = s(x W + h R + b)
///     c' = f c + i tanh(x W + h R + b)
///     h' = o tanh(c')               n = tanh(x W + (r h) R + Rb + Wb)
///                                   h' = (1 - z) n + z h
///
/// each gate with rows of W and R and numbers of b = Wb + Rb of its own;
/// linearBeforeReset: n = tanh(x W + r (h R + Rb) + Wb). In f32, sums upward.
struct Recurrent {
  enum class Kind { Lstm, Gru };
  Kind kind = Kind::Lstm;
  int64_t hidden = 1;
  /// Two directions: the second one from the last step to the first.
  bool isBidirectional = false;
  /// Batches in front of steps, everywhere.
  bool batchFirst = false;
  bool linearBeforeReset = false;
};

/// Null: zeros, or of a result: nobody reads it.
struct RecurrentOperands {
  const TensorView *input;   ///< [steps, batch, in]
  const TensorView *weights; ///< [directions, gates * hidden, in]
  const TensorView *states;  ///< [directions, gates * hidden, hidden]
  const TensorView *bias;    ///< [directions, 2 * gates * hidden]: Wb, Rb
  const TensorView *h, *c;   ///< [directions, batch, hidden]
};
struct RecurrentResults {
  const TensorSpan *all;   ///< [steps, directions, batch, hidden]
  const TensorSpan *h, *c; ///< [directions, batch, hidden]
};

/// Errors: shapes that do not fit each other.
Outcome runRecurrent(const Recurrent &how, const RecurrentOperands &operands,
                     const RecurrentResults &results);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_RECURRENT_H

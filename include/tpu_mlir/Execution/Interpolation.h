//===- Interpolation.h - Images of another size -----------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_INTERPOLATION_H
#define TPU_MLIR_EXECUTION_INTERPOLATION_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

struct Interpolation {
  enum class Mode { Nearest, Linear };
  /// Where element i of `out` is among those of `in`, in f32:
  enum class Coordinates {
    AlignCorners,     ///< i * (in - 1) / (out - 1), 0 for one element
    HalfPixel,        ///< (i + 1/2) * in / out - 1/2
    PytorchHalfPixel, ///< the same, 0 for one element
    Asymmetric,       ///< i * in / out
  };
  Mode mode = Mode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
};

/// The last two dimensions of the input, stretched to those of the result; the
/// others are equal. Linear: between the two elements around the place, which
/// is moved into the input, a * (1 - w) + b * w, first along the rows. Nearest:
/// the element whose place is nearest, the upper one of two; of Asymmetric
/// places the one below. In f32, rounded once. Errors: shapes that do not fit.
Outcome interpolate(const Interpolation &how, const TensorView &input,
                    const TensorSpan &result, unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_INTERPOLATION_H

//===- Interpolation.h - Images of another size -----------------*- C++ -*-===//

#ifndef TPU_MLIR_EXECUTION_INTERPOLATION_H
#define TPU_MLIR_EXECUTION_INTERPOLATION_H

#include "tpu_mlir/Execution/Tensor.h"

namespace tpu_mlir::execution {

struct Interpolation {
  enum class Mode { Nearest, Linear };
  /// Where element i of `out` is among those of `in`, in f32, with in / out or
  /// one over the scale:
  enum class Coordinates {
    AlignCorners,     ///< i * (in - 1) / (out - 1), 0 for one element
    HalfPixel,        ///< (i + 1/2) * in / out - 1/2
    PytorchHalfPixel, ///< the same, 0 for one element
    Asymmetric,       ///< i * in / out
  };
  Mode mode = Mode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  /// Of rows and columns; 0 or less: that of the sizes. `out` is in * scale, or
  /// what of it is whole.
  double scales[2] = {0, 0};
};

/// The last two dimensions of the input, stretched to those of the result; the
/// others are equal. Linear: between the two elements around the place, which
/// is moved into the input, a * (1 - w) + b * w, first along the rows. Nearest:
/// the element whose place is nearest, the lower one of two, which ONNX calls
/// round_prefer_floor; of Asymmetric places the one below. In f32, rounded
/// once. Errors: shapes or scales that do not fit.
Outcome interpolate(const Interpolation &how, const TensorView &input,
                    const TensorSpan &result, unsigned threads);

struct GridSample {
  bool isNearest = false;
  /// What lies outside of the image.
  enum class Padding {
    Zeros,      ///< is 0
    Border,     ///< is the element at the border
    Reflection, ///< is that at the place reflected at the border, again and
                ///< again
  };
  Padding padding = Padding::Zeros;
  /// Borders are at the middle of elements, not at their edges.
  bool alignCorners = false;
};

/// input [n, c, h, w], grid [n, y, x, 2] with a place of the input for each
/// pixel of the result [n, c, y, x], first along w: g in [-1, 1] is (g + 1) / 2
/// * (w - 1) with alignCorners, else ((g + 1) * w - 1) / 2. The nearest
/// element, ties to even, or the four around it, linearly. In f32. A NaN is a
/// place outside. Errors: shapes that do not fit.
Outcome sampleGrid(const GridSample &how, const TensorView &input,
                   const TensorView &grid, const TensorSpan &result,
                   unsigned threads);

} // namespace tpu_mlir::execution

#endif // TPU_MLIR_EXECUTION_INTERPOLATION_H

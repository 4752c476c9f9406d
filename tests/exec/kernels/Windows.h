//===- Windows.h - Sliding windows of an operand ----------------*- C++ -*-===//

#ifndef TPU_MLIR_TESTS_EXEC_KERNELS_WINDOWS_H
#define TPU_MLIR_TESTS_EXEC_KERNELS_WINDOWS_H

#include "tests/exec/kernels/KernelSupport.h"

#include <array>

namespace tpu_mlir::exec {

/// One spatial dimension. Tap k of result element o reads the coordinate
/// u = o * stride + shift + k * step of the operand, spread by `spread` (only
/// multiples are elements; 1 but for transposed convolution).
struct Axis {
  int64_t length = 1; ///< Of the operand.
  int64_t taps = 1;
  int64_t stride = 1, shift = 0, step = 1, spread = 1;
  int64_t lo = 0, size = 1; ///< The part of the result that is wanted.

  int64_t offsetOf(int64_t tap) const { // From the first coordinate.
    return step > 0 ? tap * step : (taps - 1 - tap) * -step;
  }
  int64_t first() const {
    return lo * stride + shift + (step > 0 ? 0 : (taps - 1) * step);
  }
  int64_t extent() const {
    return (size - 1) * stride + offsetOf(step > 0 ? taps - 1 : 0) + 1;
  }
  /// The operand's element at coordinate first() + at; -1: padding.
  int64_t element(int64_t at) const {
    const int64_t u = first() + at;
    return u >= 0 && u % spread == 0 && u / spread < length ? u / spread : -1;
  }
};

struct Windows {
  std::array<Axis, 3> axes; ///< d, h, w.
  int64_t n0 = 0, images = 1, c0 = 0, channels = 1;
  int64_t inputChannels = 1, resultChannels = 1;

  int64_t taps() const { return axes[0].taps * axes[1].taps * axes[2].taps; }
};

/// Shapes and attributes of a window op; refuses and returns nullopt where
/// they are not what they should be.
std::optional<Windows> windowsOf(Kernel &kernel, bool isTransposed);

} // namespace tpu_mlir::exec

#endif // TPU_MLIR_TESTS_EXEC_KERNELS_WINDOWS_H

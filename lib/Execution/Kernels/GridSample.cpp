//===- GridSample.cpp - Sample an image at the points of a grid -----------===//
//
// Nearest and bilinear, with the paddings and the corner alignment of ONNX.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Interpolation.h"

#include "Epilogue.h"

#include <cmath>

namespace tpu_mlir::execution {

/// Far enough outside for everything, and still an integer.
static constexpr float kFar = 0x1p30f;

/// A place between two borders, by reflection at them.
static float reflected(float at, float low, float high) {
  const float length = high - low;
  if (length <= 0)
    return low;
  const float apart = std::fmod(std::fabs(at - low), 2 * length);
  return low + (apart > length ? 2 * length - apart : apart);
}

/// Where along a dimension of `size` elements a number of the grid is.
static float placeOf(const GridSample &how, float g, int64_t size) {
  using Padding = GridSample::Padding;
  const float length = static_cast<float>(size);
  float at = how.alignCorners ? (g + 1) / 2 * (length - 1)
                              : ((g + 1) * length - 1) / 2;
  if (std::isnan(at))
    return -kFar;
  if (how.padding == Padding::Reflection && std::isfinite(at))
    at = how.alignCorners ? reflected(at, 0, length - 1)
                          : reflected(at, -0.5f, length - 0.5f);
  return how.padding == Padding::Zeros
             ? std::min(std::max(at, -kFar), kFar)
             : std::min(std::max(at, 0.0f), length - 1);
}

namespace {

struct Image {
  const float *elements;
  int64_t height, width;

  float at(float y, float x) const {
    const int64_t row = static_cast<int64_t>(y),
                  column = static_cast<int64_t>(x);
    const bool isInside =
        row >= 0 && row < height && column >= 0 && column < width;
    return isInside ? elements[row * width + column] : 0;
  }
};

} // namespace

static float sample(const GridSample &how, const Image &image, float y,
                    float x) {
  if (how.isNearest)
    return image.at(std::nearbyint(y), std::nearbyint(x));
  const float top = std::floor(y), left = std::floor(x), down = y - top,
              right = x - left;
  const float above =
      image.at(top, left) * (1 - right) + image.at(top, left + 1) * right;
  const float below = image.at(top + 1, left) * (1 - right) +
                      image.at(top + 1, left + 1) * right;
  return above * (1 - down) + below * down;
}

Outcome sampleGrid(const GridSample &how, const TensorView &input,
                   const TensorView &grid, const TensorSpan &result,
                   unsigned threads) {
  if (Outcome error = check({input, grid}, {result}))
    return error;
  const Shape wanted =
      input.rank() == 4 && grid.rank() == 4 && grid.dim(3) == 2 &&
              grid.dim(0) == input.dim(0)
          ? Shape{input.dim(0), input.dim(1), grid.dim(1), grid.dim(2)}
          : Shape{};
  if (wanted.empty() || result.type.shape != wanted)
    return KernelError{"a grid " + describe(grid.type.shape) +
                       " does not make " + describe(result.type.shape) +
                       " of " + describe(input.type.shape)};
  const int64_t height = input.dim(2), width = input.dim(3),
                pixels = grid.dim(1) * grid.dim(2);
  const std::vector<float> values = numbersOf(input), places = numbersOf(grid);
  std::vector<float> out(result.elements());
  parallelFor(input.dim(0) * input.dim(1), threads, [&](int64_t plane) {
    const Image image{values.data() + plane * height * width, height, width};
    const float *place = places.data() + plane / input.dim(1) * pixels * 2;
    for (int64_t i = 0; i < pixels; ++i)
      out[plane * pixels + i] =
          sample(how, image, placeOf(how, place[2 * i + 1], height),
                 placeOf(how, place[2 * i], width));
  });
  store(out, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution

//===- Interpolation.cpp - Resize images ----------------------------------===//
//
// Nearest and linear, by the coordinate transformations of ONNX Resize.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Interpolation.h"

#include "Epilogue.h"

#include <cmath>

namespace tpu_mlir::execution {

namespace {

/// What an element is made of, along one dimension.
struct Source {
  int64_t low = 0, high = 0;
  float weight = 0; ///< Of `high`.
};

} // namespace

/// `from` and `to` are the sizes, or two numbers of the same quotient.
static float placeOf(Interpolation::Coordinates coordinates, int64_t i,
                     int64_t in, int64_t out, float from, float to) {
  using Coordinates = Interpolation::Coordinates;
  const float at = static_cast<float>(i);
  switch (coordinates) {
  case Coordinates::AlignCorners:
    return out == 1
               ? 0.0f
               : at * static_cast<float>(in - 1) / static_cast<float>(out - 1);
  case Coordinates::PytorchHalfPixel:
    if (out == 1)
      return 0;
    [[fallthrough]];
  case Coordinates::HalfPixel:
    return (at + 0.5f) * from / to - 0.5f;
  case Coordinates::Asymmetric:
    return at * from / to;
  }
  return 0;
}

/// A scale makes this size of that: all of it, or what of it is whole.
static bool makes(double scale, int64_t in, int64_t out) {
  const double made = static_cast<double>(in) * scale;
  return scale <= 0 || (out <= made + 1e-3 && made < out + 1);
}

static std::vector<Source> sourcesOf(const Interpolation &how, double scale,
                                     int64_t in, int64_t out) {
  std::vector<Source> sources(out);
  const bool isScaled = scale > 0 && static_cast<double>(in) * scale != out;
  const float from = isScaled ? 1 : static_cast<float>(in),
              to = static_cast<float>(isScaled ? scale : out);
  for (int64_t i = 0; i < out; ++i) {
    float at = placeOf(how.coordinates, i, in, out, from, to);
    if (how.mode == Interpolation::Mode::Nearest)
      at = how.coordinates == Interpolation::Coordinates::Asymmetric
               ? std::floor(at)
               : std::ceil(at - 0.5f);
    at = std::min(std::max(at, 0.0f), static_cast<float>(in - 1));
    const int64_t low = static_cast<int64_t>(at);
    sources[i] = {low, std::min(low + 1, in - 1), at - std::floor(at)};
  }
  return sources;
}

static float between(float a, float b, float weight) {
  return weight == 0 ? a : a * (1 - weight) + b * weight;
}

Outcome interpolate(const Interpolation &how, const TensorView &input,
                    const TensorSpan &result, unsigned threads) {
  if (Outcome error = check({input}, {result}))
    return error;
  const int64_t rank = input.rank();
  bool fits = rank >= 2 && result.rank() == rank;
  for (int64_t dim = 0; fits && dim + 2 < rank; ++dim)
    fits = input.dim(dim) == result.dim(dim);
  if (!fits || (result.elements() > 0 && input.elements() == 0))
    return KernelError{describe(input.type.shape) + " is not stretched to " +
                       describe(result.type.shape)};
  if (result.elements() == 0)
    return std::nullopt;
  const int64_t height = input.dim(rank - 2), width = input.dim(rank - 1);
  if (!makes(how.scales[0], height, result.dim(rank - 2)) ||
      !makes(how.scales[1], width, result.dim(rank - 1)))
    return KernelError{"the scales do not make " + describe(result.type.shape) +
                       " of " + describe(input.type.shape)};
  const auto rows = sourcesOf(how, how.scales[0], height, result.dim(rank - 2));
  const auto columns =
      sourcesOf(how, how.scales[1], width, result.dim(rank - 1));
  const std::vector<float> values = numbersOf(input);
  std::vector<float> out(result.elements());
  parallelFor(
      countOf(input.type.shape, 0, rank - 2), threads, [&](int64_t plane) {
        const float *from = values.data() + plane * height * width;
        float *to = out.data() + plane * rows.size() * columns.size();
        for (const Source &row : rows)
          for (const Source &column : columns) {
            auto along = [&](int64_t y) {
              return between(from[y * width + column.low],
                             from[y * width + column.high], column.weight);
            };
            *to++ = between(along(row.low), along(row.high), row.weight);
          }
      });
  store(out, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution

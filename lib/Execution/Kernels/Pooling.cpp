//===- Pooling.cpp - Compute pooling by windows ---------------------------===//
//
// Maximum and average over the elements inside the input, adaptive windows
// included.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Pooling.h"

#include "Epilogue.h"

#include <array>
#include <cmath>

namespace tpu_mlir::execution {

namespace {

/// For each element of the result, in one dimension, what it reads.
struct Windows {
  int64_t in = 1;
  std::vector<std::pair<int64_t, int64_t>> ranges;
};
using Box = std::array<Windows, 3>;

} // namespace

static Windows makeWindows(const Pooling &how, size_t index, int64_t in,
                           int64_t out) {
  Windows windows{in, {}};
  for (int64_t i = 0; i < out; ++i) {
    if (how.isAdaptive) {
      windows.ranges.push_back({i * in / out, ((i + 1) * in + out - 1) / out});
      continue;
    }
    const int64_t start = i * how.strides[index] - how.pads[index];
    windows.ranges.push_back(
        {std::clamp<int64_t>(start, 0, in),
         std::clamp<int64_t>(start + how.kernel[index], 0, in)});
  }
  return windows;
}

static Outcome readBox(const Pooling &how, const TensorView &input,
                       const TensorSpan &result, Box &box) {
  const size_t spatial = input.rank() - 2;
  if (input.rank() < 3 || spatial > 3)
    return KernelError{"the input " + describe(input.type.shape) +
                       " does not have 1 to 3 spatial dimensions"};
  const bool fits = how.isAdaptive || (how.kernel.size() == spatial &&
                                       how.strides.size() == spatial &&
                                       how.pads.size() == 2 * spatial);
  if (!fits)
    return KernelError{"kernel, strides or pads do not fit the input " +
                       describe(input.type.shape)};
  const int64_t planes = input.dim(0) * input.dim(1);
  const bool isWhole = result.rank() == input.rank();
  const int64_t outPlanes =
      isWhole ? result.dim(0) * result.dim(1) : result.elements();
  if (planes != outPlanes)
    return KernelError{"the result " + describe(result.type.shape) +
                       " does not fit the input " + describe(input.type.shape)};
  for (size_t i = 0; i < spatial; ++i) {
    constexpr int64_t kLimit = int64_t(1) << 24;
    if (!how.isAdaptive && (how.kernel[i] < 1 || how.strides[i] < 1 ||
                            how.kernel[i] > kLimit || how.strides[i] > kLimit ||
                            how.pads[i] < -kLimit || how.pads[i] > kLimit))
      return KernelError{"the kernel, a stride or a pad makes no sense"};
    box[3 - spatial + i] =
        makeWindows(how, i, input.dim(i + 2), isWhole ? result.dim(i + 2) : 1);
  }
  for (size_t i = 0; i < 3 - spatial; ++i)
    box[i].ranges = {{0, 1}};
  return std::nullopt;
}

static float poolWindow(const Pooling &how, const Box &box, const float *plane,
                        const std::array<int64_t, 3> &at, float whole) {
  auto range = [&](int dim) { return box[dim].ranges[at[dim]]; };
  float value = 0;
  int64_t count = 0;
  for (int64_t z = range(0).first; z < range(0).second; ++z)
    for (int64_t y = range(1).first; y < range(1).second; ++y)
      for (int64_t x = range(2).first; x < range(2).second; ++x, ++count) {
        const float element = plane[(z * box[1].in + y) * box[2].in + x];
        if (how.kind == Pooling::Kind::Average)
          value += element;
        else if (count == 0)
          value = element;
        else
          value = how.kind == Pooling::Kind::Max ? std::fmax(value, element)
                                                 : std::fmin(value, element);
      }
  if (how.kind != Pooling::Kind::Average || count == 0)
    return value;
  return value / (how.countsPads && !how.isAdaptive
                      ? whole
                      : static_cast<float>(count));
}

/// An exact sum, and what becomes of it.
static int64_t averageWindow(const Pooling &how, const Box &box,
                             const float *plane,
                             const std::array<int64_t, 3> &at, int64_t whole) {
  auto range = [&](int dim) { return box[dim].ranges[at[dim]]; };
  int64_t sum = 0, count = 0;
  for (int64_t z = range(0).first; z < range(0).second; ++z)
    for (int64_t y = range(1).first; y < range(1).second; ++y)
      for (int64_t x = range(2).first; x < range(2).second; ++x, ++count)
        sum += static_cast<int64_t>(plane[(z * box[1].in + y) * box[2].in + x]);
  const int64_t outside = how.isAdaptive ? 0 : whole - count;
  sum += outside * how.padding;
  if (how.factor)
    return std::llround(
        std::clamp(static_cast<float>(sum) * static_cast<float>(*how.factor) +
                       static_cast<float>(how.offset),
                   -0x1p40f, 0x1p40f));
  const int64_t value =
      how.requant->apply(sum - (count + outside) * how.padding, 0);
  return how.relu.isOn ? std::max(value, how.requant->offset) : value;
}

/// Averages of integers are made of their sums.
static bool sumsIntegers(const Pooling &how) {
  return how.kind == Pooling::Kind::Average && (how.requant || how.factor);
}

static Outcome checkIntegers(const Pooling &how, const TensorView &input,
                             const TensorSpan &result) {
  if (isFloat(input.type.element) || isFloat(result.type.element) ||
      bitsOf(input.type.element) > 16)
    return KernelError{"averages of integers of at most 16 bits are made of "
                       "sums"};
  if (how.relu.limit >= 0 || (how.relu.isOn && how.factor) ||
      how.padding < leastOf(input.type.element) ||
      how.padding > largestOf(input.type.element))
    return KernelError{"the relu or the padding does not go with integers"};
  return how.requant ? checkRequant(*how.requant, 1) : std::nullopt;
}

Outcome pool(const Pooling &how, const TensorView &input,
             const TensorSpan &result, unsigned threads) {
  if (Outcome error = check({input}, {result}))
    return error;
  if (result.elements() == 0)
    return std::nullopt;
  Box box;
  if (Outcome error = readBox(how, input, result, box))
    return error;
  float whole = 1;
  for (int64_t size : how.kernel)
    whole *= static_cast<float>(size);
  const bool isSum = sumsIntegers(how);
  if (Outcome error = isSum ? checkIntegers(how, input, result) : std::nullopt)
    return error;
  const std::vector<float> values = isSum ? floatsOf(input) : numbersOf(input);
  std::vector<float> pooled(isSum ? 0 : result.elements());
  std::vector<int64_t> sums(isSum ? result.elements() : 0);
  const int64_t planeSize = box[0].in * box[1].in * box[2].in;
  const int64_t out[3] = {static_cast<int64_t>(box[0].ranges.size()),
                          static_cast<int64_t>(box[1].ranges.size()),
                          static_cast<int64_t>(box[2].ranges.size())};
  parallelFor(input.dim(0) * input.dim(1), threads, [&](int64_t plane) {
    int64_t to = plane * out[0] * out[1] * out[2];
    const float *from = values.data() + plane * planeSize;
    for (int64_t z = 0; z < out[0]; ++z)
      for (int64_t y = 0; y < out[1]; ++y)
        for (int64_t x = 0; x < out[2]; ++x, ++to)
          if (isSum)
            sums[to] = averageWindow(how, box, from, {z, y, x},
                                     static_cast<int64_t>(whole));
          else
            pooled[to] =
                limited(poolWindow(how, box, from, {z, y, x}, whole), how.relu);
  });
  if (isSum)
    store(sums, result);
  else
    store(pooled, result);
  return std::nullopt;
}

} // namespace tpu_mlir::execution

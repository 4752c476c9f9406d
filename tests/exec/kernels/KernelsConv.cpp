//===- KernelsConv.cpp - Convolution --------------------------------------===//
//
// Outside of [0, length) of the whole operand is padding; inside of it, but
// outside of the stored part, is an error of the plan. Convolutions are most of
// the work, so their operand is first gathered (and checked) into a dense
// array with zeros for padding, and then multiplied row by row.
//
//===----------------------------------------------------------------------===//

#include "tests/exec/kernels/Windows.h"

#include <algorithm>
#include <memory>

namespace tpu_mlir::exec {

/// Which coordinates are read, in the order of Axis::element.
static std::vector<bool> readOf(const Axis &axis) {
  std::vector<bool> read(axis.extent(), false);
  for (int64_t o = 0; o < axis.size; ++o)
    for (int64_t tap = 0; tap < axis.taps; ++tap)
      read[o * axis.stride + axis.offsetOf(tap)] = true;
  return read;
}

namespace {

/// The region of the operand that one image and group of channels reads. Rows
/// are split by the coordinate modulo the stride, so that neighbours in the
/// result read neighbours.
template <typename T> class Region {
public:
  Region(Kernel &kernel, const Windows &windows, int64_t firstChannel,
         int64_t channels)
      : w(windows.axes[2]), depth(windows.axes[0].extent()),
        height(windows.axes[1].extent()),
        phaseLength((w.extent() + w.stride - 1) / w.stride),
        rowLength(phaseLength * w.stride), firstChannel(firstChannel),
        values(channels * depth * height * rowLength), kernel(kernel),
        windows(windows), channels(channels) {
    for (int dim = 0; dim < 3; ++dim)
      read[dim] = readOf(windows.axes[dim]);
  }

  /// Flat distance of tap (kd, kh, kw) of channel c from the element that the
  /// first tap reads.
  int64_t tapOffset(int64_t c, int64_t kd, int64_t kh, int64_t kw) const {
    const int64_t at = w.offsetOf(kw);
    return ((c * depth + windows.axes[0].offsetOf(kd)) * height +
            windows.axes[1].offsetOf(kh)) *
               rowLength +
           at % w.stride * phaseLength + at / w.stride;
  }
  int64_t rowStart(int64_t od, int64_t oh) const {
    return (od * windows.axes[0].stride * height +
            oh * windows.axes[1].stride) *
           rowLength;
  }

  void gather(int64_t image) {
    Reader &input = kernel.operand(0);
    const auto &[axisD, axisH, axisW] = windows.axes;
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t d = 0; d < depth; ++d)
        for (int64_t h = 0; h < height; ++h) {
          const int64_t fromD = axisD.element(d), fromH = axisH.element(h);
          if (!read[0][d] || !read[1][h] || fromD < 0 || fromH < 0)
            continue;
          const int64_t flat =
              (((image * windows.inputChannels + firstChannel + c) *
                    axisD.length +
                fromD) *
                   axisH.length +
               fromH) *
              axisW.length;
          gatherRow(input, flat,
                    &values[((c * depth + d) * height + h) * rowLength]);
        }
  }

  const Axis &w;
  const int64_t depth, height, phaseLength, rowLength, firstChannel;
  std::vector<T> values;

private:
  void gatherRow(Reader &input, int64_t flat, T *row) {
    int64_t phase = 0, place = 0;
    for (int64_t at = 0, e = w.extent(); at < e; ++at) {
      const int64_t from = w.element(at);
      if (read[2][at] && from >= 0)
        row[phase * phaseLength + place] =
            static_cast<T>(input.at(flat + from));
      if (++phase == w.stride) {
        phase = 0;
        ++place;
      }
    }
  }

  Kernel &kernel;
  const Windows &windows;
  int64_t channels;
  std::array<std::vector<bool>, 3> read;
};

/// Consecutive elements of one plane of sums.
struct Segment {
  int64_t start = 0; ///< In the region, for the first tap.
  int64_t od = 0, oh = 0, ow = 0;
  int64_t length = 0;
};

} // namespace

constexpr int64_t kSegment = 1024;
/// Result channels that are computed together.
constexpr int kBlock = 4;

/// With stride 1 whole planes are one row (what lies between two rows of the
/// result is computed in vain); otherwise each row is for itself.
template <typename T>
static std::vector<Segment> segmentsOf(const Windows &windows,
                                       const Region<T> &region) {
  const auto &[axisD, axisH, axisW] = windows.axes;
  const bool isFlat = axisH.stride == 1 && axisW.stride == 1;
  std::vector<Segment> segments;
  for (int64_t od = 0; od < axisD.size; ++od)
    for (int64_t oh = 0; oh < (isFlat ? 1 : axisH.size); ++oh) {
      const int64_t total =
          isFlat ? (axisH.size - 1) * region.rowLength + axisW.size
                 : axisW.size;
      for (int64_t at = 0; at < total; at += kSegment)
        segments.push_back({region.rowStart(od, oh) + at, od,
                            isFlat ? at / region.rowLength : oh,
                            isFlat ? at % region.rowLength : at,
                            std::min(kSegment, total - at)});
    }
  return segments;
}

/// sums[b][i] += weight[b] * values[i], for all taps.
template <typename T, int B>
static void multiply(const T *values, const std::vector<int64_t> &offsets,
                     const std::array<const T *, kBlock> &weights,
                     int64_t length, T (*sums)[kSegment]) {
  for (size_t tap = 0; tap < offsets.size(); ++tap) {
    const T *row = values + offsets[tap];
    for (int b = 0; b < B; ++b) {
      const uint32_t weight = weights[b][tap];
      T *__restrict sum = sums[b];
      for (int64_t i = 0; i < length; ++i)
        sum[i] = static_cast<T>(sum[i] + weight * row[i]);
    }
  }
}

namespace {

/// The result: image `image`, all wanted channels of one group.
template <typename T> class Convolution {
public:
  Convolution(Kernel &kernel, const Windows &windows, Region<T> &region,
              int64_t channelsPerGroup)
      : kernel(kernel), windows(windows), region(region),
        segments(segmentsOf(windows, region)) {
    const auto &[axisD, axisH, axisW] = windows.axes;
    for (int64_t c = 0; c < channelsPerGroup; ++c)
      for (int64_t kd = 0; kd < axisD.taps; ++kd)
        for (int64_t kh = 0; kh < axisH.taps; ++kh)
          for (int64_t kw = 0; kw < axisW.taps; ++kw)
            offsets.push_back(region.tapOffset(c, kd, kh, kw));
  }

  /// Channels [c0, c0 + count).
  void run(int64_t image, int64_t c0, int64_t count) {
    for (int64_t c = c0; c < c0 + count; c += kBlock) {
      const int block =
          static_cast<int>(std::min<int64_t>(kBlock, c0 + count - c));
      std::array<std::vector<T>, kBlock> weights;
      std::array<T, kBlock> base{};
      std::array<const T *, kBlock> rows{};
      for (int b = 0; b < block; ++b) {
        base[b] = load(c + b, weights[b]);
        rows[b] = weights[b].data();
      }
      for (const Segment &segment : segments) {
        for (int b = 0; b < block; ++b)
          std::fill_n(sums[b], segment.length, base[b]);
        const T *values = region.values.data() + segment.start;
        if (block == kBlock)
          multiply<T, kBlock>(values, offsets, rows, segment.length, sums);
        else
          for (int b = 0; b < block; ++b)
            multiply<T, 1>(values, offsets, {rows[b]}, segment.length,
                           sums + b);
        for (int b = 0; b < block; ++b)
          write(image, c + b, segment, sums[b]);
      }
    }
  }

private:
  /// x * (2 w + 1) + 3 w loses nothing of x and nothing of w; the sum of 3 w,
  /// the bias and what is after it are the same for all of a channel.
  T load(int64_t channel, std::vector<T> &weights) {
    Reader &filter = kernel.operand(1);
    const ParameterRows rows = rowsOf(filter.shape());
    const int64_t taps = static_cast<int64_t>(offsets.size());
    uint32_t base = saltOf(kernel.op);
    for (int64_t tap = 0; tap < taps; ++tap) {
      const uint32_t weight = filter.at(rows.flat(channel, taps, tap));
      weights.push_back(static_cast<T>(2 * weight + 1));
      base += 3 * weight;
    }
    // Rows are padded to whole blocks of input channels, and read as a whole.
    for (int64_t rest = taps; rest < rows.length; ++rest)
      base += odd(rest) * filter.at(rows.flat(channel, taps, rest));
    for (unsigned i = 2; i < kernel.operands.size(); ++i)
      if (kernel.has(i))
        base += odd(i) * mixedRow(kernel.operands[i], channel);
    return static_cast<T>(base);
  }

  void write(int64_t image, int64_t channel, const Segment &segment,
             const T *values) {
    const auto &[axisD, axisH, axisW] = windows.axes;
    int64_t oh = segment.oh, ow = segment.ow;
    const int64_t plane =
        (((image - windows.n0) * windows.channels + channel - windows.c0) *
             axisD.size +
         segment.od) *
        axisH.size;
    const int64_t pitch =
        axisH.stride == 1 && axisW.stride == 1 ? region.rowLength : INT64_MAX;
    for (int64_t i = 0; i < segment.length; ++i) {
      if (ow < axisW.size)
        kernel.result.values[(plane + oh) * axisW.size + ow] =
            wrapped(values[i], kernel.bits);
      if (++ow == pitch) {
        ow = 0;
        ++oh;
      }
    }
  }

  Kernel &kernel;
  const Windows &windows;
  Region<T> &region;
  std::vector<Segment> segments;
  std::vector<int64_t> offsets;
  T sums[kBlock][kSegment];
};

} // namespace

template <typename T>
static void convolve(Kernel &kernel, const Windows &windows, int64_t groups) {
  const int64_t inputsPerGroup = windows.inputChannels / groups,
                resultsPerGroup = windows.resultChannels / groups;
  const int64_t end = windows.c0 + windows.channels;
  for (int64_t group = windows.c0 / resultsPerGroup;
       group * resultsPerGroup < end; ++group) {
    Region<T> region(kernel, windows, group * inputsPerGroup, inputsPerGroup);
    auto convolution = std::make_unique<Convolution<T>>(kernel, windows, region,
                                                        inputsPerGroup);
    const int64_t from = std::max(windows.c0, group * resultsPerGroup);
    const int64_t to = std::min(end, (group + 1) * resultsPerGroup);
    for (int64_t i = 0; i < windows.images; ++i) {
      region.gather(windows.n0 + i);
      convolution->run(windows.n0 + i, from, to - from);
    }
  }
}

static void runAnyConvolution(Kernel &kernel, bool isTransposed) {
  const auto windows = windowsOf(kernel, isTransposed);
  if (!windows)
    return;
  const int64_t groups = kernel.number("group", 1);
  if (!kernel.has(1) || groups < 1 || windows->inputChannels % groups != 0 ||
      windows->resultChannels % groups != 0)
    return kernel.refuse("filter or groups");
  if (kernel.bits <= 16)
    convolve<uint16_t>(kernel, *windows, groups);
  else
    convolve<uint32_t>(kernel, *windows, groups);
}

void runConvolution(Kernel &kernel) { runAnyConvolution(kernel, false); }
void runDeconvolution(Kernel &kernel) { runAnyConvolution(kernel, true); }

} // namespace tpu_mlir::exec

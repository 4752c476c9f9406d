//===- Convolution.cpp ----------------------------------------------------===//
//
// Both kinds are one product. The input is laid out with its padding, and for
// the transpose with the elements between its own, all 0; then every term of a
// sum is at `pixel + tap`, a number that only the element of the result decides
// plus one that only the term decides.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Execution/Convolution.h"

#include "Epilogue.h"
#include "Gemm.h"
#include "tpu_mlir/Support/Bytes.h"

#include <array>

namespace tpu_mlir::execution {

namespace {

using Triple = std::array<int64_t, 3>;

/// A convolution in three spatial dimensions, the missing ones in front of 1.
struct Layout {
  int64_t images = 1, group = 1;
  int64_t inChannels = 1, outChannels = 1; ///< Of a group.
  Triple in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1};
  Triple stride{1, 1, 1}, dilation{1, 1, 1}, pad{0, 0, 0};
  bool isTransposed = false;

  int64_t extent(int dim) const {
    return (kernel[dim] - 1) * dilation[dim] + 1;
  }
  /// Of the input with padding.
  int64_t padded(int dim) const {
    return (out[dim] - 1) * (isTransposed ? 1 : stride[dim]) + extent(dim);
  }
  /// Where element `at` of the input is there.
  int64_t place(int dim, int64_t at) const {
    return isTransposed ? at * stride[dim] - pad[dim] + extent(dim) - 1
                        : at + pad[dim];
  }
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t pixels() const { return out[0] * out[1] * out[2]; }
};

} // namespace

static Outcome readSpatial(const Convolution &how, const TensorView &input,
                           const TensorView &filter, const TensorSpan &result,
                           Layout &layout) {
  const size_t spatial = how.kernel.size();
  const int64_t rank = static_cast<int64_t>(spatial) + 2;
  if (spatial < 1 || spatial > 3 || input.rank() != rank ||
      filter.rank() != rank || result.rank() != rank)
    return KernelError{
        "the kernel has " + std::to_string(spatial) +
        " dimensions, the tensors are " + describe(input.type.shape) + ", " +
        describe(filter.type.shape) + " and " + describe(result.type.shape)};
  if (how.strides.size() != spatial || how.dilations.size() != spatial ||
      how.pads.size() != 2 * spatial)
    return KernelError{"strides, dilations or pads do not fit the kernel"};
  constexpr int64_t kLimit = int64_t(1) << 24;
  for (size_t i = 0; i < spatial; ++i) {
    const size_t dim = 3 - spatial + i;
    layout.in[dim] = input.dim(i + 2), layout.out[dim] = result.dim(i + 2);
    layout.kernel[dim] = how.kernel[i], layout.stride[dim] = how.strides[i];
    layout.dilation[dim] = how.dilations[i], layout.pad[dim] = how.pads[i];
    if (how.kernel[i] != filter.dim(i + 2) || how.kernel[i] < 1 ||
        how.strides[i] < 1 || how.dilations[i] < 1 || how.kernel[i] > kLimit ||
        how.strides[i] > kLimit || how.dilations[i] > kLimit ||
        how.pads[i] < -kLimit || how.pads[i] > kLimit)
      return KernelError{"a kernel of " + describe(how.kernel) +
                         " does not fit its strides, dilations, pads or "
                         "filter " +
                         describe(filter.type.shape)};
  }
  return std::nullopt;
}

static Outcome readLayout(const Convolution &how, const TensorView &input,
                          const TensorView &filter, const TensorSpan &result,
                          Layout &layout) {
  if (Outcome error = readSpatial(how, input, filter, result, layout))
    return error;
  layout.images = input.dim(0);
  layout.group = how.group;
  if (how.group < 1 || input.dim(1) % how.group != 0 ||
      result.dim(1) % how.group != 0 || result.dim(0) != input.dim(0) ||
      filter.dim(0) != result.dim(1) ||
      filter.dim(1) != input.dim(1) / how.group)
    return KernelError{std::to_string(how.group) + " groups do not fit " +
                       describe(input.type.shape) + ", " +
                       describe(filter.type.shape) + " and " +
                       describe(result.type.shape)};
  layout.inChannels = input.dim(1) / how.group;
  layout.outChannels = result.dim(1) / how.group;
  std::optional<int64_t> room = input.dim(1);
  for (int dim = 0; dim < 3; ++dim)
    room = room ? checkedMul(*room, std::max<int64_t>(layout.padded(dim), 0))
                : room;
  if (!room || *room > (int64_t(1) << 30))
    return KernelError{"the input with its padding is too large"};
  return std::nullopt;
}

/// The channels of image `image` with padding.
static std::vector<float> layOut(const Layout &layout,
                                 const std::vector<float> &input, int64_t image,
                                 float padding) {
  const int64_t channels = layout.inChannels * layout.group;
  const Triple size{layout.padded(0), layout.padded(1), layout.padded(2)};
  std::vector<float> padded(channels * size[0] * size[1] * size[2], padding);
  const float *from = input.data() + image * channels * layout.in[0] *
                                         layout.in[1] * layout.in[2];
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t z = 0; z < layout.in[0]; ++z)
      for (int64_t y = 0; y < layout.in[1]; ++y, from += layout.in[2]) {
        const int64_t pz = layout.place(0, z), py = layout.place(1, y);
        if (pz < 0 || pz >= size[0] || py < 0 || py >= size[1])
          continue;
        float *row = &padded[((c * size[0] + pz) * size[1] + py) * size[2]];
        for (int64_t x = 0; x < layout.in[2]; ++x) {
          const int64_t px = layout.place(2, x);
          if (px >= 0 && px < size[2])
            row[px] = from[x];
        }
      }
  return padded;
}

/// Where each term of a sum is, from the pixel's place on.
static std::vector<int64_t> tapPlaces(const Layout &layout) {
  const Triple size{layout.padded(0), layout.padded(1), layout.padded(2)};
  std::vector<int64_t> places;
  places.reserve(layout.inChannels * layout.taps());
  auto at = [&](int dim, int64_t tap) {
    const int64_t far = tap * layout.dilation[dim];
    return layout.isTransposed ? layout.extent(dim) - 1 - far : far;
  };
  for (int64_t c = 0; c < layout.inChannels; ++c)
    for (int64_t z = 0; z < layout.kernel[0]; ++z)
      for (int64_t y = 0; y < layout.kernel[1]; ++y)
        for (int64_t x = 0; x < layout.kernel[2]; ++x)
          places.push_back(((c * size[0] + at(0, z)) * size[1] + at(1, y)) *
                               size[2] +
                           at(2, x));
  return places;
}

static std::vector<int64_t> pixelPlaces(const Layout &layout) {
  std::vector<int64_t> places;
  places.reserve(layout.pixels());
  auto step = [&](int dim) {
    return layout.isTransposed ? 1 : layout.stride[dim];
  };
  for (int64_t z = 0; z < layout.out[0]; ++z)
    for (int64_t y = 0; y < layout.out[1]; ++y)
      for (int64_t x = 0; x < layout.out[2]; ++x)
        places.push_back((z * step(0) * layout.padded(1) + y * step(1)) *
                             layout.padded(2) +
                         x * step(2));
  return places;
}

namespace {

struct Work {
  const Layout &layout;
  std::vector<int64_t> taps, pixels;
  std::vector<float> filter;
  std::optional<BiasOf> bias;
  FusedRelu relu;
  const std::optional<Requant> &requant;
  std::vector<int64_t> integerBias; ///< One a channel, with `requant`.
  float padding = 0;
};

} // namespace

/// Pixels [first, last) of the channels of a group; `padded` begins with the
/// group's first channel, `out` with the image's.
static void convolvePixels(const Work &work, int64_t group, int64_t first,
                           int64_t last, const float *padded, float *out) {
  const Layout &layout = work.layout;
  const int64_t depth = static_cast<int64_t>(work.taps.size());
  const int64_t channel = group * layout.outChannels;
  float *place = out + channel * layout.pixels() + first;
  auto pack = [&](int64_t begin, int64_t end, int64_t column, int64_t width,
                  float *to) {
    const int64_t *pixels = work.pixels.data() + first + column;
    const bool isRun =
        width == kPanel && pixels[kPanel - 1] - pixels[0] == kPanel - 1;
    for (int64_t k = begin; k < end; ++k, to += kPanel) {
      const float *from = padded + work.taps[k];
      if (isRun)
        std::memcpy(to, from + pixels[0], kPanel * sizeof(float));
      else
        for (int64_t j = 0; j < width; ++j)
          to[j] = from[pixels[j]];
    }
  };
  multiply(layout.outChannels, last - first, depth,
           work.filter.data() + channel * depth, depth, place, layout.pixels(),
           pack);
  for (int64_t o = 0; o < layout.outChannels; ++o, place += layout.pixels())
    for (int64_t p = 0; p < last - first; ++p)
      place[p] = finish(place[p], work.bias, channel + o, work.relu);
}

/// As convolvePixels, in integers: sums of kDepth products of 8 bits are exact
/// in f32, and are added up in 64 bits.
static void convolveIntegers(const Work &work, int64_t group, int64_t first,
                             int64_t last, const float *padded, int64_t *out) {
  const Layout &layout = work.layout;
  const int64_t depth = static_cast<int64_t>(work.taps.size());
  const int64_t channel = group * layout.outChannels, width = last - first;
  std::vector<int64_t> sums(layout.outChannels * width);
  std::vector<float> part(sums.size());
  for (int64_t from = 0; from < depth; from += kDepth) {
    const int64_t *pixels = work.pixels.data() + first;
    multiply(layout.outChannels, width, std::min(kDepth, depth - from),
             work.filter.data() + channel * depth + from, depth, part.data(),
             width,
             [&](int64_t begin, int64_t end, int64_t column, int64_t columns,
                 float *to) {
               for (int64_t k = begin; k < end; ++k, to += kPanel)
                 for (int64_t j = 0; j < columns; ++j)
                   to[j] = padded[work.taps[from + k] + pixels[column + j]];
             });
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<int64_t>(part[i]);
  }
  for (int64_t o = 0; o < layout.outChannels; ++o)
    for (int64_t p = 0; p < width; ++p)
      out[(channel + o) * layout.pixels() + first + p] =
          finish(sums[o * width + p], work.integerBias, channel + o,
                 *work.requant, work.relu);
}

static void run(const Work &work, const std::vector<float> &input,
                const TensorSpan &result, unsigned threads) {
  const Layout &layout = work.layout;
  std::vector<float> values(work.requant ? 0 : result.elements());
  std::vector<int64_t> integers(work.requant ? result.elements() : 0);
  const int64_t imageSize = layout.outChannels * layout.group * layout.pixels();
  const int64_t blocks = ceilDiv(layout.pixels(), 8 * kPanel);
  for (int64_t image = 0; image < layout.images; ++image) {
    const std::vector<float> padded =
        layOut(layout, input, image, work.padding);
    const int64_t groupSize =
        static_cast<int64_t>(padded.size()) / layout.group;
    parallelFor(layout.group * blocks, threads, [&](int64_t task) {
      const int64_t group = task / blocks, block = task % blocks;
      const int64_t first = block * 8 * kPanel;
      const int64_t last = std::min(layout.pixels(), first + 8 * kPanel);
      const float *channels = padded.data() + group * groupSize;
      if (work.requant)
        convolveIntegers(work, group, first, last, channels,
                         integers.data() + image * imageSize);
      else
        convolvePixels(work, group, first, last, channels,
                       values.data() + image * imageSize);
    });
  }
  if (work.requant)
    store(integers, result);
  else
    store(values, result);
}

static Outcome compute(Layout layout, const Convolution &how,
                       const TensorView &input, const TensorView &filter,
                       const TensorView *bias, const TensorSpan &result,
                       unsigned threads) {
  if (Outcome error = check({input, filter}, {result}))
    return error;
  if (result.elements() == 0)
    return std::nullopt;
  if (Outcome error = readLayout(how, input, filter, result, layout))
    return error;
  Work work{layout, {}, {}, {}, std::nullopt, how.relu, how.requant, {}, 0};
  if (Outcome error = how.requant ? readIntegers(*how.requant, how.relu, input,
                                                 filter, bias, result.dim(1),
                                                 result, work.integerBias)
                                  : readBias(bias, result.dim(1), work.bias))
    return error;
  work.taps = tapPlaces(layout);
  work.pixels = pixelPlaces(layout);
  if (!how.requant) {
    work.filter = numbersOf(filter);
    run(work, numbersOf(input), result, threads);
    return std::nullopt;
  }
  if (Outcome error = readDifferences(filter, how.filterZeroPoint, work.filter))
    return error;
  if (how.padding < leastOf(input.type.element) ||
      how.padding > largestOf(input.type.element))
    return KernelError{"the padding is no element of the input"};
  work.padding = static_cast<float>(how.padding);
  run(work, floatsOf(input), result, threads);
  return std::nullopt;
}

Outcome convolve(const Convolution &how, const TensorView &input,
                 const TensorView &filter, const TensorView *bias,
                 const TensorSpan &result, unsigned threads) {
  return compute(Layout(), how, input, filter, bias, result, threads);
}

Outcome deconvolve(const Convolution &how, const TensorView &input,
                   const TensorView &filter, const TensorView *bias,
                   const TensorSpan &result, unsigned threads) {
  Layout layout;
  layout.isTransposed = true;
  return compute(layout, how, input, filter, bias, result, threads);
}

} // namespace tpu_mlir::execution

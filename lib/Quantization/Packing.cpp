//===- Packing.cpp - Coefficients as backends store them ------------------===//

#include "tpu_mlir/Quantization/Packing.h"

#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/Endian.h"

#include <algorithm>

namespace tpu_mlir::quantization {

using llvm::support::endian::read32le;
using llvm::support::endian::write32le;

/// Further parts of three words begin at multiples of this.
static constexpr int64_t kPartStride = 64;

std::vector<uint8_t> packQdm(llvm::ArrayRef<int32_t> bias,
                             llvm::ArrayRef<Factor> factors) {
  const size_t width = bias.empty() ? 5 : 9;
  std::vector<uint8_t> bytes(factors.size() * width);
  uint8_t *to = bytes.data();
  for (size_t c = 0; c < factors.size(); ++c, to += 5) {
    if (!bias.empty()) {
      write32le(to, static_cast<uint32_t>(bias[c]));
      to += 4;
    }
    write32le(to, static_cast<uint32_t>(factors[c].multiplier));
    to[4] = static_cast<uint8_t>(factors[c].shift);
  }
  return bytes;
}

std::optional<QdmChannels> unpackQdm(llvm::ArrayRef<uint8_t> bytes,
                                     int64_t channels) {
  const int64_t size = static_cast<int64_t>(bytes.size());
  if (channels < 1 || (size != channels * 5 && size != channels * 9))
    return std::nullopt;
  QdmChannels result;
  const bool hasBias = size == channels * 9;
  const uint8_t *from = bytes.data();
  for (int64_t c = 0; c < channels; ++c, from += 5) {
    if (hasBias) {
      result.bias.push_back(static_cast<int32_t>(read32le(from)));
      from += 4;
    }
    result.factors.push_back({read32le(from), from[4]});
  }
  return result;
}

int64_t storedInputs(const FilterShape &shape) {
  return shape.isDepthwise || shape.inputs <= 1 ? shape.inputs
                                                : alignUp(shape.inputs, 2);
}

std::vector<uint8_t> channelsLast(llvm::ArrayRef<uint8_t> filter,
                                  const FilterShape &shape,
                                  int64_t storedInputs) {
  std::vector<uint8_t> stored(shape.outputs * shape.taps * storedInputs);
  for (int64_t o = 0; o < shape.outputs; ++o)
    for (int64_t i = 0; i < shape.inputs; ++i)
      for (int64_t t = 0; t < shape.taps; ++t)
        stored[(o * shape.taps + t) * storedInputs + i] =
            filter[(o * shape.inputs + i) * shape.taps + t];
  return stored;
}

std::vector<uint8_t> channelsFirst(llvm::ArrayRef<uint8_t> stored,
                                   const FilterShape &shape,
                                   int64_t storedInputs) {
  std::vector<uint8_t> filter(shape.outputs * shape.row());
  for (int64_t o = 0; o < shape.outputs; ++o)
    for (int64_t i = 0; i < shape.inputs; ++i)
      for (int64_t t = 0; t < shape.taps; ++t)
        filter[(o * shape.inputs + i) * shape.taps + t] =
            stored[(o * shape.taps + t) * storedInputs + i];
  return filter;
}

//===----------------------------------------------------------------------===//
// Taps as input channels
//===----------------------------------------------------------------------===//

Fold foldOf(int64_t inputs, llvm::ArrayRef<int64_t> kernel,
            int64_t icParallel) {
  if (kernel.size() != 2)
    return Fold::None;
  const int64_t rows = kernel[0], columns = kernel[1];
  const auto fits = [&](int64_t taps) {
    return taps > 1 && inputs <= icParallel / taps;
  };
  if (rows > 1 && columns > 1 && rows <= icParallel / columns &&
      fits(rows * columns))
    return Fold::Both;
  if (fits(columns) && (columns < rows || !fits(rows)))
    return Fold::Columns;
  return fits(rows) ? Fold::Rows : Fold::None;
}

FilterShape folded(FilterShape shape, llvm::ArrayRef<int64_t> kernel,
                   Fold fold) {
  const int64_t taps = fold == Fold::None      ? 1
                       : fold == Fold::Rows    ? kernel[0]
                       : fold == Fold::Columns ? kernel[1]
                                               : kernel[0] * kernel[1];
  shape.inputs *= taps;
  shape.taps /= taps;
  return shape;
}

/// Each matrix of `rows` x `columns` elements turned.
static std::vector<uint8_t> turned(llvm::ArrayRef<uint8_t> elements,
                                   int64_t rows, int64_t columns,
                                   int64_t width) {
  std::vector<uint8_t> result(elements.size());
  const int64_t taps = rows * columns;
  for (int64_t i = 0; i < static_cast<int64_t>(elements.size()) / width; ++i) {
    const int64_t to =
        i / taps * taps + i % columns * rows + i % taps / columns;
    std::copy_n(elements.begin() + i * width, width,
                result.begin() + to * width);
  }
  return result;
}

// Rows are in front of columns in a plain filter: with rows, or both, folded
// the elements stay in order.
std::vector<uint8_t> foldFilter(llvm::ArrayRef<uint8_t> filter,
                                llvm::ArrayRef<int64_t> kernel, Fold fold,
                                int64_t width) {
  return fold == Fold::Columns ? turned(filter, kernel[0], kernel[1], width)
                               : filter.vec();
}

std::vector<uint8_t> unfoldFilter(llvm::ArrayRef<uint8_t> filter,
                                  llvm::ArrayRef<int64_t> kernel, Fold fold,
                                  int64_t width) {
  return fold == Fold::Columns ? turned(filter, kernel[1], kernel[0], width)
                               : filter.vec();
}

//===----------------------------------------------------------------------===//
// Blocks of input channels
//===----------------------------------------------------------------------===//

int64_t blockedRow(const FilterShape &shape, int64_t icParallel) {
  return shape.isDepthwise ? shape.row()
                           : shape.taps * alignUp(shape.inputs, icParallel);
}

/// Element (i, t) of a channel's filter: blocks of input channels, all taps of
/// one, then those of the next.
static int64_t placeInRow(const FilterShape &shape, int64_t icParallel,
                          int64_t input, int64_t tap) {
  if (shape.isDepthwise)
    return input * shape.taps + tap;
  const int64_t block = input / icParallel;
  return (block * shape.taps + tap) * icParallel + input % icParallel;
}

/// Calls `body(place in the stored filter, place in the plain one)` for each
/// element of channel c.
template <typename Body>
static void forRow(const FilterShape &shape, int64_t icParallel, int64_t c,
                   int64_t start, Body body) {
  for (int64_t i = 0; i < shape.inputs; ++i)
    for (int64_t t = 0; t < shape.taps; ++t)
      body(start + placeInRow(shape, icParallel, i, t),
           (c * shape.inputs + i) * shape.taps + t);
}

/// Calls `body(byte in the stored filter, byte in the plain one)` for each
/// element.
template <typename Body>
static void forElements(const FilterShape &shape, int64_t icParallel,
                        int64_t width, Body body) {
  const int64_t row = blockedRow(shape, icParallel);
  for (int64_t c = 0; c < shape.outputs; ++c)
    forRow(shape, icParallel, c, c * row, [&](int64_t stored, int64_t plain) {
      body(stored * width, plain * width);
    });
}

std::vector<uint8_t> blockFilter(llvm::ArrayRef<uint8_t> filter,
                                 const FilterShape &shape, int64_t icParallel,
                                 int64_t width) {
  std::vector<uint8_t> stored(shape.outputs * blockedRow(shape, icParallel) *
                              width);
  forElements(shape, icParallel, width, [&](int64_t to, int64_t from) {
    std::copy_n(filter.begin() + from, width, stored.begin() + to);
  });
  return stored;
}

std::vector<uint8_t> unblockFilter(llvm::ArrayRef<uint8_t> stored,
                                   const FilterShape &shape, int64_t icParallel,
                                   int64_t width) {
  std::vector<uint8_t> filter(shape.outputs * shape.row() * width);
  forElements(shape, icParallel, width, [&](int64_t from, int64_t to) {
    std::copy_n(stored.begin() + from, width, filter.begin() + to);
  });
  return filter;
}

//===----------------------------------------------------------------------===//
// One weight for all
//===----------------------------------------------------------------------===//

MergedLayout mergedLayout(const MergedForm &form, const FilterShape &shape,
                          bool hasBias) {
  MergedLayout layout;
  layout.lanes = std::min(shape.outputs, form.lanes);
  layout.parts = ceilDiv(shape.outputs, layout.lanes);
  const int64_t requant = 4 * form.requantWords;
  layout.requantStride = form.requantWords > 2 ? kPartStride : requant;
  int64_t end = (layout.parts - 1) * layout.requantStride + requant;
  if (hasBias) {
    layout.bias = end;
    end += 4 * layout.parts;
  }
  // The filter of a depthwise convolution is read element by element.
  const bool isUnaligned = shape.isDepthwise && form.requantWords > 2;
  layout.filter = isUnaligned ? end : alignUp(end, form.euBytes);
  layout.filterStride = blockedRow(shape, form.icParallel);
  layout.width = layout.filter + layout.parts * layout.filterStride;
  return layout;
}

MergedForm float8Form(MergedForm form) {
  form.requantWords = 1;
  return form;
}

static void writeRequant(uint8_t *to, const MergedForm &form,
                         const Factor &factor, int64_t zeroPoint) {
  write32le(to, static_cast<uint32_t>(factor.multiplier));
  if (form.requantWords < 2)
    return;
  if (form.requantWords > 2) {
    write32le(to + 4, static_cast<uint32_t>(-factor.shift));
    write32le(to + 8, static_cast<uint32_t>(zeroPoint));
    return;
  }
  write32le(to + 4, (static_cast<uint32_t>(-factor.shift) & 0xff) |
                        static_cast<uint32_t>(zeroPoint) << 16);
}

static Factor readRequant(const uint8_t *from, const MergedForm &form,
                          int64_t &zeroPoint) {
  const int64_t multiplier = static_cast<int32_t>(read32le(from));
  if (form.requantWords < 2)
    return {multiplier, 0};
  const int32_t second = static_cast<int32_t>(read32le(from + 4));
  if (form.requantWords > 2) {
    zeroPoint = static_cast<int32_t>(read32le(from + 8));
    return {multiplier, -int64_t(second)};
  }
  zeroPoint = second >> 16;
  return {multiplier, -int64_t(static_cast<int8_t>(second & 0xff))};
}

std::vector<uint8_t> packMerged(const MergedForm &form,
                                const FilterShape &shape,
                                llvm::ArrayRef<uint8_t> filter,
                                const MergedChannels &channels) {
  const MergedLayout layout = mergedLayout(form, shape, !channels.bias.empty());
  std::vector<uint8_t> bytes(layout.lanes * layout.width);
  for (int64_t c = 0; c < shape.outputs; ++c) {
    uint8_t *lane = bytes.data() + c % layout.lanes * layout.width;
    const int64_t part = c / layout.lanes;
    writeRequant(lane + layout.requant + part * layout.requantStride, form,
                 channels.factors[c], channels.zeroPoint);
    if (!channels.bias.empty())
      write32le(lane + layout.bias + 4 * part,
                static_cast<uint32_t>(channels.bias[c]));
    forRow(shape, form.icParallel, c,
           layout.filter + part * layout.filterStride,
           [&](int64_t to, int64_t from) { lane[to] = filter[from]; });
  }
  return bytes;
}

std::optional<UnpackedMerged> unpackMerged(const MergedForm &form,
                                           const FilterShape &shape,
                                           bool hasBias,
                                           llvm::ArrayRef<uint8_t> bytes) {
  const MergedLayout layout = mergedLayout(form, shape, hasBias);
  if (static_cast<int64_t>(bytes.size()) != layout.lanes * layout.width)
    return std::nullopt;
  UnpackedMerged result;
  result.filter.resize(shape.outputs * shape.row());
  for (int64_t c = 0; c < shape.outputs; ++c) {
    const uint8_t *lane = bytes.data() + c % layout.lanes * layout.width;
    const int64_t part = c / layout.lanes;
    result.channels.factors.push_back(
        readRequant(lane + layout.requant + part * layout.requantStride, form,
                    result.channels.zeroPoint));
    if (hasBias)
      result.channels.bias.push_back(
          static_cast<int32_t>(read32le(lane + layout.bias + 4 * part)));
    forRow(shape, form.icParallel, c,
           layout.filter + part * layout.filterStride,
           [&](int64_t from, int64_t to) { result.filter[to] = lane[from]; });
  }
  return result;
}

} // namespace tpu_mlir::quantization

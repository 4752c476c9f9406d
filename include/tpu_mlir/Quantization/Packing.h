//===- Packing.h - Coefficients as backends store them ----------*- C++ -*-===//
//
// Chips with 5 bytes of requantisation a channel (qdm) have a weight of biases
// and factors beside the filter, channel by channel:
//
//   | bias, 4 bytes | multiplier, 4 bytes | shift, 1 byte |   bias if any
//
// and the filter with its input channels last, an even number of them. Others
// have all in one weight, lane by lane (channel c in lane c mod lanes, the
// c / lanes-th part of it):
//
//   | requant of each part | bias of each part | filter of each part |
//
// Filters of floats of 16 bits are a weight of their own there, channel by
// channel, in blocks of input channels as those of integers are.
//
// Requant: three i32 (multiplier, shift to the left, zero point), each further
// part at a multiple of 64 bytes; or two, the second with the shift in its low
// byte and the zero point in its upper half, one after the other. Of floats of
// 8 bits it is one word, the bits of a scale in f32, and so are the biases.
//
//===----------------------------------------------------------------------===//

#ifndef TPU_MLIR_QUANTIZATION_PACKING_H
#define TPU_MLIR_QUANTIZATION_PACKING_H

#include "tpu_mlir/Quantization/Factors.h"

#include <optional>
#include <vector>

namespace tpu_mlir::quantization {

/// Biases may be empty: 5 bytes a channel instead of 9.
std::vector<uint8_t> packQdm(llvm::ArrayRef<int32_t> bias,
                             llvm::ArrayRef<Factor> factors);
struct QdmChannels {
  std::vector<int32_t> bias;
  std::vector<Factor> factors;
};
/// The other way; nullopt when these are not 5 or 9 bytes for each channel.
std::optional<QdmChannels> unpackQdm(llvm::ArrayRef<uint8_t> bytes,
                                     int64_t channels);

/// A filter's shape: [outputs, inputs, taps], inputs those of one group.
struct FilterShape {
  int64_t outputs = 1, inputs = 1, taps = 1;
  bool isDepthwise = false;
  int64_t row() const { return inputs * taps; }
};

/// Input channels that are stored for qdm: an odd number of more than one is
/// one more, but for a depthwise filter.
int64_t storedInputs(const FilterShape &shape);
/// [oc, ic, taps] as [oc, taps, stored ic], with zeros; of one byte each.
std::vector<uint8_t> channelsLast(llvm::ArrayRef<uint8_t> filter,
                                  const FilterShape &shape,
                                  int64_t storedInputs);
/// The other way, without what is padding.
std::vector<uint8_t> channelsFirst(llvm::ArrayRef<uint8_t> stored,
                                   const FilterShape &shape,
                                   int64_t storedInputs);

/// Which taps of a filter count as input channels in memory, where these are
/// few; the values are those of `use_3ic_optimize`.
enum class Fold { None = 0, Rows = 1, Columns = 2, Both = 3 };

/// The most taps that fit into a block of `icParallel` channels; of rows and
/// columns alike the rows. `kernel` is [rows, columns].
Fold foldOf(int64_t inputs, llvm::ArrayRef<int64_t> kernel, int64_t icParallel);
/// The filter with these taps among its inputs.
FilterShape folded(FilterShape shape, llvm::ArrayRef<int64_t> kernel,
                   Fold fold);
/// The elements of [oc, ic, rows, columns], of `width` bytes each, in the order
/// of the folded shape; and back.
std::vector<uint8_t> foldFilter(llvm::ArrayRef<uint8_t> filter,
                                llvm::ArrayRef<int64_t> kernel, Fold fold,
                                int64_t width = 1);
std::vector<uint8_t> unfoldFilter(llvm::ArrayRef<uint8_t> filter,
                                  llvm::ArrayRef<int64_t> kernel, Fold fold,
                                  int64_t width = 1);

/// Elements of a channel's filter in blocks of `icParallel` input channels; of
/// a depthwise one as many as it has.
int64_t blockedRow(const FilterShape &shape, int64_t icParallel);
/// [oc, ic, taps], of `width` bytes an element, as [oc, blocks, taps,
/// icParallel], with zeros: all taps of one block, then those of the next.
std::vector<uint8_t> blockFilter(llvm::ArrayRef<uint8_t> filter,
                                 const FilterShape &shape, int64_t icParallel,
                                 int64_t width);
/// The other way, without what is padding.
std::vector<uint8_t> unblockFilter(llvm::ArrayRef<uint8_t> stored,
                                   const FilterShape &shape, int64_t icParallel,
                                   int64_t width);

/// What a chip's merged coefficients look like.
struct MergedForm {
  int64_t lanes = 64;
  int64_t euBytes = 64;     ///< Filters begin at multiples of this.
  int64_t icParallel = 64;  ///< Input channels in a block.
  int64_t requantWords = 3; ///< i32 of a channel; 1: a scale in f32.
};

/// The form for filters of floats of 8 bits.
MergedForm float8Form(MergedForm form);

/// Where things are in a lane, in bytes.
struct MergedLayout {
  int64_t lanes = 1; ///< That hold channels.
  int64_t parts = 1; ///< Channels of a lane.
  int64_t requant = 0, requantStride = 0;
  int64_t bias = -1; ///< Below 0: there is none.
  int64_t filter = 0, filterStride = 0;
  int64_t width = 0; ///< Of a lane.
};
MergedLayout mergedLayout(const MergedForm &form, const FilterShape &shape,
                          bool hasBias);

struct MergedChannels {
  /// With one word of requantisation the multiplier is the bits of the scale.
  std::vector<Factor> factors;
  std::vector<int32_t> bias; ///< Empty: none. Bits of f32 beside such scales.
  int64_t zeroPoint = 0;     ///< Of the result.
};
/// lanes x width bytes. The filter is [oc, ic, taps].
std::vector<uint8_t> packMerged(const MergedForm &form,
                                const FilterShape &shape,
                                llvm::ArrayRef<uint8_t> filter,
                                const MergedChannels &channels);
struct UnpackedMerged {
  std::vector<uint8_t> filter;
  MergedChannels channels;
};
/// The other way; nullopt when the bytes are not as many as the form needs.
std::optional<UnpackedMerged> unpackMerged(const MergedForm &form,
                                           const FilterShape &shape,
                                           bool hasBias,
                                           llvm::ArrayRef<uint8_t> bytes);

} // namespace tpu_mlir::quantization

#endif // TPU_MLIR_QUANTIZATION_PACKING_H

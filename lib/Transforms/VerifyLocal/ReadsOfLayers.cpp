//===- ReadsOfLayers.cpp - What layers with weights and windows read
//-------===//

#include "lib/Transforms/VerifyLocal/ReadsOfOperand.h"

using namespace mlir;

namespace tpu_mlir::local {

ReadsOfOperand::Result ReadsOfOperand::convolution() const {
  return operand == 0 ? window(/*isPool=*/false) : filter();
}

ReadsOfOperand::Result ReadsOfOperand::pooling() const {
  return operand == 0 ? window(/*isPool=*/true) : allWhole();
}

/// Each result element reads a window.
ReadsOfOperand::Result ReadsOfOperand::window(bool isPool) const {
  if (rank() < 3 || outShape.size() != inShape.size())
    return std::nullopt;
  const size_t numSpatial = inShape.size() - 2;
  const auto kernel = numbers("kernel_shape", numSpatial, 0, 1);
  const auto strides = numbers("strides", numSpatial, 1, 1);
  const auto pads = numbers("pads", 2 * numSpatial, 0, 0);
  const auto dilations = numbers("dilations", numSpatial, 1, 1);
  const auto inserts = numbers("inserts", numSpatial, 0, 0);
  if (!kernel || !strides || !pads || !dilations || !inserts)
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  reads[0] = DimReads::same(0);
  for (size_t i = 0; i < numSpatial; ++i) {
    // Without a kernel it is all there is; with zeros put between the elements
    // or adaptive windows it is not a plain window.
    if ((*kernel)[i] == 0 || (*inserts)[i] != 0 || flag("is_adaptive"))
      continue;
    const int64_t stride = (*strides)[i], before = (*pads)[i];
    const int64_t dilation = isPool ? 1 : (*dilations)[i];
    reads[i + 2] = DimReads::taps(
        static_cast<int>(i + 2), (*kernel)[i], [=](int64_t o, int64_t k) {
          return std::optional<int64_t>(o * stride - before + k * dilation);
        });
  }
  if (isPool) {
    reads[1] = DimReads::same(1);
    return reads;
  }
  return channels(std::move(reads));
}

/// Input channels of a convolution: those of the result channel's group.
ReadsOfOperand::Result
ReadsOfOperand::channels(SmallVector<DimReads> reads) const {
  const int64_t groups = number("group", 1);
  const int64_t in = inShape[1], out = outShape[1];
  if (groups < 1 || in % groups != 0 || out % groups != 0)
    return std::nullopt;
  if (groups == 1)
    return reads;
  const int64_t inOfGroup = in / groups, outOfGroup = out / groups;
  reads[1] = DimReads::taps(1, inOfGroup, [=](int64_t channel, int64_t tap) {
    return std::optional<int64_t>(channel / outOfGroup * inOfGroup + tap);
  });
  return reads;
}

/// Element i of the operand adds to results i * S - P + k * D.
ReadsOfOperand::Result ReadsOfOperand::transposedConvolution() const {
  if (operand > 0)
    return filter();
  if (rank() < 3 || outShape.size() != inShape.size())
    return std::nullopt;
  const size_t numSpatial = inShape.size() - 2;
  const auto kernel = numbers("kernel_shape", numSpatial, 0, 1);
  const auto strides = numbers("strides", numSpatial, 1, 1);
  const auto pads = numbers("pads", 2 * numSpatial, 0, 0);
  const auto dilations = numbers("dilations", numSpatial, 1, 1);
  if (!kernel || !strides || !pads || !dilations)
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  reads[0] = DimReads::same(0);
  for (size_t i = 0; i < numSpatial; ++i) {
    const int64_t stride = (*strides)[i], before = (*pads)[i];
    const int64_t dilation = (*dilations)[i], extent = inShape[i + 2];
    reads[i + 2] =
        DimReads::taps(static_cast<int>(i + 2), (*kernel)[i],
                       [=](int64_t o, int64_t k) -> std::optional<int64_t> {
                         const int64_t numerator = o + before - k * dilation;
                         if (numerator < 0 || numerator % stride != 0 ||
                             numerator / stride >= extent)
                           return std::nullopt;
                         return numerator / stride;
                       });
  }
  return channels(std::move(reads));
}

/// Filters and biases belong to result channels, on the first dimension
/// (oc, ic, kh, kw) or, in the chip's order, on the second (1, oc, ...).
ReadsOfOperand::Result ReadsOfOperand::filter() const {
  SmallVector<DimReads> reads = allWhole();
  if (outShape.size() < 2)
    return reads;
  const int64_t channels = outShape[1];
  if (rank() >= 1 && inShape[0] == channels)
    reads[0] = DimReads::same(1);
  else if (rank() >= 2 && inShape[0] == 1 && inShape[1] == channels)
    reads[1] = DimReads::same(1);
  return reads;
}

/// (..., m, k) times (..., k, n); with `hdim_is_batch` (b, m, h, k) times
/// (b, k, h, n).
ReadsOfOperand::Result ReadsOfOperand::matrix() const {
  const int outRank = static_cast<int>(outShape.size());
  const bool isPlain = !flag("output_transpose") && outRank >= 2;
  if (operand > 2 || !isPlain || (operand == 0 && rank() != outRank))
    return allWhole();
  if (operand == 2) // The bias.
    return broadcast();
  const bool isBatchH = flag("hdim_is_batch") && outRank == 4;
  const int rowDim = isBatchH ? 1 : rank() - 2;
  SmallVector<DimReads> reads = broadcast().value();
  reads[rank() - 1] = DimReads::whole();
  if (rank() >= 2 && rowDim >= 0)
    reads[rowDim] = DimReads::whole();
  if (rank() < 2 || rowDim < 0)
    return reads;
  const bool isTransposed =
      flag(operand == 0 ? "left_transpose" : "right_transpose");
  // The free dimension: rows of the left side, columns of the right one.
  const int free = (operand == 0) == isTransposed ? rank() - 1 : rowDim;
  const int resultDim = operand == 1 ? outRank - 1 : isBatchH ? 1 : outRank - 2;
  if (inShape[free] == outShape[resultDim])
    reads[free] = DimReads::same(resultDim);
  return reads;
}

} // namespace tpu_mlir::local

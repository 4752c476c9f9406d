//===- ReadsOfOperand.cpp - What an op reads of an operand ----------------===//
//
// First layers with weights and windows, then ops that move elements.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/ReadsOfOperand.h"

using namespace mlir;

namespace tpu_mlir::local {

ReadsOfOperand::Result ReadsOfOperand::convolution() const {
  return operand == 0 ? window(/*isPool=*/false) : filter();
}

ReadsOfOperand::Result ReadsOfOperand::pooling() const {
  return operand == 0 ? window(/*isPool=*/true) : allWhole();
}

std::optional<ReadsOfOperand::Window> ReadsOfOperand::windowOf() const {
  if (rank() < 3 || outShape.size() != inShape.size())
    return std::nullopt;
  const size_t numSpatial = inShape.size() - 2;
  const auto kernel = numbers("kernel_shape", numSpatial, 0, 1);
  const auto strides = numbers("strides", numSpatial, 1, 1);
  const auto pads = numbers("pads", 2 * numSpatial, 0, 0);
  const auto dilations = numbers("dilations", numSpatial, 1, 1);
  if (!kernel || !strides || !pads || !dilations)
    return std::nullopt;
  return Window{numSpatial, *kernel, *strides, *pads, *dilations};
}

/// Each result element reads a window.
ReadsOfOperand::Result ReadsOfOperand::window(bool isPool) const {
  const auto all = windowOf();
  const auto inserts =
      all ? numbers("inserts", all->numSpatial, 0, 0) : std::nullopt;
  if (!inserts)
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  reads[0] = DimReads::same(0);
  for (size_t i = 0; i < all->numSpatial; ++i) {
    // Without a kernel it is all there is; with zeros put between the elements
    // or adaptive windows it is not a plain window.
    if (all->kernel[i] == 0 || (*inserts)[i] != 0 || flag("is_adaptive"))
      continue;
    const int64_t stride = all->strides[i], before = all->pads[i];
    const int64_t dilation = isPool ? 1 : all->dilations[i];
    reads[i + 2] = DimReads::taps(
        static_cast<int>(i + 2), all->kernel[i], [=](int64_t o, int64_t k) {
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
  const auto all = windowOf();
  if (!all)
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  reads[0] = DimReads::same(0);
  for (size_t i = 0; i < all->numSpatial; ++i) {
    const int64_t stride = all->strides[i], before = all->pads[i];
    const int64_t dilation = all->dilations[i], extent = inShape[i + 2];
    reads[i + 2] =
        DimReads::taps(static_cast<int>(i + 2), all->kernel[i],
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

bool ReadsOfOperand::isStatic() const {
  return operand == 0 &&
         llvm::none_of(llvm::drop_begin(op->getOperandTypes()),
                       [](Type type) { return isa<TensorType>(type); });
}

ReadsOfOperand::Result ReadsOfOperand::concat() const {
  const int along = axis(1);
  if (along < 0 || along >= rank())
    return std::nullopt;
  int64_t offset = 0;
  for (unsigned i = 0; i < operand; ++i) {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
    if (!type || type.getRank() != rank())
      return std::nullopt;
    offset += type.getDimSize(along);
  }
  auto reads = sameExcept([&](int dim) { return dim == along; });
  if (!reads)
    return std::nullopt;
  const int64_t extent = inShape[along];
  (*reads)[along] = DimReads::taps(
      along, 1, [=](int64_t element, int64_t) -> std::optional<int64_t> {
        const int64_t index = element - offset;
        if (index < 0 || index >= extent)
          return std::nullopt;
        return index;
      });
  return reads;
}

/// `axes` names the dimensions that `offset` and `steps` are of; empty: all.
ReadsOfOperand::Result ReadsOfOperand::slice() const {
  auto axes = integers(op, "axes").value_or(SmallVector<int64_t>());
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, rank()));
  const auto offsets = numbers("offset", axes.size(), 0, -kMaxAttribute);
  const auto steps = numbers("steps", axes.size(), 1, 1);
  if (!isStatic() || !offsets || !steps || outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads;
  for (int dim = 0; dim < rank(); ++dim)
    reads.push_back(DimReads::same(dim));
  for (auto [axis, from, step] : llvm::zip_equal(axes, *offsets, *steps)) {
    const int64_t dim = axis < 0 ? axis + rank() : axis;
    if (dim < 0 || dim >= rank())
      return std::nullopt;
    const int64_t offset = from < 0 ? from + inShape[dim] : from;
    if (offset == 0 && step == 1)
      continue;
    reads[dim] = DimReads::taps(
        static_cast<int>(dim), 1, [offset, step = step](int64_t o, int64_t) {
          return std::optional<int64_t>(o * step + offset);
        });
  }
  return reads;
}

/// `paddings`: what is put in front of every dimension, then what after; below
/// 0 elements are taken away.
ReadsOfOperand::Result ReadsOfOperand::pad() const {
  const auto before =
      numbers("paddings", 2 * inShape.size(), 0, -kMaxAttribute);
  auto mode = tpu::readEnum<tpu::PaddingModeAttr>(op->getAttr("mode"));
  if (!isStatic() || flag("with_insert_zero") || !before ||
      outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads;
  for (int dim = 0; dim < rank(); ++dim) {
    const int64_t shift = (*before)[dim], extent = inShape[dim];
    const bool isPadded = shift != 0 || outShape[dim] != extent;
    // Other modes than constant repeat or mirror elements of the borders.
    if (isPadded && mode && *mode != tpu::PaddingMode::constant)
      reads.push_back(DimReads::whole());
    else if (!isPadded)
      reads.push_back(DimReads::same(dim));
    else
      reads.push_back(DimReads::taps(
          dim, 1, [=](int64_t o, int64_t) -> std::optional<int64_t> {
            if (o < shift || o - shift >= extent)
              return std::nullopt;
            return o - shift;
          }));
  }
  return reads;
}

ReadsOfOperand::Result ReadsOfOperand::upsample() const {
  const int64_t scales[] = {number("scale_h", 0), number("scale_w", 0)};
  if (rank() != 4 || outShape.size() != 4 || scales[0] < 1 || scales[1] < 1)
    return std::nullopt;
  auto reads = sameExcept([](int dim) { return dim >= 2; });
  for (int dim : {2, 3}) {
    const int64_t scale = scales[dim - 2];
    (*reads)[dim] = DimReads::taps(dim, 1, [=](int64_t o, int64_t) {
      return std::optional<int64_t>(o / scale);
    });
  }
  return reads;
}

ReadsOfOperand::Result ReadsOfOperand::permute() const {
  const auto order = integers(op, "order");
  if (!order || order->size() != inShape.size() || operand > 0)
    return std::nullopt;
  SmallVector<DimReads> reads = allWhole();
  for (auto [resultDim, dim] : llvm::enumerate(*order)) {
    if (dim < 0 || dim >= rank() || outShape[resultDim] != inShape[dim])
      return std::nullopt;
    reads[dim] = DimReads::same(static_cast<int>(resultDim));
  }
  return reads;
}

ReadsOfOperand::Result ReadsOfOperand::tile() const {
  if (operand > 0 || outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads;
  for (int dim = 0; dim < rank(); ++dim) {
    const int64_t extent = inShape[dim];
    reads.push_back(extent == outShape[dim]
                        ? DimReads::same(dim)
                        : DimReads::taps(dim, 1, [=](int64_t o, int64_t) {
                            return std::optional<int64_t>(o % extent);
                          }));
  }
  return reads;
}

ReadsOfOperand::Result ReadsOfOperand::reduce() const {
  const auto axes = integers(op, "axes");
  if (!axes || operand > 0)
    return std::nullopt;
  const bool keeps = outShape.size() == inShape.size();
  SmallVector<DimReads> reads;
  int resultDim = 0;
  for (int dim = 0; dim < rank(); ++dim) {
    const bool isReduced = llvm::is_contained(*axes, dim) ||
                           llvm::is_contained(*axes, dim - rank());
    const bool fits = resultDim < static_cast<int>(outShape.size()) &&
                      outShape[resultDim] == inShape[dim];
    reads.push_back(isReduced || !fits ? DimReads::whole()
                                       : DimReads::same(resultDim));
    resultDim += keeps || !isReduced;
  }
  return reads;
}

/// The dimensions in front that stay as they are; after them elements move.
ReadsOfOperand::Result ReadsOfOperand::reshape() const {
  if (operand > 0)
    return allWhole();
  SmallVector<DimReads> reads = allWhole();
  const size_t common = std::min(inShape.size(), outShape.size());
  for (size_t dim = 0; dim < common && inShape[dim] == outShape[dim]; ++dim)
    reads[dim] = DimReads::same(static_cast<int>(dim));
  return reads;
}

} // namespace tpu_mlir::local

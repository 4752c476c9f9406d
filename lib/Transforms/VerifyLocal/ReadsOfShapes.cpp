//===- ReadsOfShapes.cpp - What ops that move elements read
//----------------===//

#include "lib/Transforms/VerifyLocal/ReadsOfOperand.h"

using namespace mlir;

namespace tpu_mlir::local {

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

ReadsOfOperand::Result ReadsOfOperand::slice() const {
  const auto axes = integers(op, "axes");
  const auto offsets = numbers("offset", inShape.size(), 0, -kMaxAttribute);
  const auto steps = numbers("steps", inShape.size(), 1, 1);
  if (!isStatic() || (axes && !axes->empty()) || !offsets || !steps ||
      outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads;
  for (int dim = 0; dim < rank(); ++dim) {
    int64_t offset = (*offsets)[dim];
    if (offset < 0)
      offset += inShape[dim];
    const int64_t step = (*steps)[dim];
    reads.push_back(DimReads::taps(dim, 1, [=](int64_t o, int64_t) {
      return std::optional<int64_t>(o * step + offset);
    }));
    if (offset == 0 && step == 1)
      reads.back() = DimReads::same(dim);
  }
  return reads;
}

/// `paddings`: what is put in front of every dimension, then what behind.
ReadsOfOperand::Result ReadsOfOperand::pad() const {
  const auto before = numbers("paddings", 2 * inShape.size(), 0, 0);
  auto mode = tpu::readEnum<tpu::PaddingModeAttr>(op->getAttr("mode"));
  if (!isStatic() || flag("with_insert_zero") || !before ||
      outShape.size() != inShape.size())
    return std::nullopt;
  SmallVector<DimReads> reads;
  for (int dim = 0; dim < rank(); ++dim) {
    const int64_t shift = (*before)[dim], extent = inShape[dim];
    const bool isPadded = outShape[dim] != extent;
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

/// The dimensions in front that stay as they are; behind them elements move.
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

//===- LmemLayout.cpp - How a tensor lies in local memory -----------------===//

#include "tpu_mlir/LayerPlanning/LmemLayout.h"

#include "tpu_mlir/Support/Bytes.h"

namespace tpu_mlir::layer {

namespace {

/// Elements from one channel slot to the next.
std::optional<int64_t> channelStride(const target::ChipSpec &chip,
                                     const Shape5 &slice, int64_t elementBits,
                                     bool euAlign) {
  const auto plane = checkedMul(slice[H], slice[W]);
  if (!plane || !euAlign)
    return plane;
  const int64_t perUnit = std::max<int64_t>(1, chip.euBytes * 8 / elementBits);
  return checkedAlignUp(*plane, perUnit);
}

} // namespace

std::optional<Dim> dimOf(int dim, int rank, GroupType type) {
  static constexpr Dim kPlain[] = {N, C, H, W};
  static constexpr Dim kDeep[] = {N, C, D, H, W};
  if (type == GroupType::SmallC)
    return std::nullopt;
  if (type == GroupType::ThreeD && rank >= 5)
    return kDeep[std::min(dim, 4)];
  return kPlain[std::min(dim, 3)];
}

std::optional<Shape5> shape5(const std::vector<int64_t> &shape, GroupType type,
                             const target::ChipSpec &chip) {
  const auto multiply = [](std::optional<int64_t> a, int64_t b) {
    return a ? checkedMul(*a, b) : std::nullopt;
  };
  const bool isSmallC = type == GroupType::SmallC;
  const int rank = static_cast<int>(shape.size());
  Shape5 result{1, 1, 1, 1, 1};
  for (int dim = 0; dim < rank; ++dim) {
    const auto target = dimOf(dim, rank, isSmallC ? GroupType::Normal : type);
    const auto product = multiply(result[*target], shape[dim]);
    if (!product)
      return std::nullopt;
    result[*target] = *product;
  }
  if (!isSmallC)
    return result;
  const auto images = multiply(result[N], result[C]);
  const auto rows = images ? multiply(*images, result[H]) : std::nullopt;
  if (!rows)
    return std::nullopt;
  if (*rows % chip.lanes == 0)
    return Shape5{*rows / chip.lanes, chip.lanes, 1, result[W], 1};
  return Shape5{*images, result[H], 1, result[W], 1};
}

std::optional<int64_t> laneBytes(const target::ChipSpec &chip,
                                 const Shape5 &slice, int64_t elementBits,
                                 bool euAlign) {
  int64_t images = slice[N];
  int64_t bits = elementBits;
  if (chip.batchLayout == target::BatchLayout::FourN && bits < 32) {
    images = ceilDiv(images, 32 / bits);
    bits = 32;
  }
  auto elements = channelStride(chip, slice, bits, euAlign);
  for (int64_t factor : {images, slice[D], ceilDiv(slice[C], chip.lanes)})
    elements = elements ? checkedMul(*elements, factor) : std::nullopt;
  if (!elements)
    return std::nullopt;
  if (bits < 8) // Two elements a byte, whole bytes.
    return *elements / 2 + *elements % 2;
  return checkedMul(*elements, bits / 8);
}

int64_t laneOffset(const target::ChipSpec &chip, const Shape5 &slice,
                   int64_t elementBits, bool euAlign, const Shape5 &index) {
  const int64_t slots = ceilDiv(slice[C], chip.lanes);
  const int64_t stride =
      channelStride(chip, slice, elementBits, euAlign).value_or(0);
  const int64_t slot =
      (index[D] * slice[N] + index[N]) * slots + index[C] / chip.lanes;
  return (slot * stride + index[H] * slice[W] + index[W]) * elementBits / 8;
}

} // namespace tpu_mlir::layer

#include "lib/Transforms/VerifyLocal/Layout.h"

#include "tpu_mlir/Support/Bytes.h"

namespace tpu_mlir::local {

const char *axisName(int axis) {
  static constexpr const char *kNames[] = {"n", "c", "d", "h", "w"};
  return kNames[axis];
}

Axis axisOf(int dim, int rank, int64_t groupType) {
  if (groupType == kThreeD && rank >= 5)
    return static_cast<Axis>(std::min<int>(dim, AxisW));
  if (dim < 2)
    return static_cast<Axis>(dim);
  return dim == 2 ? AxisH : AxisW;
}

std::optional<Extents> extentsOf(llvm::ArrayRef<int64_t> shape,
                                 int64_t groupType,
                                 const target::ChipSpec &chip) {
  const bool isSmallC = groupType == kSmallC;
  const int rank = static_cast<int>(shape.size());
  Extents extents;
  extents.fill(1);
  for (int dim = 0; dim < rank; ++dim) {
    int64_t &extent =
        extents[axisOf(dim, rank, isSmallC ? kNormal : groupType)];
    const auto product = checkedMul(extent, shape[dim]);
    if (shape[dim] < 1 || !product)
      return std::nullopt;
    extent = *product;
  }
  if (!isSmallC)
    return extents;
  const auto images = checkedMul(extents[AxisN], extents[AxisC]);
  const auto rows = images ? checkedMul(*images, extents[AxisH]) : std::nullopt;
  if (!rows)
    return std::nullopt;
  if (*rows % chip.lanes == 0)
    return Extents{*rows / chip.lanes, chip.lanes, 1, extents[AxisW], 1};
  return Extents{*images, extents[AxisH], 1, extents[AxisW], 1};
}

/// Bits of one plane of h * w elements.
static std::optional<int64_t> planeBits(const target::ChipSpec &chip,
                                        const Extents &slice,
                                        int64_t elementBits, bool euAlign) {
  const auto elements = checkedMul(slice[AxisH], slice[AxisW]);
  const auto bits =
      elements ? checkedMul(*elements, elementBits) : std::nullopt;
  return bits && euAlign ? checkedAlignUp(*bits, chip.euBytes * 8) : bits;
}

std::optional<int64_t> bytesInLane(const target::ChipSpec &chip,
                                   const Extents &slice, int64_t elementBits,
                                   bool euAlign) {
  int64_t images = slice[AxisN];
  if (chip.batchLayout == target::BatchLayout::FourN && elementBits < 32) {
    // The narrow elements of several images share a slot of 32 bits.
    const int64_t perSlot = 32 / elementBits;
    images = images / perSlot + (images % perSlot != 0);
    elementBits = 32;
  }
  const int64_t planesPerLane =
      slice[AxisC] / chip.lanes + (slice[AxisC] % chip.lanes != 0);
  auto bits = planeBits(chip, slice, elementBits, euAlign);
  for (int64_t factor : {planesPerLane, images, slice[AxisD]})
    bits = bits ? checkedMul(*bits, factor) : std::nullopt;
  if (!bits)
    return std::nullopt;
  return *bits / 8 + (*bits % 8 != 0);
}

bool layoutsAgree(const target::ChipSpec &chip, const Extents &slice,
                  int64_t elementBits) {
  const bool isOnePlane =
      slice[AxisN] == 1 && slice[AxisD] == 1 && slice[AxisC] <= chip.lanes;
  return isOnePlane || planeBits(chip, slice, elementBits, false) ==
                           planeBits(chip, slice, elementBits, true);
}

} // namespace tpu_mlir::local

//===- LocalGroup.cpp - Bytes, boxes and lives of a group's members -------===//

#include "lib/Analysis/Local/Check/Layout.h"

#include "lib/Analysis/Local/Check/Lives.h"
#include "lib/Analysis/Local/Check/LocalGroup.h"
#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

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

std::string text(Interval interval) {
  return llvm::formatv("[{0}, {1})", interval.begin, interval.end);
}

std::string describe(const Member &member) {
  Value value = member.kind == Member::Kind::Store ? member.op->getOperand(0)
                                                   : member.op->getResult(0);
  StringRef prefix = member.kind == Member::Kind::Store ? "the store of " : "";
  return llvm::formatv("{0}'{1}' (id {2})", prefix, valueName(value),
                       member.id);
}

std::optional<SmallVector<int64_t>> integers(Operation *op, StringRef name) {
  return readIntegers(op->getAttr(name));
}

Extents Member::largestSlice() const {
  Extents slice{};
  for (int axis = 0; axis < kNumAxes; ++axis)
    for (Interval part : parts[axis])
      slice[axis] = std::max(slice[axis], part.length());
  return slice;
}

std::array<Interval, kNumAxes> boxOf(const LocalGroup &group,
                                     const Member &member, int64_t section) {
  std::array<Interval, kNumAxes> box;
  for (int axis : {AxisC, AxisW, AxisH, AxisD, AxisN}) {
    box[axis] = member.part(axis, section % group.sections[axis]);
    section /= group.sections[axis];
  }
  return box;
}

static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && a < 0);
}

/// From the row that writes a member's result to the last one that reads it.
static Interval rowsOf(const LocalGroup &group, const Member &member) {
  Interval rows{group.time(member), group.time(member) + 1};
  for (int reader : member.readers)
    rows.end = std::max(rows.end, group.time(group.members[reader]) + 1);
  if (member.held)
    rows.end += (group.numSections - 1) * group.numRows;
  return rows;
}

std::vector<Buffer> buffersOf(const LocalGroup &group) {
  std::vector<Buffer> buffers;
  const int64_t lastSection = (group.numSections - 1) * group.numRows;
  for (int i = 0, end = static_cast<int>(group.members.size()); i < end; ++i) {
    const Member &member = group.members[i];
    const int64_t time = group.time(member);
    if (!member.scratch.empty() && member.isLineBuffer())
      buffers.push_back(
          {i, /*isScratch=*/true, member.scratch, {0, group.totalRows()}, 1});
    else if (!member.scratch.empty())
      buffers.push_back({i,
                         /*isScratch=*/true,
                         member.scratch,
                         {time, time + 1},
                         group.numSections});
    if (member.kind == Member::Kind::Store || member.bytes.empty())
      continue;
    const Interval rows = rowsOf(group, member);
    buffers.push_back({i, /*isScratch=*/false, member.bytes, rows,
                       member.held ? 1 : group.numSections});
    // Before and after the life that it has at home.
    if (member.isHoisted)
      buffers.push_back({i, false, member.bytes, {0, rows.begin}, 1});
    for (int reader : member.readers)
      if (group.members[reader].isSunk)
        buffers.push_back({i,
                           false,
                           member.bytes,
                           {rows.end + lastSection, group.totalRows()},
                           1});
  }
  return buffers;
}

std::string describe(const LocalGroup &group, const Buffer &buffer) {
  std::string name = describe(group.members[buffer.member]);
  return buffer.isScratch ? "the scratch of " + name : name;
}

Interval meetings(const Buffer &a, const Buffer &b, int64_t period) {
  // a shifted by d periods meets b: a.begin + d T < b.end, b.begin < a.end +
  // d T.
  const int64_t most = floorDiv(b.rows.end - 1 - a.rows.begin, period);
  const int64_t least = floorDiv(b.rows.begin - a.rows.end, period) + 1;
  return {std::max(least, 1 - b.generations),
          std::min(most, a.generations - 1) + 1};
}

} // namespace tpu_mlir::local

#include "lib/Transforms/VerifyLocal/LocalGroup.h"

#include "tpu_mlir/Analysis/Diagnostics.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

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

} // namespace tpu_mlir::local

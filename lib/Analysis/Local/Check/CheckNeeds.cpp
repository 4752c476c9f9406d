//===- CheckNeeds.cpp - I2, I3: what sections read ------------------------===//

#include "lib/Analysis/Local/Check/Checks.h"

#include "lib/Analysis/Local/Check/Reads.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

namespace {

/// One operand of one op: what its sections read, what is stored.
class NeedCheck {
public:
  NeedCheck(const LocalGroup &group, const Member &reader, unsigned operand,
            Violations &violations)
      : group(group), reader(reader),
        source(group.members[reader.operands[operand]]), operand(operand),
        violations(violations) {}

  void run();

private:
  void checkAxis(int axis);
  DimReads readsOfAxis(int axis, int &resultAxis) const;
  SmallVector<int> dimsOn(ArrayRef<int64_t> shape, int axis) const;
  bool checkSection(const DimReads &reads, int axis, int resultAxis,
                    size_t resultSection, size_t section);
  void report(Invariant invariant, int axis, size_t section, const Twine &need,
              Interval stored);

  const LocalGroup &group;
  const Member &reader, &source;
  unsigned operand;
  Violations &violations;
  ArrayRef<int64_t> inShape, outShape;
  SmallVector<DimReads> reads;
  bool isKnown = true;
};

} // namespace

void NeedCheck::run() {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  inShape = shapeOf(reader.op->getOperand(operand));
  // A store copies what it names; everything else computes its result.
  if (reader.kind == Member::Kind::Store) {
    outShape = inShape;
    for (int dim = 0, rank = static_cast<int>(inShape.size()); dim < rank;
         ++dim)
      reads.push_back(DimReads::same(dim));
  } else {
    outShape = shapeOf(reader.op->getResult(0));
    reads = operandReads(reader.op, operand, &isKnown);
  }
  for (int axis = 0; axis < kNumAxes; ++axis)
    if (axis != AxisH || !reader.isLineBuffer()) // checkLineBuffer() does.
      checkAxis(axis);
}

/// Dimensions of more than one element that lie on an axis.
SmallVector<int> NeedCheck::dimsOn(ArrayRef<int64_t> shape, int axis) const {
  SmallVector<int> dims;
  const int rank = static_cast<int>(shape.size());
  for (int dim = 0; dim < rank; ++dim) {
    int on = axisOf(dim, rank, group.groupType);
    // In SmallC groups, n, c and h together become the first two axes.
    if (group.groupType == kSmallC)
      on = dim < 3 ? (axis == AxisC ? AxisC : AxisN) : AxisH;
    if (on == axis && shape[dim] != 1)
      dims.push_back(dim);
  }
  return dims;
}

/// The reads of an axis that several dimensions may be folded into. With one
/// dimension on either side they are that dimension's; folded dimensions that
/// are all read element by element are as one; all else is read whole.
DimReads NeedCheck::readsOfAxis(int axis, int &resultAxis) const {
  const SmallVector<int> dims = dimsOn(inShape, axis);
  resultAxis = axis;
  if (dims.empty())
    return DimReads::whole();
  const int resultDim = reads[dims[0]].resultDim;
  if (resultDim < 0)
    return DimReads::whole();
  const int outRank = static_cast<int>(outShape.size());
  resultAxis = group.groupType == kSmallC
                   ? axis
                   : axisOf(resultDim, outRank, group.groupType);
  const SmallVector<int> resultDims = dimsOn(outShape, resultAxis);
  const bool isAlone = dims.size() == 1 && group.groupType != kSmallC &&
                       (resultDims.empty() ||
                        (resultDims.size() == 1 && resultDims[0] == resultDim));
  if (isAlone)
    return reads[dims[0]];
  bool isSame = dims.size() == resultDims.size();
  for (size_t i = 0; isSame && i < dims.size(); ++i)
    isSame = reads[dims[i]].isSame &&
             reads[dims[i]].resultDim == resultDims[i] &&
             inShape[dims[i]] == outShape[resultDims[i]];
  return isSame && source.extents[axis] == reader.extents[resultAxis]
             ? DimReads::same(0)
             : DimReads::whole();
}

void NeedCheck::checkAxis(int axis) {
  int resultAxis = axis;
  const DimReads axisReads = readsOfAxis(axis, resultAxis);
  if (axisReads.isInPlace && axis != resultAxis &&
      (axis <= AxisC || resultAxis <= AxisC)) {
    violations.push_back(
        {Invariant::Need,
         reader.op,
         describe(reader) + " has on axis " + axisName(resultAxis) + " what " +
             describe(source) + " has on axis " + axisName(axis) +
             ": in other lanes",
         {{source.op, describe(source) + " comes from here"}}});
    return;
  }
  const size_t stored = source.parts[axis].size();
  const size_t computed = reader.parts[resultAxis].size();
  for (size_t i = 0; i < std::max(stored, computed); ++i) {
    if (axis == resultAxis) {
      if (!checkSection(axisReads, axis, resultAxis, i, i))
        return;
      continue;
    }
    // Sections of two axes: every one of this meets every one of that.
    for (size_t j = 0; j < stored && i < computed; ++j)
      if (!checkSection(axisReads, axis, resultAxis, i, j))
        return;
  }
}

/// False after a violation: one for each axis will do.
bool NeedCheck::checkSection(const DimReads &axisReads, int axis,
                             int resultAxis, size_t resultSection,
                             size_t section) {
  const Interval stored = source.part(axis, section);
  const ReadHull hull = enumerateReads(
      axisReads, reader.part(resultAxis, resultSection), source.extents[axis]);
  if (!hull.needed.empty() && !stored.contains(hull.needed)) {
    report(Invariant::Need, axis, section, "needs " + text(hull.needed),
           stored);
    return false;
  }
  const bool isTorn = (hull.padsBelow && stored.begin != 0) ||
                      (hull.padsAbove && stored.end != source.extents[axis]);
  if (isTorn)
    report(Invariant::Padding, axis, section,
           Twine("reads padding ") + (hull.padsBelow ? "below 0" : "above ") +
               (hull.padsBelow ? "" : Twine(source.extents[axis]).str()),
           stored);
  return !isTorn;
}

void NeedCheck::report(Invariant invariant, int axis, size_t section,
                       const Twine &need, Interval stored) {
  std::string message =
      llvm::formatv("{0} {1} of {2} on axis {3} for section {4}, which holds "
                    "{5}",
                    describe(reader), need.str(), describe(source),
                    axisName(axis), section, text(stored));
  if (!isKnown)
    message += "; what a '" + reader.op->getName().getStringRef().str() +
               "' reads is not known, so all is taken";
  violations.push_back({invariant,
                        reader.op,
                        message,
                        {{source.op, describe(source) + " comes from here"}}});
}

void checkNeeds(const LocalGroup &group, Violations &violations) {
  for (const Member &reader : group.members) {
    if (reader.isLineBuffer())
      checkLineBuffer(group, reader, violations);
    for (unsigned i = 0; i < reader.operands.size(); ++i)
      if (reader.operands[i] >= 0)
        NeedCheck(group, reader, i, violations).run();
  }
}

Violations checkGroup(tpu::GroupOp op, const target::ChipSpec &chip) {
  Violations violations;
  const std::optional<LocalGroup> group = readGroup(op, chip, violations);
  if (!group)
    return violations;
  checkOrder(*group, violations);
  checkStores(*group, violations);
  checkCoverage(*group, violations);
  checkSizes(*group, violations);
  checkNeeds(*group, violations);
  checkMemory(*group, violations);
  checkNeighbours(*group, violations);
  return violations;
}

} // namespace tpu_mlir::local

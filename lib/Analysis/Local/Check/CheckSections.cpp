//===- CheckSections.cpp - I1, I4: where sections end, and their bytes ---===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "tpu_mlir/Dialect/Interfaces/Spelling.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

//===----------------------------------------------------------------------===//
// I1
//===----------------------------------------------------------------------===//

/// The first break in the parts of one axis, in words; empty: none. Rows of
/// two sections are stored twice, with the same values, if `mayRepeat`.
static std::string findBreak(ArrayRef<Interval> parts, int64_t extent,
                             bool mayRepeat) {
  Interval covered{0, 0};
  for (auto [section, part] : llvm::enumerate(parts)) {
    if (part.begin > covered.end)
      return llvm::formatv("nothing stores {0} before section {1}",
                           text({covered.end, part.begin}), section);
    const bool isInOrder =
        part.begin >= covered.begin && part.end >= covered.end;
    if (!isInOrder || (!mayRepeat && part.begin < covered.end))
      return llvm::formatv("section {0} is {1}, but the one in front of it "
                           "ends at {2}",
                           section, text(part), covered.end);
    covered = part;
  }
  if (covered.end == extent)
    return "";
  return llvm::formatv("nothing stores {0} at the end",
                       text({covered.end, extent}));
}

void checkCoverage(const LocalGroup &group, Violations &violations) {
  for (const Member &store : group.members) {
    if (store.kind != Member::Kind::Store || store.operands[0] < 0)
      continue;
    // Others may need more of the tensor than what is its section alone.
    const bool mayRepeat = group.members[store.operands[0]].readers.size() > 1;
    for (int axis = 0; axis < kNumAxes; ++axis) {
      SmallVector<Interval, 4> parts = store.parts[axis];
      // One part for all sections: two of them show how it repeats.
      if (parts.size() == 1 && group.sections[axis] > 1)
        parts.push_back(parts[0]);
      const std::string found =
          findBreak(parts, store.extents[axis], mayRepeat);
      if (!found.empty())
        violations.push_back(
            {Invariant::Coverage,
             store.op,
             llvm::formatv("{0} does not cut [0, {1}) of axis {2} into "
                           "sections: {3}",
                           describe(store), store.extents[axis], axisName(axis),
                           found),
             {}});
    }
  }
}

//===----------------------------------------------------------------------===//
// I4
//===----------------------------------------------------------------------===//

/// Kernels that read these operands plane after plane, without padding.
static bool readsCompact(Operation *op, unsigned operand) {
  return operand > 0 &&
         llvm::StringSwitch<bool>(op->getName().getStringRef())
             .Cases({"tpu.Conv1D", "tpu.Conv2D", "tpu.Conv3D", "tpu.Deconv",
                     "tpu.Deconv3D", "tpu.BatchNormTrain", "tpu.BatchNormBwd"},
                    true)
             .Cases({"tpu.GroupNorm", "tpu.LayerNorm", "tpu.PixelNorm",
                     "tpu.InstanceNorm", "tpu.RMSNorm", "tpu.PRelu",
                     "tpu.Scale"},
                    true)
             .Cases({"tpu.Lut", "tpu.LutBF16", "tpu.ScaleLut",
                     "tpu.RequantIntAxis", "tpu.RequantFpAxis",
                     "tpu.DequantIntAxis"},
                    true)
             .Default(false);
}

/// In every section both layouts put the elements into the same places.
static bool layoutsAgreeInAll(const LocalGroup &group, const Member &member) {
  Extents slice = member.largestSlice();
  for (Interval h : member.parts[AxisH])
    for (Interval w : member.parts[AxisW]) {
      slice[AxisH] = h.length();
      slice[AxisW] = w.length();
      if (!layoutsAgree(*group.chip, slice, member.elementBits))
        return false;
    }
  return true;
}

/// The reader expects the other layout than the one its operand has.
static bool expectsOtherLayout(const LocalGroup &group, const Member &member,
                               const Member &reader) {
  if (reader.kind == Member::Kind::Store)
    return reader.euAlign != member.euAlign;
  for (auto [operand, source] : llvm::enumerate(reader.operands))
    if (source >= 0 && &group.members[source] == &member && !member.euAlign &&
        !readsCompact(reader.op, static_cast<unsigned>(operand)))
      return true;
  return false;
}

/// The compact layout is for operands that kernels read so; a store has to
/// read what its operand wrote.
static void checkLayout(const LocalGroup &group, const Member &member,
                        Violations &violations) {
  for (int index : member.readers) {
    const Member &reader = group.members[index];
    if (!expectsOtherLayout(group, member, reader) ||
        layoutsAgreeInAll(group, member))
      continue;
    violations.push_back(
        {Invariant::Size,
         reader.op,
         llvm::formatv("{0} reads {1} in the {2} layout, but it is in the {3} "
                       "one",
                       describe(reader), describe(member),
                       member.euAlign ? "compact" : "aligned",
                       member.euAlign ? "aligned" : "compact"),
         {{member.op, describe(member) + " comes from here"}}});
  }
}

/// A copy in every lane is one of a channel alone.
static void checkCopies(const Member &member, Violations &violations) {
  if (member.kind != Member::Kind::Load ||
      !readFlag(member.op->getAttr("do_bcast")).value_or(false) ||
      member.extents[AxisC] == 1)
    return;
  violations.push_back({Invariant::Size,
                        member.op,
                        llvm::formatv("{0} is copied to every lane, but has "
                                      "{1} channels",
                                      describe(member), member.extents[AxisC]),
                        {}});
}

static void checkPlace(const LocalGroup &group, const Member &member,
                       Interval bytes, const std::string &name,
                       Violations &violations) {
  if (!bytes.empty() && bytes.end > group.chip->laneBytes)
    violations.push_back(
        {Invariant::Size,
         member.op,
         llvm::formatv("{0} at {1} does not lie in local memory: need {2}, has "
                       "{3}, over by {4} bytes",
                       name, text(bytes), bytes.end, group.chip->laneBytes,
                       bytes.end - group.chip->laneBytes),
         {}});
}

void checkSizes(const LocalGroup &group, Violations &violations) {
  const target::ChipSpec &chip = *group.chip;
  for (const Member &member : group.members) {
    const std::string name = describe(member);
    checkPlace(group, member, member.scratch, "the scratch of " + name,
               violations);
    if (member.kind == Member::Kind::Store)
      continue;
    checkPlace(group, member, member.bytes, name, violations);
    checkCopies(member, violations);
    checkLayout(group, member, violations);
    const auto need = bytesInLane(chip, member.largestSlice(),
                                  member.elementBits, member.euAlign);
    if (!need || *need > member.bytes.length())
      violations.push_back(
          {Invariant::Size,
           member.op,
           llvm::formatv("{0} is too small for its largest section: need {1}, "
                         "has {2} bytes in a lane",
                         name,
                         need ? std::to_string(*need) : "more than 63 bits",
                         member.bytes.length()),
           {}});
    if (member.euAlign && member.bytes.begin % chip.euBytes != 0)
      violations.push_back(
          {Invariant::Size,
           member.op,
           llvm::formatv("{0} at {1} is not aligned to {2} bytes", name,
                         member.bytes.begin, chip.euBytes),
           {}});
  }
}

} // namespace tpu_mlir::local

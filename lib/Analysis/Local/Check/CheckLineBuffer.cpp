//===- CheckLineBuffer.cpp - I2, I4: rows that stay for the next section --===//

#include "lib/Analysis/Local/Check/Checks.h"

#include "tpu_mlir/Target/Dealing.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

namespace {

class LineCheck {
public:
  LineCheck(const LocalGroup &group, const Member &line, Violations &violations)
      : group(group), line(line), violations(violations) {}

  void run() {
    const target::Dealing dealing(group.numSections, group.chip->usedCores);
    if (group.sections[AxisH] > 1 && dealing.activeCores() > 1)
      return fail(Invariant::Need,
                  llvm::formatv("{0} keeps rows for the next section, but {1} "
                                "cores run sections",
                                describe(line), dealing.activeCores()));
    for (int axis : {AxisW, AxisC})
      if (group.sections[axis] > 1)
        return fail(Invariant::Need,
                    llvm::formatv("{0} keeps rows for the next section, but "
                                  "axis {1} is cut inside them, into {2}",
                                  describe(line), axisName(axis),
                                  group.sections[axis]));
    if (line.operands.size() != 1 || line.operands[0] < 0)
      return;
    int64_t most = 0;
    for (int64_t section = 0; section < group.sections[AxisH]; ++section)
      if (!checkSection(static_cast<size_t>(section), most))
        return;
    checkRoom(most);
  }

private:
  /// False after a violation.
  bool checkSection(size_t section, int64_t &most) {
    const Interval own = line.part(AxisH, section),
                   fresh = group.members[line.operands[0]].part(AxisH, section);
    const Interval kept{own.begin, std::max(own.begin, fresh.begin)};
    if (fresh.end < own.end || fresh.begin >= own.end) {
      fail(Invariant::Need,
           llvm::formatv("{0} needs {1} of its operand on axis h for section "
                         "{2}, which holds {3}",
                         describe(line), text({kept.end, own.end}), section,
                         text(fresh)));
      return false;
    }
    most = std::max(most, kept.length());
    if (kept.empty())
      return true;
    const Interval before =
        section == 0 ? Interval{0, 0} : line.part(AxisH, section - 1);
    if (before.contains(kept))
      return true;
    fail(Invariant::Need,
         llvm::formatv("{0} needs {1} on axis h for section {2} of the section "
                       "before, which {3}",
                       describe(line), text(kept), section,
                       section == 0 ? std::string("does not exist")
                                    : "had " + text(before)));
    return false;
  }

  void checkRoom(int64_t rows) {
    Extents slice = line.largestSlice();
    slice[AxisH] = rows;
    const auto need = rows == 0 ? std::optional<int64_t>(0)
                                : bytesInLane(*group.chip, slice,
                                              line.elementBits, line.euAlign);
    if (need && *need <= line.scratch.length() &&
        line.scratch.begin % group.chip->euBytes == 0)
      return;
    fail(Invariant::Size,
         llvm::formatv("the scratch of {0} at {1} has no room for {2} rows: "
                       "need {3} bytes in a lane from a multiple of {4} on",
                       describe(line), text(line.scratch), rows,
                       need ? std::to_string(*need) : "more than 63 bits of",
                       group.chip->euBytes));
  }

  void fail(Invariant invariant, std::string message) {
    violations.push_back({invariant, line.op, std::move(message), {}});
  }

  const LocalGroup &group;
  const Member &line;
  Violations &violations;
};

} // namespace

void checkLineBuffer(const LocalGroup &group, const Member &line,
                     Violations &violations) {
  LineCheck(group, line, violations).run();
}

} // namespace tpu_mlir::local

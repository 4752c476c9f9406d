//===- Recount.cpp - Count a layer group from its attributes --------------===//
//
// Peak, high water and traffic, computed from the IR alone so that a planner's
// own figures can be checked against them.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/Recount.h"

#include "lib/Analysis/Local/Check/Lives.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include "llvm/ADT/STLExtras.h"

namespace tpu_mlir::local {

/// A buffer of a right group lives for T rows at most, so rows of loops with
/// three sections before and after them are all alike.
static constexpr int64_t kTypicalLoops = 8;

/// Is any generation of the buffer alive at `time`?
static bool isAlive(const Buffer &buffer, int64_t time, int64_t period) {
  for (int64_t begin = buffer.rows.begin, generation = 0;
       generation < buffer.generations && begin <= time;
       ++generation, begin += period)
    if (time < begin + buffer.rows.length())
      return true;
  return false;
}

static void countRow(const LocalGroup &group, llvm::ArrayRef<Buffer> buffers,
                     int64_t time, GroupFigures &figures) {
  std::vector<Interval> taken;
  std::vector<int> members;
  for (const Buffer &buffer : buffers) {
    if (!isAlive(buffer, time, group.numRows))
      continue;
    taken.push_back(buffer.bytes);
    members.push_back(buffer.member);
  }
  int64_t bytes = 0;
  for (Interval piece : normalize(std::move(taken)))
    bytes += piece.length();
  if (bytes <= figures.peakBytes)
    return;
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  figures.peakBytes = bytes;
  figures.peakTime = time;
  figures.peakMembers = std::move(members);
}

/// Bytes that a transfer copies in all sections together; each core that has
/// any copies what is held.
static std::optional<int64_t> copiedBytes(const LocalGroup &group,
                                          const Member &member) {
  const target::Dealing dealing(group.numSections, group.chip->usedCores);
  std::optional<int64_t> copies =
      checkedMul(member.elementBits, member.held ? dealing.activeCores() : 1);
  if (!copies)
    return std::nullopt;
  int64_t bits = *copies;
  for (int axis = 0; axis < kNumAxes; ++axis) {
    int64_t elements = 0;
    for (Interval part : member.parts[axis])
      elements += part.length();
    const bool isRepeated = member.parts[axis].size() == 1 && !member.held;
    for (int64_t factor : {isRepeated ? group.sections[axis] : 1, elements}) {
      const std::optional<int64_t> product = checkedMul(bits, factor);
      if (!product)
        return std::nullopt;
      bits = *product;
    }
  }
  return bits / 8 + (bits % 8 != 0);
}

std::optional<GroupFigures> recountGroup(const LocalGroup &group) {
  GroupFigures figures;
  figures.numSections = group.numSections;
  figures.numRows = group.numRows;
  const std::vector<Buffer> buffers = buffersOf(group);
  for (const Buffer &buffer : buffers)
    figures.highWaterBytes = std::max(figures.highWaterBytes, buffer.bytes.end);
  const int64_t rows =
      std::min(group.numSections + 2, kTypicalLoops) * group.numRows;
  for (int64_t time = 0; time < rows; ++time)
    countRow(group, buffers, time, figures);
  for (const Member &member : group.members) {
    const auto bytes = copiedBytes(group, member);
    if (!member.isDma())
      continue;
    int64_t &total = member.kind == Member::Kind::Load ? figures.loadedBytes
                                                       : figures.storedBytes;
    const auto sum = bytes ? checkedAdd(total, *bytes) : std::nullopt;
    if (!sum)
      return std::nullopt;
    total = *sum;
  }
  return figures;
}

} // namespace tpu_mlir::local

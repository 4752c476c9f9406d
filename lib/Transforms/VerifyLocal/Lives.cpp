#include "lib/Transforms/VerifyLocal/Lives.h"

namespace tpu_mlir::local {

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
    if (!member.scratch.empty())
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
    if (member.isHoisted)
      buffers.push_back({i, false, member.bytes, {0, rows.end}, 1});
    for (int reader : member.readers)
      if (group.members[reader].isSunk)
        buffers.push_back({i,
                           false,
                           member.bytes,
                           {rows.begin + lastSection, group.totalRows()},
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

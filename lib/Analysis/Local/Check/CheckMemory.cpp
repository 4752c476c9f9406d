//===- CheckMemory.cpp - I5, I7, I8: bytes that are taken twice -----------===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Analysis/Local/Check/Lives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <optional>
#include <tuple>

using namespace mlir;

namespace tpu_mlir::local {

namespace {

class MemoryCheck {
public:
  MemoryCheck(const LocalGroup &group, Violations &violations)
      : group(group), violations(violations), buffers(buffersOf(group)) {}

  void run() {
    findClashes();
    auto clash = clashes.begin();
    for (size_t i = 0; i < buffers.size(); ++i) {
      checkGenerations(buffers[i]);
      for (; clash != clashes.end() && clash->first == i; ++clash)
        reportPair(buffers[i], buffers[clash->second], clash->ahead);
    }
    for (const Member &member : group.members)
      checkStoreAddress(member);
  }

private:
  /// Two buffers, smaller index first, and how many sections the one is ahead
  /// of the other when they take each other's bytes.
  struct Clash {
    size_t first = 0, second = 0;
    int64_t ahead = 0;

    bool operator<(const Clash &o) const {
      return std::tie(first, second) < std::tie(o.first, o.second);
    }
    bool operator==(const Clash &o) const {
      return first == o.first && second == o.second;
    }
  };
  struct Piece {
    Interval rows;
    size_t buffer = 0;
  };

  void findClashes();
  std::vector<Piece> piecesByRow() const;
  void checkGenerations(const Buffer &buffer);
  std::optional<int64_t> clash(const Buffer &a, const Buffer &b) const;
  void checkStoreAddress(const Member &store);
  void reportPair(const Buffer &a, const Buffer &b, int64_t ahead);
  bool mayUpdateInPlace(const Buffer &a, const Buffer &b) const;
  bool isLastUse(const Member &operand, const Member &op) const;
  bool looksTheSame(const Member &operand, const Member &result) const;
  bool isOnlyUsedBy(const Buffer &buffer, int64_t row, Engine engine) const;

  const LocalGroup &group;
  Violations &violations;
  const std::vector<Buffer> buffers;
  std::vector<Clash> clashes;
};

} // namespace

/// Buffers of whatever sections meet only where they live in one row of a loop:
/// from its first row to its last, what begins to live is held against what is
/// alive.
void MemoryCheck::findClashes() {
  std::vector<Piece> alive;
  for (const Piece &piece : piecesByRow()) {
    llvm::erase_if(alive, [&](const Piece &one) {
      return one.rows.end <= piece.rows.begin;
    });
    for (const Piece &other : alive) {
      const auto [first, second] = std::minmax(piece.buffer, other.buffer);
      if (const auto ahead = clash(buffers[first], buffers[second]))
        clashes.push_back({first, second, *ahead});
    }
    alive.push_back(piece);
  }
  llvm::sort(clashes);
  clashes.erase(llvm::unique(clashes), clashes.end());
}

/// The rows of one loop in which each buffer may be alive, in whatever section;
/// what goes on in the next one is two pieces.
std::vector<MemoryCheck::Piece> MemoryCheck::piecesByRow() const {
  std::vector<Piece> pieces;
  const int64_t numRows = group.numRows;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const int64_t length = buffers[i].rows.length();
    const int64_t begin = buffers[i].rows.begin % numRows;
    if (length >= numRows) {
      pieces.push_back({{0, numRows}, i});
      continue;
    }
    pieces.push_back({{begin, std::min(begin + length, numRows)}, i});
    if (begin + length > numRows)
      pieces.push_back({{0, begin + length - numRows}, i});
  }
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(a.rows, a.buffer) < std::tie(b.rows, b.buffer);
  });
  return pieces;
}

/// There is one copy of each tensor: the next section writes over it.
void MemoryCheck::checkGenerations(const Buffer &buffer) {
  if (buffer.generations == 1 || buffer.rows.length() <= group.numRows)
    return;
  const Member &member = group.members[buffer.member];
  const Member *last = &member;
  for (int reader : member.readers)
    if (group.time(group.members[reader]) > group.time(*last))
      last = &group.members[reader];
  const bool isRace = buffer.rows.length() == group.numRows + 1 &&
                      last->engine() != member.engine();
  violations.push_back(
      {isRace ? Invariant::Engines : Invariant::Overlap,
       member.op,
       llvm::formatv("{0} is alive for {1} rows, but the next section is "
                     "written over it after {2}: need {2} at most",
                     describe(member), buffer.rows.length(), group.numRows),
       {{last->op, describe(*last) + " is its last reader"}}});
}

std::optional<int64_t> MemoryCheck::clash(const Buffer &a,
                                          const Buffer &b) const {
  if (!a.bytes.overlaps(b.bytes) ||
      (a.member == b.member && !a.isScratch && !b.isScratch))
    return std::nullopt;
  const Interval ahead = meetings(a, b, group.numRows);
  if (ahead.empty())
    return std::nullopt;
  const bool isInPlace =
      ahead.contains(0) && (mayUpdateInPlace(a, b) || mayUpdateInPlace(b, a));
  if (isInPlace && ahead.length() == 1)
    return std::nullopt;
  // The nearest sections make the plainest message.
  int64_t shown = std::clamp<int64_t>(0, ahead.begin, ahead.end - 1);
  if (isInPlace && shown == 0)
    shown = ahead.begin < 0 ? -1 : 1;
  return shown;
}

void MemoryCheck::reportPair(const Buffer &a, const Buffer &b, int64_t ahead) {
  const int64_t sectionA = std::max<int64_t>(ahead, 0);
  const int64_t sectionB = std::max<int64_t>(-ahead, 0);
  const int64_t period = group.numRows;
  const Interval together{
      std::max(a.rows.begin + sectionA * period,
               b.rows.begin + sectionB * period),
      std::min(a.rows.end + sectionA * period, b.rows.end + sectionB * period)};
  const Member &first = group.members[a.member];
  const Member &second = group.members[b.member];
  auto races = [&](Engine one, Engine other) {
    return isOnlyUsedBy(a, together.begin - sectionA * period, one) &&
           isOnlyUsedBy(b, together.begin - sectionB * period, other);
  };
  const bool isRace =
      together.length() == 1 && (races(Engine::Dma, Engine::Compute) ||
                                 races(Engine::Compute, Engine::Dma));
  const bool isHeld =
      (first.held && !a.isScratch) || (second.held && !b.isScratch);
  const Interval shared{std::max(a.bytes.begin, b.bytes.begin),
                        std::min(a.bytes.end, b.bytes.end)};
  violations.push_back(
      {isHeld   ? Invariant::Held
       : isRace ? Invariant::Engines
                : Invariant::Overlap,
       first.op,
       llvm::formatv("{0} at {1} and {2} at {3} share the bytes {4}, but "
                     "section {5} of the one and section {6} of the other are "
                     "both alive in row {7} of loop {8}",
                     describe(group, a), text(a.bytes), describe(group, b),
                     text(b.bytes), text(shared), sectionA, sectionB,
                     together.begin % period, together.begin / period),
       {{second.op, describe(group, b) + " comes from here"}}});
}

/// In that row (of generation 0) the buffer is used by this engine alone.
bool MemoryCheck::isOnlyUsedBy(const Buffer &buffer, int64_t row,
                               Engine engine) const {
  const Member &member = group.members[buffer.member];
  bool isUsed = false, isUsedByOther = false;
  auto use = [&](const Member &user) {
    if (group.time(user) != row)
      return;
    (user.engine() == engine ? isUsed : isUsedByOther) = true;
  };
  use(member);
  if (!buffer.isScratch)
    for (int reader : member.readers)
      use(group.members[reader]);
  return isUsed && !isUsedByOther;
}

static bool updatesInPlace(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"tpu.Add", "tpu.Sub", "tpu.Mul", "tpu.Div", "tpu.Min", "tpu.Max",
              "tpu.Reshape"},
             true)
      .Default(false);
}

/// `b` is the result of an op that writes it over its first operand, `a`.
bool MemoryCheck::mayUpdateInPlace(const Buffer &a, const Buffer &b) const {
  if (a.isScratch || b.isScratch || !group.chip->localInPlace ||
      a.bytes.begin != b.bytes.begin)
    return false;
  const Member &operand = group.members[a.member];
  const Member &result = group.members[b.member];
  return updatesInPlace(result.op) && !operand.held &&
         !result.operands.empty() && result.operands[0] == a.member &&
         isLastUse(operand, result) && looksTheSame(operand, result);
}

/// Nothing reads `operand` after `op`, nor the other engine while it runs.
bool MemoryCheck::isLastUse(const Member &operand, const Member &op) const {
  return llvm::all_of(operand.readers, [&](int index) {
    const Member &reader = group.members[index];
    if (reader.op == op.op || group.time(reader) < group.time(op))
      return true;
    return group.time(reader) == group.time(op) && !reader.isDma() &&
           reader.position < op.position;
  });
}

/// Every element of the result lies where the operand's lies.
bool MemoryCheck::looksTheSame(const Member &operand,
                               const Member &result) const {
  if (operand.elementBits != result.elementBits ||
      operand.euAlign != result.euAlign)
    return false;
  const bool isView = result.op->getName().getStringRef() == "tpu.Reshape";
  for (int axis = 0; axis < kNumAxes; ++axis) {
    const size_t sections =
        std::max(operand.parts[axis].size(), result.parts[axis].size());
    // What a view does within a plane changes no byte of it.
    if (isView && axis >= AxisD) {
      if (operand.parts[axis][0].length() != operand.extents[axis] ||
          result.parts[axis][0].length() != result.extents[axis])
        return false;
      continue;
    }
    for (size_t section = 0; section < sections; ++section)
      if (!(operand.part(axis, section) == result.part(axis, section)))
        return false;
  }
  const int64_t operandPlane = operand.extents[AxisH] * operand.extents[AxisW];
  const int64_t resultPlane = result.extents[AxisH] * result.extents[AxisW];
  return !isView || (operand.extents[AxisD] == result.extents[AxisD] &&
                     operandPlane == resultPlane);
}

void MemoryCheck::checkStoreAddress(const Member &store) {
  if (store.kind != Member::Kind::Store || store.operands[0] < 0)
    return;
  const Member &source = group.members[store.operands[0]];
  if (source.bytes.begin == store.bytes.begin)
    return;
  violations.push_back(
      {Invariant::Overlap,
       store.op,
       llvm::formatv("{0} reads from {1}, but {2} is at {3}", describe(store),
                     store.bytes.begin, describe(source), source.bytes.begin),
       {{source.op, "made here"}}});
}

void checkMemory(const LocalGroup &group, Violations &violations) {
  MemoryCheck(group, violations).run();
}

} // namespace tpu_mlir::local

//===- CheckNeighbours.cpp - Transfers that groups run for each other -----===//
//
// tpu-mlir may hide the first loads of a group after the last computations of
// the group before it, and the last stores after the first computations of
// the group after it. The two groups' buffers then share local memory for a
// while:
//
//   before    ... | loop S: guest loads in their rows | loop S + 1 (stores) |
//   this                        | loop 0 (loads) | loop 1: guest stores | ...
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Analysis/Local/Check/Lives.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Target/Dealing.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tpu_mlir::local {

static bool emitsNothing(StringRef name) {
  return name == "top.Weight" || name == "top.None" || name == "top.Input" ||
         name == "tpu.Buffer";
}

/// The group in front of or after `op` with nothing that runs in between.
static tpu::GroupOp adjacentGroup(tpu::GroupOp op, bool isBefore) {
  Operation *other = op;
  do {
    other = isBefore ? other->getPrevNode() : other->getNextNode();
  } while (other && emitsNothing(other->getName().getStringRef()));
  return dyn_cast_or_null<tpu::GroupOp>(other);
}

/// The result of `group` that `store` makes; null: none.
static Value resultOf(const LocalGroup &group, const Member &store) {
  tpu::GroupOp op = group.op;
  Operation *yield = &op.getRegion().front().back();
  for (auto [value, result] : llvm::zip(yield->getOperands(), op->getResults()))
    if (value.getDefiningOp() == store.op)
      return result;
  return {};
}

static bool boxesMeet(const std::array<Interval, kNumAxes> &a,
                      const std::array<Interval, kNumAxes> &b) {
  for (int axis = 0; axis < kNumAxes; ++axis)
    if (!a[axis].overlaps(b[axis]))
      return false;
  return true;
}

namespace {

/// Two groups, one right after the other.
class PairCheck {
public:
  PairCheck(const LocalGroup &before, const LocalGroup &group,
            Violations &violations)
      : before(before), group(group), violations(violations) {}

  void run() {
    for (const Member &load : group.members)
      if (load.isHoisted)
        checkLoad(load);
    for (const Member &store : before.members)
      if (store.isSunk)
        checkStore(store);
    checkGuests(before.guestLoads, group, &Member::isHoisted, before.op);
    checkGuests(group.guestStores, before, &Member::isSunk, group.op);
  }

private:
  const Guest *find(ArrayRef<Guest> guests, const Member &member) const;
  void checkLoad(const Member &load);
  void checkBothGuests(const Member &load, int64_t row);
  void checkStore(const Member &store);
  void checkGuests(ArrayRef<Guest> guests, const LocalGroup &home,
                   bool Member::*mark, Operation *host);
  void report(Invariant invariant, const Member &guest, const Twine &message,
              const Member &other);

  const LocalGroup &before, &group;
  Violations &violations;
};

} // namespace

const Guest *PairCheck::find(ArrayRef<Guest> guests,
                             const Member &member) const {
  auto found = llvm::find_if(
      guests, [&](const Guest &guest) { return guest.id == member.id; });
  if (found != guests.end())
    return found;
  violations.push_back({Invariant::Flow,
                        member.op,
                        describe(member) + " is left to a neighbour, which "
                                           "does not list it",
                        {}});
  return nullptr;
}

void PairCheck::report(Invariant invariant, const Member &guest,
                       const Twine &message, const Member &other) {
  violations.push_back(
      {invariant,
       guest.op,
       (describe(guest) + " runs in the group next to its own, " + message)
           .str(),
       {{other.op, describe(other) + " comes from here"}}});
}

/// From its row on the load's bytes are no longer the host's.
void PairCheck::checkLoad(const Member &load) {
  const Guest *guest = find(before.guestLoads, load);
  if (!guest)
    return;
  checkBothGuests(load, guest->row);
  const int64_t time = before.numSections * before.numRows + guest->row;
  for (const Buffer &buffer : buffersOf(before)) {
    const int64_t end =
        buffer.rows.end + (buffer.generations - 1) * before.numRows;
    if (end > time && buffer.bytes.overlaps(load.bytes))
      report(Invariant::Overlap, load,
             "where " + describe(before, buffer) +
                 ", which shares bytes with it, is still alive",
             before.members[buffer.member]);
  }
  const auto wanted = boxOf(group, load, 0);
  for (const Member &store : before.members) {
    if (store.kind != Member::Kind::Store ||
        resultOf(before, store) != load.op->getOperand(0))
      continue;
    // Only the sections of the last loops can be missing.
    const int64_t numStored = std::clamp<int64_t>(
        (time - before.time(store) + before.numRows - 1) / before.numRows, 0,
        before.numSections);
    for (int64_t section = numStored; section < before.numSections; ++section)
      if (boxesMeet(wanted, boxOf(before, store, section)))
        report(Invariant::Order, load,
               "before section " + Twine(section) +
                   " of what it loads is stored",
               store);
  }
}

/// With one section the loop in which the host loads for this group is that in
/// which it stores for the one before.
void PairCheck::checkBothGuests(const Member &load, int64_t row) {
  if (before.numSections > 1 || before.guestStores.empty())
    return;
  tpu::GroupOp op = adjacentGroup(before.op, /*isBefore=*/true);
  Violations ofOther;
  const auto other = op ? readGroup(op, *before.chip, ofOther) : std::nullopt;
  if (!other)
    return;
  for (const Member &store : other->members)
    for (const Guest &guest : before.guestStores)
      if (guest.id == store.id && guest.row >= row && store.isSunk &&
          store.operands[0] >= 0 &&
          other->members[store.operands[0]].bytes.overlaps(load.bytes))
        report(Invariant::Overlap, load,
               "where " + describe(store) +
                   ", of the group before, reads bytes that they share",
               store);
}

/// Until its row is over the bytes that the store reads are not the host's.
void PairCheck::checkStore(const Member &store) {
  const Guest *guest = find(group.guestStores, store);
  if (!guest || store.operands[0] < 0)
    return;
  if (Value result = resultOf(before, store); result && result.use_empty())
    report(Invariant::Order, store,
           "though nobody reads what it stores: its room in global memory is "
           "free when its group is over",
           store);
  const Member &source = before.members[store.operands[0]];
  const int64_t time = group.numRows + guest->row;
  for (const Buffer &buffer : buffersOf(group))
    if (buffer.rows.begin <= time && buffer.bytes.overlaps(source.bytes))
      report(Invariant::Overlap, store,
             "where " + describe(group, buffer) +
                 ", which shares bytes with what it reads, is alive",
             group.members[buffer.member]);
  const auto stored = boxOf(before, store, before.numSections - 1);
  for (const Member &load : group.members) {
    if (load.kind != Member::Kind::Load ||
        load.op->getOperand(0) != resultOf(before, store))
      continue;
    const int64_t numLoaded = std::min(
        group.numSections, (time - group.time(load)) / group.numRows + 1);
    for (int64_t section = 0; section < numLoaded; ++section)
      if (group.time(load) <= time &&
          boxesMeet(stored, boxOf(group, load, section)))
        report(Invariant::Order, store,
               "after section " + Twine(section) + " of it is loaded", load);
  }
}

/// What a host runs has to be left to it.
void PairCheck::checkGuests(ArrayRef<Guest> guests, const LocalGroup &home,
                            bool Member::*mark, Operation *host) {
  for (const Guest &guest : guests) {
    const bool isLeft = llvm::any_of(home.members, [&](const Member &member) {
      return member.id == guest.id && member.*mark;
    });
    if (!isLeft)
      violations.push_back(
          {Invariant::Flow,
           host,
           llvm::formatv("the group runs id {0} of a neighbour, which does not "
                         "leave it",
                         guest.id),
           {{home.op, "the neighbour"}}});
  }
}

void checkNeighbours(const LocalGroup &group, Violations &violations) {
  auto has = [&](bool Member::*mark) {
    return llvm::any_of(group.members,
                        [&](const Member &member) { return member.*mark; });
  };
  const bool needsNext = has(&Member::isSunk) || !group.guestLoads.empty();
  const bool needsPrevious =
      has(&Member::isHoisted) || !group.guestStores.empty();
  tpu::GroupOp previous = adjacentGroup(group.op, /*isBefore=*/true);
  if ((needsNext && !adjacentGroup(group.op, /*isBefore=*/false)) ||
      (needsPrevious && !previous))
    violations.push_back({Invariant::Flow,
                          group.op,
                          "the group shares transfers with a neighbour, but "
                          "there is no group next to it",
                          {}});
  const int64_t cores =
      target::Dealing(group.numSections, group.chip->usedCores).activeCores();
  if ((needsNext || needsPrevious) && cores > 1)
    violations.push_back(
        {Invariant::Flow,
         group.op,
         llvm::formatv("the group shares transfers with a neighbour, but {0} "
                       "cores run sections of it, and a barrier between groups "
                       "is all that orders them",
                       cores),
         {}});
  if (!previous)
    return;
  // What is wrong with the other group is reported there.
  Violations ofOther;
  if (auto other = readGroup(previous, *group.chip, ofOther))
    PairCheck(*other, group, violations).run();
}

} // namespace tpu_mlir::local

//===- ReadGroup.cpp - From the IR to the facts of a group ----------------===//

#include "lib/Analysis/Local/Check/LocalGroup.h"

#include "tpu_mlir/Analysis/Diagnostics.h"
#include "tpu_mlir/Dialect/Interfaces/Storage.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;

namespace tpu_mlir::local {

/// More sections than any machine runs; keeps products of times in 63 bits.
static constexpr int64_t kMaxSections = int64_t(1) << 32;
/// Addresses, sizes and starts beyond this are nonsense of any chip; products
/// of a start and a stride stay in 63 bits.
static constexpr int64_t kMaxNumber = int64_t(1) << 31;
static constexpr int64_t kNumStages = 3;

namespace {

class GroupReader {
public:
  GroupReader(tpu::GroupOp op, const target::ChipSpec &chip,
              Violations &violations)
      : violations(violations) {
    group.op = op;
    group.chip = &chip;
  }

  std::optional<LocalGroup> run() {
    const size_t before = violations.size();
    readSections();
    readStages();
    readMembers();
    if (violations.size() == before) {
      linkOperands();
      readFlow();
    }
    if (violations.size() != before)
      return std::nullopt;
    findHeld();
    linkReaders();
    readOverlaps();
    if (violations.size() != before)
      return std::nullopt;
    return std::move(group);
  }

private:
  void readSections();
  void readStages();
  void readMembers();
  std::optional<Member> readMember(Operation *op);
  void readPlaces(Member &member, tpu::LayerGroupAttr info);
  void readParts(Member &member, tpu::LayerGroupAttr info);
  void linkOperands();
  void readFlow();
  void placeId(int64_t id, int64_t position);
  void findHeld();
  void linkReaders();
  void readOverlaps();
  void markAway(StringRef name, Member::Kind kind, int64_t stage,
                bool Member::*mark);
  std::vector<Guest> readGuests(StringRef name);

  void fail(Invariant invariant, Operation *op, const Twine &message,
            Operation *other = nullptr, StringRef note = "") {
    Violation violation{invariant, op, message.str(), {}};
    if (other)
      violation.notes.push_back({other, note.str()});
    violations.push_back(std::move(violation));
  }

  LocalGroup group;
  Violations &violations;
  llvm::DenseMap<Operation *, int> indexOf;
  /// A file may give any id, also those that a DenseMap keeps for itself.
  std::map<int64_t, int> memberOfId;
  /// Where the id stands in the flow so far; -1: nowhere.
  std::vector<int64_t> placed;
};

} // namespace

void GroupReader::readSections() {
  static constexpr const char *kNames[] = {"nsecs", "csecs", "dsecs", "hsecs",
                                           "wsecs"};
  for (int axis = 0; axis < kNumAxes; ++axis) {
    Attribute attribute = group.op->getAttr(kNames[axis]);
    group.sections[axis] = attribute ? readInteger(attribute).value_or(0) : 1;
    const auto product = checkedMul(group.numSections, group.sections[axis]);
    if (group.sections[axis] < 1 || !product || *product > kMaxSections) {
      fail(Invariant::Form, group.op,
           Twine("'") + kNames[axis] + "' is " + Twine(group.sections[axis]) +
               ": no number of sections that could be run");
      continue;
    }
    group.numSections = *product;
  }
  Attribute type = group.op->getAttr("group_type");
  group.groupType = type ? readInteger(type).value_or(-1) : 0;
  if (group.groupType < 0 || group.groupType > kLastGroupType)
    fail(Invariant::Form, group.op,
         "group type " + Twine(group.groupType) + " is not known");
  if (group.op.getRegion().empty())
    fail(Invariant::Form, group.op, "the group has no body");
}

/// The stages of a group decide for how many loops it runs after the last
/// section has begun: with fewer than three its last stores would be left out.
void GroupReader::readStages() {
  Attribute stages = group.op->getAttr("swpipl_stage_num");
  if (!stages || readInteger(stages) == kNumStages)
    return;
  const auto number = readInteger(stages);
  fail(Invariant::Flow, group.op,
       "'swpipl_stage_num' is " +
           (number ? Twine(*number) : Twine("no integer")) +
           ": sections are loaded, computed and stored in " +
           Twine(int64_t(kNumStages)) + " stages");
}

void GroupReader::readMembers() {
  if (group.op.getRegion().empty())
    return;
  for (Operation &op : group.op.getRegion().front()) {
    if (isa<tpu::YieldOp>(op) || op.getName().getStringRef() == "top.None")
      continue;
    std::optional<Member> member = readMember(&op);
    if (!member)
      continue;
    const int index = static_cast<int>(group.members.size());
    indexOf[&op] = index;
    auto [entry, isNew] = memberOfId.try_emplace(member->id, index);
    if (!isNew)
      fail(Invariant::Flow, &op,
           describe(*member) + " has the id of another op",
           group.members[entry->second].op, "also this id");
    group.members.push_back(std::move(*member));
  }
}

std::optional<Member> GroupReader::readMember(Operation *op) {
  auto info = tpu::GroupOp::infoOf(op);
  StringRef name = op->getName().getStringRef();
  if (!info || op->getNumResults() == 0 || op->getNumRegions() != 0) {
    fail(Invariant::Form, op,
         "'" + name +
             "' in a layer group has no 'ginfo' or no result, so it "
             "cannot run from local memory");
    return std::nullopt;
  }
  if (isa<tpu::MoveOp, tpu::LoadToL2MOp, tpu::SliceMergeOp>(op) ||
      llvm::any_of(llvm::drop_begin(op->getResults()),
                   [](Value value) { return !value.use_empty(); })) {
    fail(Invariant::Form, op,
         "'" + name +
             "' moves data in a way that is not modelled, or uses a "
             "result besides the first, which has no place");
    return std::nullopt;
  }
  Member member;
  member.op = op;
  member.kind = isa<tpu::LoadOp>(op)    ? Member::Kind::Load
                : isa<tpu::StoreOp>(op) ? Member::Kind::Store
                                        : Member::Kind::Compute;
  member.id = info.getId();
  member.stage = info.getStage();
  member.euAlign = info.getEuAlign();
  Value local =
      member.kind == Member::Kind::Store ? op->getOperand(0) : op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(local.getType());
  std::optional<Extents> extents;
  std::optional<int64_t> bits;
  if (type && type.hasStaticShape()) {
    extents = extentsOf(type.getShape(), group.groupType, *group.chip);
    bits = elementBits(type.getElementType());
  }
  if (!extents || !bits || *bits < 1 || *bits > 64) {
    fail(Invariant::Form, op,
         describe(member) + " has no static size in local memory");
    return std::nullopt;
  }
  member.extents = *extents;
  member.elementBits = *bits;
  readPlaces(member, info);
  readParts(member, info);
  return member;
}

void GroupReader::readPlaces(Member &member, tpu::LayerGroupAttr info) {
  for (int64_t number : {info.getOutAddr(), info.getOutSize(),
                         info.getBufferAddr(), info.getBufferSize()})
    if (number < 0 || number > kMaxNumber) {
      fail(Invariant::Size, member.op,
           describe(member) + " has " + Twine(number) +
               " for an address or a size in local memory");
      return;
    }
  member.bytes = {info.getOutAddr(), info.getOutAddr() + info.getOutSize()};
  member.scratch = {info.getBufferAddr(),
                    info.getBufferAddr() + info.getBufferSize()};
  if (member.stage < 0 || member.stage >= kNumStages)
    fail(Invariant::Flow, member.op,
         describe(member) + " is in stage " + Twine(member.stage) +
             ", but stages are 0, 1 and 2");
  const int64_t slice = info.getSliceIdx() ? info.getSliceIdx().getInt() : 0;
  if (slice < 0 || slice >= group.numSections)
    fail(Invariant::Form, member.op,
         describe(member) + " has a 'slice_idx' of " + Twine(slice) +
             ", but its group " + Twine(group.numSections) +
             (group.numSections == 1 ? " section" : " sections"));
  if (info.getGroupType() != group.groupType)
    fail(Invariant::Form, member.op,
         describe(member) + " says group type " + Twine(info.getGroupType()) +
             ", its group " + Twine(group.groupType));
}

void GroupReader::readParts(Member &member, tpu::LayerGroupAttr info) {
  const ArrayRef<int64_t> starts[] = {info.getNIdx(), info.getCIdx(),
                                      info.getDIdx(), info.getHIdx(),
                                      info.getWIdx()};
  const ArrayRef<int64_t> lengths[] = {info.getNSlice(), info.getCSlice(),
                                       info.getDSlice(), info.getHSlice(),
                                       info.getWSlice()};
  for (int axis = 0; axis < kNumAxes; ++axis) {
    const int64_t entries = static_cast<int64_t>(starts[axis].size());
    if (entries != static_cast<int64_t>(lengths[axis].size()) ||
        (entries != 1 && entries != group.sections[axis])) {
      fail(Invariant::Coverage, member.op,
           llvm::formatv("{0} has {1} starts and {2} lengths on axis {3}: need "
                         "one of each, or {4} as the group has sections",
                         describe(member), entries, lengths[axis].size(),
                         axisName(axis), group.sections[axis])
               .str());
      continue;
    }
    for (auto [start, length] : llvm::zip(starts[axis], lengths[axis])) {
      if (start < 0 || length < 1 || start > kMaxNumber ||
          length > kMaxNumber || start + length > member.extents[axis])
        fail(Invariant::Coverage, member.op,
             llvm::formatv("{0} has a section [{1}, {1} + {2}) on axis {3}, "
                           "which is no part of [0, {4})",
                           describe(member), start, length, axisName(axis),
                           member.extents[axis])
                 .str());
      member.parts[axis].push_back({start, start + length});
    }
  }
}

/// A load reads global memory; everything else has to find its operands in
/// local memory.
void GroupReader::linkOperands() {
  for (Member &member : group.members) {
    const bool isLoad = member.kind == Member::Kind::Load;
    for (OpOperand &operand : member.op->getOpOperands()) {
      Value value = operand.get();
      auto found = value.getDefiningOp() ? indexOf.find(value.getDefiningOp())
                                         : indexOf.end();
      const bool isLocal = found != indexOf.end();
      // What follows the operand of a transfer belongs to its global side.
      const bool isGlobalSide =
          isLoad || (member.isDma() && operand.getOperandNumber() > 0);
      member.operands.push_back(isLocal && !isGlobalSide ? found->second : -1);
      if (!isa<TensorType>(value.getType()) || isGlobalSide) {
        if (isLocal && isLoad)
          fail(Invariant::Order, member.op,
               describe(member) + " loads a value of its own group, which is "
                                  "in local memory only");
        continue;
      }
      const bool isStored =
          isLocal && group.members[found->second].kind == Member::Kind::Store;
      if (!isLocal || isStored)
        fail(Invariant::Order, member.op,
             describe(member) + " reads '" + valueName(value) +
                 "', which is in global memory and was not loaded");
    }
  }
}

void GroupReader::readFlow() {
  const auto flow = integers(group.op, "flow");
  if (!flow) {
    fail(Invariant::Flow, group.op, "the group has no 'flow' of integers");
    return;
  }
  placed.assign(group.members.size(), -1);
  for (auto [position, entry] : llvm::enumerate(*flow)) {
    if (entry < 0) {
      // -(t+1) without the overflow of the smallest number.
      if (-(entry + 1) != group.numRows) {
        fail(Invariant::Flow, group.op,
             "'flow' opens row " + Twine(-(entry + 1)) + " where row " +
                 Twine(group.numRows) + " has to follow");
        return;
      }
      ++group.numRows;
    } else {
      placeId(entry, static_cast<int64_t>(position));
    }
  }
  for (auto [member, position] : llvm::zip(group.members, placed))
    if (position < 0)
      fail(Invariant::Flow, member.op,
           describe(member) + " is not in the group's 'flow': it never runs");
}

void GroupReader::placeId(int64_t id, int64_t position) {
  auto found = memberOfId.find(id);
  if (found == memberOfId.end()) {
    fail(Invariant::Flow, group.op,
         "'flow' lists id " + Twine(id) + ", which no op of the group has");
    return;
  }
  Member &member = group.members[found->second];
  if (group.numRows == 0)
    fail(Invariant::Flow, group.op,
         "'flow' lists id " + Twine(id) + " before it opens row 0");
  if (placed[found->second] >= 0)
    fail(Invariant::Flow, member.op,
         describe(member) + " is twice in the group's 'flow': in row " +
             Twine(member.row) + " and in row " + Twine(group.numRows - 1));
  placed[found->second] = position;
  member.row = group.numRows - 1;
  member.position = position;
}

/// A load with the same part for all sections has nothing to do after the
/// first.
void GroupReader::findHeld() {
  for (Member &member : group.members) {
    member.held = member.kind == Member::Kind::Load && group.numSections > 1;
    for (int axis = 0; axis < kNumAxes; ++axis)
      member.held &=
          group.sections[axis] == 1 || member.parts[axis].size() == 1;
  }
}

void GroupReader::linkReaders() {
  for (int index = 0, end = static_cast<int>(group.members.size()); index < end;
       ++index)
    for (int operand : group.members[index].operands) {
      if (operand < 0)
        continue;
      // One that reads it twice has come last, if at all.
      llvm::SmallVector<int> &readers = group.members[operand].readers;
      if (readers.empty() || readers.back() != index)
        readers.push_back(index);
    }
  for (Member &member : group.members)
    llvm::sort(member.readers, [&](int a, int b) {
      return group.members[a].position < group.members[b].position;
    });
}

/// `self_*`: own transfers that a neighbour runs; `other_*`: a neighbour's
/// that this group runs.
void GroupReader::readOverlaps() {
  markAway("self_up_overlap_op", Member::Kind::Load, 0, &Member::isHoisted);
  markAway("self_down_overlap_op", Member::Kind::Store, 2, &Member::isSunk);
  group.guestLoads = readGuests("other_up_overlap_op");
  group.guestStores = readGuests("other_down_overlap_op");
}

void GroupReader::markAway(StringRef name, Member::Kind kind, int64_t stage,
                           bool Member::*mark) {
  for (int64_t id : integers(group.op, name).value_or(SmallVector<int64_t>())) {
    auto found = memberOfId.find(id);
    Member *member =
        found == memberOfId.end() ? nullptr : &group.members[found->second];
    if (!member || member->kind != kind || member->stage != stage)
      fail(Invariant::Flow, group.op,
           "'" + name + "' lists id " + Twine(id) +
               ", but only loads of stage 0 and stores of stage 2 can run in a "
               "neighbour");
    else
      member->*mark = true;
  }
}

std::vector<Guest> GroupReader::readGuests(StringRef name) {
  std::vector<Guest> guests;
  int64_t row = -1;
  for (int64_t entry :
       integers(group.op, name).value_or(SmallVector<int64_t>())) {
    if (entry < 0)
      row = -(entry + 1);
    else if (row >= 0)
      guests.push_back({entry, row});
    if (row < 0 || row >= group.numRows) {
      fail(Invariant::Flow, group.op,
           "'" + name + "' names a row that the group does not have");
      break;
    }
  }
  return guests;
}

std::optional<LocalGroup> readGroup(tpu::GroupOp op,
                                    const target::ChipSpec &chip,
                                    Violations &violations) {
  return GroupReader(op, chip, violations).run();
}

} // namespace tpu_mlir::local

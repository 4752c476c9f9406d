//===- OverlapPair.cpp - What two groups run for each other ---------------===//
//
// A transfer of stage s in row r acts on section i in step (s + i) * rows + r.
//
//===----------------------------------------------------------------------===//

#include "lib/Transforms/Tpu/GroupOverlap/OverlapPair.h"

#include "tpu_mlir/LayerPlanning/LmemLayout.h"
#include "tpu_mlir/LayerPlanning/Slicing.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Target/Dealing.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;

namespace tpu_mlir::group_overlap {

/// tpu-mlir asks a group for more than so many parts along n and h before it
/// loads for the next one.
static constexpr int64_t kFewParts = 2;

static void addBuffers(GroupEnds &ends) {
  const LocalSchedule &schedule = ends.schedule();
  const int64_t rows = schedule.numRows;
  const int64_t lastSection = (schedule.numSections - 1) * rows;
  for (const LocalOp &op : schedule.ops) {
    ends.bufferOf.push_back(ends.buffers.size());
    const int64_t step = schedule.step(op);
    if (op.kind != LocalOp::Kind::Store)
      ends.buffers.push_back(
          {{op.resultAddress, op.resultAddress + op.resultBytes},
           step,
           lastSection + schedule.lastStep(op) + 1});
    if (op.scratchBytes == 0)
      continue;
    Buffer scratch{{op.scratchAddress, op.scratchAddress + op.scratchBytes},
                   step,
                   lastSection + step + 1};
    if (op.keepsScratch) {
      scratch.begin = 0;
      scratch.end = lastSection + 3 * rows;
    }
    ends.buffers.push_back(scratch);
  }
}

std::optional<GroupEnds> readEnds(tpu::GroupOp group,
                                  const target::ChipSpec &chip) {
  auto read = readLocalSchedule(group);
  auto *schedule = std::get_if<LocalSchedule>(&read);
  if (!schedule || schedule->ops.empty() || !schedule->isCyclic() ||
      target::Dealing(schedule->numSections, chip.usedCores).activeCores() > 1)
    return std::nullopt;
  std::vector<Operation *> ops = localOps(group);
  const int64_t type = tpu::GroupOp::infoOf(ops.front()).getGroupType();
  if (type != static_cast<int64_t>(layer::GroupType::Normal) &&
      type != static_cast<int64_t>(layer::GroupType::ThreeD))
    return std::nullopt;
  // In a list of what a neighbour runs a negative number is no id.
  for (const LocalOp &op : schedule->ops)
    for (int64_t address : {op.resultAddress, op.scratchAddress})
      if (op.id < 0 || address < 0 || address > chip.laneBytes)
        return std::nullopt;
  auto counted = local_report::countGroup(group, *schedule, chip);
  auto *count = std::get_if<local_report::GroupCount>(&counted);
  if (!count)
    return std::nullopt;
  const report::LocalTimeline &timeline = count->timeline;
  const auto rows = [&](size_t round) {
    return timeline.kinds[timeline.rounds[round]];
  };
  const size_t rounds = timeline.rounds.size();
  const local_report::GuestWaits firstWaits(*schedule, count->firstCycles,
                                            chip);
  const local_report::GuestWaits lastWaits(*schedule, count->lastCycles, chip);
  GroupEnds ends{
      {group, {}, {}},  std::move(ops), rows(0),   rows(1), rows(rounds - 2),
      rows(rounds - 1), firstWaits,     lastWaits, {},      {}};
  ends.counted.schedule = std::move(*schedule);
  ends.counted.count = std::move(*count);
  addBuffers(ends);
  return ends;
}

namespace {

using Box = std::array<Interval, layer::kNumDims>;

bool meet(const Box &a, const Box &b) {
  for (int dim = 0; dim < layer::kNumDims; ++dim)
    if (!a[dim].overlaps(b[dim]))
      return false;
  return true;
}

/// A transfer that runs in a row of the neighbour.
struct Guest {
  int64_t row = 0;
  int64_t id = 0;
  bool operator<(const Guest &o) const {
    return std::pair(row, id) < std::pair(o.row, o.id);
  }
};

class Pair {
public:
  Pair(GroupEnds &first, GroupEnds &second)
      : a(first), b(second), rowsA(a.schedule().numRows),
        rowsB(b.schedule().numRows), sectionsA(a.schedule().numSections),
        sectionsB(b.schedule().numSections) {}

  void run() {
    if (sharesAny(a.group(), {"self_down_overlap_op", "other_up_overlap_op"}) ||
        sharesAny(b.group(), {"self_up_overlap_op", "other_down_overlap_op"}))
      return;
    const auto &parts = a.schedule().sections;
    if (parts[layer::N] * parts[layer::H] > kFewParts)
      for (size_t op : longestFirst(b.counted.count.firstCycles))
        tryLoad(op);
    for (size_t op : longestFirst(a.counted.count.lastCycles))
      tryStore(op);
    write(b, "self_up_overlap_op", a, "other_up_overlap_op", loads);
    write(a, "self_down_overlap_op", b, "other_down_overlap_op", stores);
  }

private:
  static std::vector<size_t> longestFirst(const std::vector<int64_t> &cycles) {
    std::vector<size_t> ids(cycles.size());
    std::iota(ids.begin(), ids.end(), 0);
    llvm::stable_sort(
        ids, [&](size_t x, size_t y) { return cycles[x] > cycles[y]; });
    return ids;
  }

  /// By how much a row gets shorter without a transfer, or longer with one.
  static int64_t saving(const report::LocalRowCycles &row, int64_t cycles) {
    return row.cycles() - std::max(row.compute, row.transfers - cycles);
  }
  static int64_t price(const report::LocalRowCycles &row, int64_t cycles) {
    return std::max(row.compute, row.transfers + cycles) - row.cycles();
  }

  /// The same in stage 0.
  static tpu::LayerGroupAttr ahead(tpu::LayerGroupAttr info) {
    return tpu::LayerGroupAttr::get(
        info.getContext(), info.getOutAddr(), info.getOutSize(),
        info.getBufferAddr(), info.getBufferSize(), info.getEuAlign(),
        info.getCanMerge(), info.getInHsliceOffset(), info.getNIdx(),
        info.getNSlice(), info.getCIdx(), info.getCSlice(), info.getDIdx(),
        info.getDSlice(), info.getHIdx(), info.getHSlice(), info.getWIdx(),
        info.getWSlice(), info.getId(), 0, info.getSliceIdx(),
        info.getGroupType());
  }

  struct Choice {
    int64_t row = 0, price = 0;
  };
  static std::optional<Choice>
  cheapest(const std::vector<report::LocalRowCycles> &rows,
           const local_report::GuestWaits &waits, Interval allowed,
           Interval bytes, int64_t cycles, bool isLastBest) {
    std::optional<Choice> best;
    for (int64_t row = allowed.begin; row < allowed.end; ++row) {
      const int64_t cost =
          saturatedAdd(price(rows[row], cycles), waits.at(row, bytes, cycles));
      if (!best || cost < best->price || (isLastBest && cost == best->price))
        best = {row, cost};
    }
    return best;
  }

  /// The part of a transfer's tensor that a section has.
  static Box boxOf(const GroupEnds &ends, size_t op, int64_t section) {
    const auto index = layer::sectionIndex(ends.schedule().sections, section);
    const auto parts = tpu::GroupOp::infoOf(ends.ops[op]).parts();
    Box box;
    for (int dim = 0; dim < layer::kNumDims; ++dim) {
      const auto &[starts, lengths] = parts[dim];
      if (lengths.empty()) {
        box[dim] = {0, 1};
        continue;
      }
      const size_t i = lengths.size() == 1 ? 0 : index[dim];
      const int64_t start = i < starts.size() ? starts[i] : 0;
      box[dim] = {start, saturatedAdd(start, lengths[i])};
    }
    return box;
  }

  Value resultOf(size_t store) const {
    return local_report::resultOf(a.group(), a.ops[store]);
  }

  void tryLoad(size_t index) {
    LocalOp &load = b.counted.schedule.ops[index];
    if (load.kind != LocalOp::Kind::Load || (load.stage != 0 && !load.isHeld))
      return;
    Buffer &buffer = b.buffers[b.bufferOf[index]];
    const int64_t cycles = b.counted.count.firstCycles[index];
    Interval allowed{
        std::max<int64_t>(0, freeFrom(buffer.bytes) - sectionsA * rowsA),
        rowsA};
    while (allowed.begin < allowed.end && isTooEarly(index, allowed.begin))
      ++allowed.begin;
    const auto best = cheapest(a.last, a.lastWaits, allowed, buffer.bytes,
                               cycles, /*isLastBest=*/true);
    if (!best)
      return;
    // Nothing computes in loop 0, so nothing waits there.
    report::LocalRowCycles &own =
        (load.stage == 0 ? b.before : b.first)[load.row];
    const int64_t waits =
        load.stage == 0 ? 0 : b.firstWaits.at(load.row, buffer.bytes, cycles);
    if (saving(own, cycles) + waits <= best->price)
      return;
    own.transfers -= cycles;
    a.last[best->row].transfers += cycles;
    load.stage = 0;
    buffer.begin = 0;
    b.ops[index]->setAttr("ginfo", ahead(tpu::GroupOp::infoOf(b.ops[index])));
    loads.push_back({best->row, load.id});
  }

  /// The step of the first group from which on it is done with these bytes.
  int64_t freeFrom(Interval bytes) const {
    int64_t step = 0;
    for (const Buffer &buffer : a.buffers)
      if (buffer.bytes.overlaps(bytes))
        step = std::max(step, buffer.end);
    return step;
  }

  /// Whether something of what is loaded is not stored before that row.
  bool isTooEarly(size_t load, int64_t row) const {
    const int64_t now = sectionsA * rowsA + row;
    const LocalSchedule &schedule = a.schedule();
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      const LocalOp &store = schedule.ops[i];
      if (store.kind != LocalOp::Kind::Store ||
          resultOf(i) != b.ops[load]->getOperand(0))
        continue;
      const int64_t since = now - schedule.step(store);
      const int64_t numStored = since <= 0 ? 0 : (since - 1) / rowsA + 1;
      for (int64_t section = numStored; section < sectionsA; ++section)
        if (meet(boxOf(b, load, 0), boxOf(a, i, section)))
          return true;
    }
    return false;
  }

  void tryStore(size_t index) {
    const LocalOp &store = a.schedule().ops[index];
    // Where nobody reads a result its room is free when its group is over.
    if (store.kind != LocalOp::Kind::Store || store.stage != 2 ||
        store.operands.empty() || !resultOf(index) ||
        resultOf(index).use_empty())
      return;
    const Interval bytes = a.buffers[a.bufferOf[store.operands.front()]].bytes;
    const int64_t cycles = a.counted.count.lastCycles[index];
    Interval allowed{0, std::min(rowsB, takenFrom(bytes) - rowsB)};
    while (allowed.begin < allowed.end && isTooLate(index, allowed.end - 1))
      --allowed.end;
    const auto best = cheapest(b.first, b.firstWaits, allowed, bytes, cycles,
                               /*isLastBest=*/false);
    report::LocalRowCycles &own = a.after[store.row];
    if (!best || saving(own, cycles) <= best->price)
      return;
    own.transfers -= cycles;
    b.first[best->row].transfers += cycles;
    stores.push_back({best->row, store.id});
  }

  /// The step of the second group in which it takes some of these bytes.
  int64_t takenFrom(Interval bytes) const {
    int64_t step = std::numeric_limits<int64_t>::max();
    for (const Buffer &buffer : b.buffers)
      if (buffer.bytes.overlaps(bytes))
        step = std::min(step, buffer.begin);
    return step;
  }

  /// Whether something of what is stored in that row has been loaded.
  bool isTooLate(size_t store, int64_t row) const {
    const int64_t now = rowsB + row;
    const LocalSchedule &schedule = b.schedule();
    for (size_t i = 0; i < schedule.ops.size(); ++i) {
      const LocalOp &load = schedule.ops[i];
      const int64_t since = now - schedule.step(load);
      if (load.kind != LocalOp::Kind::Load || since < 0 ||
          b.ops[i]->getOperand(0) != resultOf(store))
        continue;
      const int64_t numLoaded = std::min(sectionsB, since / rowsB + 1);
      for (int64_t section = 0; section < numLoaded; ++section)
        if (meet(boxOf(a, store, sectionsA - 1), boxOf(b, i, section)))
          return true;
    }
    return false;
  }

  /// The ids in the list of their own group, and in that of the other one,
  /// where -(r + 1) opens row r.
  static void write(const GroupEnds &owner, StringRef ownerList,
                    const GroupEnds &host, StringRef hostList,
                    std::vector<Guest> guests) {
    if (guests.empty())
      return;
    llvm::sort(guests);
    SmallVector<int64_t> own, flow;
    int64_t row = -1;
    for (const Guest &guest : guests) {
      if (guest.row != row)
        flow.push_back(-guest.row - 1);
      row = guest.row;
      flow.push_back(guest.id);
      own.push_back(guest.id);
    }
    llvm::sort(own);
    Builder builder(owner.group().getContext());
    owner.group()->setAttr(ownerList, builder.getI64ArrayAttr(own));
    host.group()->setAttr(hostList, builder.getI64ArrayAttr(flow));
  }

  GroupEnds &a, &b;
  const int64_t rowsA, rowsB, sectionsA, sectionsB;
  std::vector<Guest> loads, stores;
};

} // namespace

void overlap(GroupEnds &first, GroupEnds &second) { Pair(first, second).run(); }

} // namespace tpu_mlir::group_overlap

//===- ShareTransfers.cpp - Transfers in a neighbour's rows ---------------===//

#include "lib/Transforms/Tpu/CountGroup/ShareTransfers.h"

#include "lib/Transforms/Tpu/CountGroup/BankWaits.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tpu_mlir::local_report {

Value resultOf(tpu::GroupOp group, Operation *store) {
  for (OpOperand &use : store->getResult(0).getUses())
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>() &&
        use.getOperandNumber() < group->getNumResults())
      return group->getResult(use.getOperandNumber());
  return {};
}

namespace {

/// None where it is no list.
SmallVector<int64_t> numbers(tpu::GroupOp group, StringRef name) {
  return listOf(group, name).value_or(SmallVector<int64_t>());
}

/// The row in which a host's list has the guest `id`.
std::optional<int64_t> rowOfGuest(tpu::GroupOp host, StringRef name, int64_t id,
                                  int64_t numRows) {
  int64_t row = -1;
  for (int64_t entry : numbers(host, name)) {
    if (entry < 0)
      row = -(entry + 1);
    else if (entry == id)
      return row < 0 || row >= numRows ? std::nullopt : std::optional(row);
  }
  return std::nullopt;
}

/// A row of one round of a group, and what it does to the group's sums.
class Row {
public:
  Row(GroupCount &count, size_t round, int64_t row) : count(count) {
    report::LocalTimeline &timeline = count.timeline;
    int &kind = timeline.rounds[round];
    // It has to be this round's alone.
    if (llvm::count(timeline.rounds, kind) > 1) {
      timeline.kinds.push_back(
          std::vector<report::LocalRowCycles>(timeline.kinds[kind]));
      kind = int(timeline.kinds.size()) - 1;
    }
    cycles = &timeline.kinds[kind][row];
  }

  void add(int64_t transfers) {
    const int64_t before = cycles->cycles();
    cycles->transfers = saturatedAdd(cycles->transfers, transfers);
    count.cycles = saturatedAdd(count.cycles, cycles->cycles() - before);
  }

private:
  GroupCount &count;
  report::LocalRowCycles *cycles = nullptr;
};

/// Transfers of one group that another one runs.
struct Sharing {
  CountedGroup &owner, &host;
  LocalOp::Kind kind = LocalOp::Kind::Load;
  StringRef ownerList, hostList;
  size_t ownRound = 0, hostRound = 0;
  /// Cycles in the section that moves, and of the host in that round.
  const std::vector<int64_t> &ownCycles, &hostCycles;
};

void move(const Sharing &sharing, const target::ChipSpec &chip) {
  const LocalSchedule &own = sharing.owner.schedule;
  std::optional<GuestWaits> waits;
  for (int64_t id : numbers(sharing.owner.op, sharing.ownerList)) {
    const auto op = llvm::find_if(
        own.ops, [&](const LocalOp &each) { return each.id == id; });
    if (op == own.ops.end() || op->kind != sharing.kind ||
        op->stage != (sharing.kind == LocalOp::Kind::Load ? 0 : 2) ||
        (sharing.kind == LocalOp::Kind::Store && op->operands.empty()))
      continue;
    const auto row = rowOfGuest(sharing.host.op, sharing.hostList, id,
                                sharing.host.schedule.numRows);
    if (!row)
      continue;
    const int64_t cycles = sharing.ownCycles[op - own.ops.begin()];
    Row(sharing.owner.count, sharing.ownRound, op->row).add(-cycles);
    Row(sharing.host.count, sharing.hostRound, *row).add(cycles);
    const LocalOp &source =
        op->kind == LocalOp::Kind::Store ? own.ops[op->operands.front()] : *op;
    if (!waits)
      waits.emplace(sharing.host.schedule, sharing.hostCycles, chip);
    int64_t &sum = sharing.host.count.waitCycles;
    sum = saturatedAdd(
        sum, waits->at(*row,
                       {source.resultAddress,
                        saturatedAdd(source.resultAddress, source.resultBytes)},
                       cycles));
  }
}

} // namespace

void shareTransfers(CountedGroup &first, CountedGroup &second,
                    const target::ChipSpec &chip) {
  if (first.count.activeCores > 1 || second.count.activeCores > 1)
    return;
  const size_t lastRound = first.count.timeline.rounds.size() - 1;
  move({second, first, LocalOp::Kind::Load, "self_up_overlap_op",
        "other_up_overlap_op", 0, lastRound - 1, second.count.firstCycles,
        first.count.lastCycles},
       chip);
  move({first, second, LocalOp::Kind::Store, "self_down_overlap_op",
        "other_down_overlap_op", lastRound, 1, first.count.lastCycles,
        second.count.firstCycles},
       chip);
}

} // namespace tpu_mlir::local_report

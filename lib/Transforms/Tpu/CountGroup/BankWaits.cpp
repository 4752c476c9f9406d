//===- BankWaits.cpp - Who waits for whom at a bank -----------------------===//

#include "lib/Transforms/Tpu/CountGroup/BankWaits.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <limits>

namespace tpu_mlir::local_report {

namespace {

/// A result, or scratch: an op and which of its two buffers it is.
struct Piece {
  int64_t op = 0;
  bool isScratch = false;
  Interval banks;

  bool operator==(const Piece &o) const {
    return op == o.op && isScratch == o.isScratch;
  }
};

class WaitFinder {
public:
  WaitFinder(const LocalSchedule &schedule, int64_t bankBytes)
      : schedule(schedule), bankBytes(bankBytes),
        transfersOf(transfersByRow(schedule)) {}

  std::vector<BankWait> run() {
    for (size_t i = 0; i < schedule.ops.size(); ++i)
      if (schedule.ops[i].kind == LocalOp::Kind::Compute)
        addCompute(int64_t(i));
    return std::move(waits);
  }

  /// What is read, the result and scratch; of a store what it moves.
  std::vector<Piece> touched(int64_t op) const {
    std::vector<Piece> pieces;
    for (int64_t operand : schedule.ops[op].operands)
      pieces.push_back(piece(operand, false));
    if (schedule.ops[op].resultBytes > 0)
      pieces.push_back(piece(op, false));
    if (schedule.ops[op].scratchBytes > 0)
      pieces.push_back(piece(op, true));
    return pieces;
  }

private:
  Piece piece(int64_t op, bool isScratch) const {
    const LocalOp &from = schedule.ops[op];
    const int64_t begin = isScratch ? from.scratchAddress : from.resultAddress;
    const int64_t size = isScratch ? from.scratchBytes : from.resultBytes;
    // An end beyond all numbers is in the last of all banks.
    const int64_t last = checkedAdd(begin, size - 1)
                             .value_or(std::numeric_limits<int64_t>::max());
    return {op, isScratch, {begin / bankBytes, last / bankBytes + 1}};
  }

  bool liesOn(const Piece &result, const Piece &operand) const {
    const LocalOp &op = schedule.ops[result.op];
    return !result.isScratch && !operand.isScratch &&
           op.mayLieOn == operand.op &&
           op.resultAddress == schedule.ops[operand.op].resultAddress;
  }
  bool meet(const Piece &a, const Piece &b) const {
    return !(a == b) && a.banks.overlaps(b.banks) && !liesOn(a, b) &&
           !liesOn(b, a);
  }

  void addCompute(int64_t index) {
    const std::vector<Piece> mine = touched(index);
    for (size_t a = 0; a < mine.size(); ++a)
      for (size_t b = a + 1; b < mine.size(); ++b)
        if (meet(mine[a], mine[b]))
          waits.push_back({index, std::nullopt});
    for (int64_t transfer : transfersOf[schedule.ops[index].row])
      for (const Piece &moved : touched(transfer))
        for (const Piece &used : mine)
          if (meet(used, moved))
            waits.push_back({index, transfer});
  }

  const LocalSchedule &schedule;
  const int64_t bankBytes;
  const std::vector<std::vector<int64_t>> transfersOf; ///< By row.
  std::vector<BankWait> waits;
};

} // namespace

std::vector<BankWait> findBankWaits(const LocalSchedule &schedule,
                                    const target::ChipSpec &chip) {
  if (chip.bankBytes() <= 0)
    return {};
  return WaitFinder(schedule, chip.bankBytes()).run();
}

GuestWaits::GuestWaits(const LocalSchedule &schedule,
                       const std::vector<int64_t> &ofOp,
                       const target::ChipSpec &chip)
    : bankBytes(std::max<int64_t>(0, chip.bankBytes())),
      uses(schedule.numRows) {
  if (bankBytes == 0)
    return;
  const WaitFinder finder(schedule, bankBytes);
  for (size_t i = 0; i < schedule.ops.size(); ++i)
    if (schedule.ops[i].kind == LocalOp::Kind::Compute)
      for (const Piece &piece : finder.touched(int64_t(i)))
        uses[schedule.ops[i].row].push_back({piece.banks, ofOp[i]});
}

int64_t GuestWaits::at(int64_t row, Interval bytes, int64_t cycles) const {
  if (bankBytes == 0 || bytes.empty())
    return 0;
  const Interval banks{bytes.begin / bankBytes,
                       (bytes.end - 1) / bankBytes + 1};
  int64_t sum = 0;
  for (const Use &use : uses[row])
    if (use.banks.overlaps(banks))
      sum = saturatedAdd(sum, std::min(use.cycles, cycles));
  return sum;
}

} // namespace tpu_mlir::local_report

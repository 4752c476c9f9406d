//===- Problem.cpp - From a schedule to a placement problem ---------------===//
//
// Knows no IR: a schedule is enough.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Analysis/Local/Schedule.h"

#include <algorithm>
#include <map>

namespace tpu_mlir {

namespace {

using Key = std::pair<int64_t, int64_t>;

class ProblemBuilder {
public:
  ProblemBuilder(const LocalSchedule &schedule, const target::ChipSpec &chip)
      : schedule(schedule), resultOf(schedule.ops.size()),
        scratchOf(schedule.ops.size()) {
    result.problem.name = schedule.name;
    result.problem.setChip(chip);
    if (schedule.isCyclic())
      result.problem.period = std::max<int64_t>(1, schedule.numRows);
  }

  LocalProblem run(bool inPlace) {
    for (size_t op = 0; op < schedule.ops.size(); ++op)
      addBuffers(int64_t(op));
    if (inPlace)
      layer::putInPlace(result.problem, findBelow());
    pairWithinOps();
    pairEngines();
    for (auto &[pair, loops] : meetings) {
      int64_t cost = 0;
      for (auto &[row, intervals] : loops)
        for (const Interval &interval : normalize(std::move(intervals)))
          cost += interval.length();
      if (cost > 0)
        result.problem.bankPairs.push_back({pair.first, pair.second, cost});
    }
    return std::move(result);
  }

private:
  const LocalOp &opAt(int64_t index) const { return schedule.ops[index]; }

  void addBuffers(int64_t index) {
    const LocalOp &op = opAt(index);
    if (op.resultBytes > 0)
      resultOf[index] =
          add({index, false, lifeOf(op)}, op.name, op.resultBytes);
    if (op.scratchBytes > 0) {
      const int64_t at = schedule.isCyclic() ? op.row : schedule.step(op);
      const Interval life = op.keepsScratch && schedule.isCyclic()
                                ? Interval{0, schedule.numRows}
                                : Interval{at, at + 1};
      scratchOf[index] =
          add({index, true, {life}}, "scratch of " + op.name, op.scratchBytes);
    }
  }
  int64_t add(LocalBuffer what, std::string name, int64_t sizeBytes) {
    result.buffers.push_back(what);
    return result.problem.add(std::move(name), sizeBytes,
                              std::move(what.lifespans));
  }

  int64_t rowsOf(const LocalOp &op) const {
    int64_t last = schedule.step(op);
    for (int64_t reader : op.readers)
      last = std::max(last, schedule.step(opAt(reader)));
    return last - schedule.step(op) + 1;
  }
  std::vector<Interval> lifeOf(const LocalOp &op) const {
    const int64_t begin = schedule.step(op), rows = rowsOf(op);
    if (!schedule.isCyclic())
      return {{begin, begin + rows}};
    return layer::circularLife(begin, op.isHeld ? schedule.numRows : rows,
                               schedule.numRows);
  }

  /// Chains grow as long as they leave room on the circle: all rows of a chain
  /// but those in which one takes over from the other are different ones.
  std::vector<int64_t> findBelow() const {
    std::vector<int64_t> below(result.buffers.size(), -1);
    std::vector<int64_t> rowsOfChain(schedule.ops.size(), 0);
    for (size_t index = 0; index < schedule.ops.size(); ++index) {
      const LocalOp &op = schedule.ops[index];
      rowsOfChain[index] = rowsOf(op);
      if (!op.mayLieOn || !resultOf[index])
        continue;
      const int64_t rows = rowsOfChain[*op.mayLieOn] + rowsOf(op) - 1;
      if (schedule.isCyclic() && rows > schedule.numRows)
        continue;
      // An op of the same row takes the bytes over at once: no row in common
      // with what comes next.
      if (schedule.step(opAt(*op.mayLieOn)) == schedule.step(op))
        continue;
      rowsOfChain[index] = rows;
      below[*resultOf[index]] = resultOf[*op.mayLieOn].value_or(-1);
    }
    return below;
  }

  std::vector<int64_t> buffersOf(int64_t index) const {
    const LocalOp &op = opAt(index);
    std::vector<int64_t> buffers;
    const auto add = [&](std::optional<int64_t> buffer) {
      if (buffer)
        buffers.push_back(*buffer);
    };
    for (int64_t operand : op.operands)
      add(resultOf[operand]);
    add(resultOf[index]);
    add(scratchOf[index]);
    std::sort(buffers.begin(), buffers.end());
    return buffers;
  }

  /// The loops in which the op acts.
  Interval loopsOf(const LocalOp &op) const {
    return {op.stage, op.stage + (op.isHeld ? 1 : schedule.numSections)};
  }

  void meet(int64_t a, int64_t b, int64_t row, Interval loops) {
    if (a != b && !loops.empty())
      meetings[{std::min(a, b), std::max(a, b)}][row].push_back(loops);
  }

  void pairWithinOps() {
    for (size_t index = 0; index < schedule.ops.size(); ++index) {
      const LocalOp &op = schedule.ops[index];
      if (op.kind != LocalOp::Kind::Compute)
        continue;
      const std::vector<int64_t> buffers = buffersOf(int64_t(index));
      for (size_t a = 0; a < buffers.size(); ++a)
        for (size_t b = a + 1; b < buffers.size(); ++b)
          meet(buffers[a], buffers[b], op.row, loopsOf(op));
    }
  }

  void pairEngines() {
    const std::vector<std::vector<int64_t>> transfersOf =
        transfersByRow(schedule);
    for (size_t op = 0; op < schedule.ops.size(); ++op)
      if (schedule.ops[op].kind == LocalOp::Kind::Compute)
        for (int64_t dma : transfersOf[schedule.ops[op].row])
          pairTwo(int64_t(op), dma);
  }
  void pairTwo(int64_t compute, int64_t dma) {
    const Interval x = loopsOf(opAt(compute)), y = loopsOf(opAt(dma));
    const Interval both = {std::max(x.begin, y.begin), std::min(x.end, y.end)};
    for (int64_t used : buffersOf(compute))
      for (int64_t moved : buffersOf(dma))
        meet(used, moved, opAt(compute).row, both);
  }

  const LocalSchedule &schedule;
  /// The buffers of each op.
  std::vector<std::optional<int64_t>> resultOf, scratchOf;
  /// For each pair and row the loops in which they meet there.
  std::map<Key, std::map<int64_t, std::vector<Interval>>> meetings;
  LocalProblem result;
};

} // namespace

std::vector<std::vector<int64_t>>
transfersByRow(const LocalSchedule &schedule) {
  std::vector<std::vector<int64_t>> transfers(schedule.numRows);
  for (size_t op = 0; op < schedule.ops.size(); ++op)
    if (schedule.ops[op].kind != LocalOp::Kind::Compute)
      transfers[schedule.ops[op].row].push_back(int64_t(op));
  return transfers;
}

LocalProblem buildLocalProblem(const LocalSchedule &schedule,
                               const target::ChipSpec &chip, bool inPlace) {
  return ProblemBuilder(schedule, chip).run(inPlace);
}

std::vector<int64_t> currentAddresses(const LocalSchedule &schedule,
                                      const LocalProblem &problem) {
  std::vector<int64_t> addresses;
  for (const LocalBuffer &buffer : problem.buffers) {
    const LocalOp &op = schedule.ops[buffer.op];
    addresses.push_back(buffer.isScratch ? op.scratchAddress
                                         : op.resultAddress);
  }
  return addresses;
}

} // namespace tpu_mlir

//===- GroupTrace.cpp - Layer groups in a trace ---------------------------===//

#include "lib/Report/Trace/GroupTrace.h"

#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::report {

enum Lane : int64_t { kGroups = 1, kComputation = 2, kTransfers = 3 };

/// Names of what one row of one round does: "load a, store b".
static std::string namesOf(const LocalGroupRow &group, size_t round, size_t row,
                           bool isComputation) {
  std::string text;
  // Of the slowest core, counted from its first one.
  const int64_t sections = int64_t(group.timeline.rounds.size()) - 2;
  for (const LocalOpRow &op : group.ops) {
    const int64_t section = int64_t(round) - op.stage;
    const bool acts =
        section >= 0 && section < sections && (!op.isHeld || section == 0);
    if (op.row != int64_t(row) || !acts ||
        isComputation != (op.engine == LocalEngine::Compute))
      continue;
    text += text.empty() ? "" : ", ";
    text += isComputation ? op.name
                          : std::string(engineName(op.engine)) + " " + op.name;
  }
  return text;
}

void GroupTrace::engines(int64_t now, const LocalRowCycles &cycles,
                         const std::string &computation,
                         const std::string &transfers, const Object &args) {
  if (cycles.compute > 0)
    slice(computation, kComputation, {now, saturatedAdd(now, cycles.compute)},
          Object(args));
  if (cycles.transfers > 0)
    slice(transfers, kTransfers, {now, saturatedAdd(now, cycles.transfers)},
          Object(args));
}

/// When the next round begins.
int64_t GroupTrace::addRows(const LocalGroupRow &group, size_t round,
                            int64_t now) {
  const auto &rows = group.timeline.kinds[group.timeline.rounds[round]];
  for (size_t row = 0; row < rows.size(); ++row) {
    engines(now, rows[row], namesOf(group, round, row, true),
            namesOf(group, round, row, false),
            Object{{"group", group.index},
                   {"round", int64_t(round)},
                   {"row", int64_t(row)}});
    now = saturatedAdd(now, rows[row].cycles());
  }
  return now;
}

/// The same, without the rows.
int64_t GroupTrace::addRound(const LocalGroupRow &group, size_t round,
                             int64_t now) {
  LocalRowCycles sum;
  int64_t cycles = 0;
  for (const LocalRowCycles &row :
       group.timeline.kinds[group.timeline.rounds[round]]) {
    sum.compute = saturatedAdd(sum.compute, row.compute);
    sum.transfers = saturatedAdd(sum.transfers, row.transfers);
    cycles = saturatedAdd(cycles, row.cycles());
  }
  const std::string name = "round " + std::to_string(round);
  engines(now, sum, name, name,
          Object{{"group", group.index}, {"round", int64_t(round)}});
  return saturatedAdd(now, cycles);
}

void GroupTrace::addWhole(const LocalGroupRow &group) {
  const int64_t compute = std::min(group.cost.cycles, group.cost.computeCycles);
  engines(time, {compute, 0}, "computation", "",
          Object{{"group", group.index}, {"work", group.work}});
}

void GroupTrace::addGroup(const LocalGroupRow &group) {
  const size_t rounds = group.timeline.rounds.size();
  const size_t rows = rounds * size_t(std::max<int64_t>(1, group.numRows));
  const bool byRow = rows <= rowsLeft;
  const bool byRound = byRow || rounds <= rowsLeft;
  const int64_t end = saturatedAdd(time, group.cost.cycles);
  slice("group " + std::to_string(group.index) + ": " + group.name, kGroups,
        {time, end},
        Object{{"layers", group.numLayers},
               {"sections", group.numSections()},
               {"cores", group.activeCores},
               {"loadBytes", group.cost.loadBytes},
               {"storeBytes", group.cost.storeBytes},
               {"peakBytes", group.peakBytes}});
  int64_t now = time;
  if (rounds == 0 || !byRound)
    addWhole(group);
  for (size_t round = 0; byRound && round < rounds; ++round)
    now = byRow ? addRows(group, round, now) : addRound(group, round, now);
  rowsLeft -= byRow ? rows : byRound ? rounds : 0;
  time = end;
}

void GroupTrace::add(const LocalReport &report) {
  begin(report.module + ": layer groups, 1 us = 1 cycle");
  name("thread_name", kGroups, "groups");
  name("thread_name", kComputation, "computation in them");
  name("thread_name", kTransfers, "transfers in them");
  time = 0;
  for (const LocalGroupRow &group : report.groups)
    addGroup(group);
}

} // namespace tpu_mlir::report

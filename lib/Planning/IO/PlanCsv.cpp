//===- PlanCsv.cpp - Plans as CSV, and the printing of problems -----------===//

#include "lib/Planning/IO/Csv.h"
#include "lib/Planning/IO/Naming.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::planning {
namespace {

/// Takes the offsets, and the pools where there is a choice.
class PlanCsvReader {
public:
  PlanCsvReader(const Problem &problem, std::string_view text)
      : problem(problem), rows(text), bufferNames(problem.buffers.size()),
        poolIndex(indexOfNames(poolFileNames(problem))),
        isPlaced(problem.buffers.size(), false) {
    addFileNames(problem, bufferNames);
    plan.placements.resize(problem.buffers.size());
    plan.pools.resize(problem.pools.size());
  }

  std::variant<Plan, ParseError> run() {
    if (rows.error())
      return *rows.error();
    const auto idColumn = rows.columnOf("id");
    const auto offsetColumn = rows.columnOf("offset");
    const auto poolColumn = rows.columnOf("pool");
    if (!idColumn || !offsetColumn)
      return rows.errorAtHeader("the column '" +
                                std::string(idColumn ? "offset" : "id") +
                                "' is missing");
    while (const CsvRow *row = rows.next()) {
      const CsvCell &name = (*row)[*idColumn];
      if (auto error =
              place(name, bufferNames.find(name.text), (*row)[*offsetColumn],
                    poolColumn ? &(*row)[*poolColumn] : nullptr))
        return *error;
    }
    if (rows.error())
      return *rows.error();
    return complete();
  }

private:
  std::optional<ParseError> place(const CsvCell &name,
                                  std::optional<BufferId> id,
                                  const CsvCell &offsetCell,
                                  const CsvCell *poolCell) {
    if (!id)
      return name.error("the problem has no '" + shownCell(name.text) + "'");
    if (isPlaced[*id])
      return name.error("'" + shownCell(name.text) + "' occurs twice");
    isPlaced[*id] = true;

    const auto offset = csvInteger(offsetCell, "offset");
    if (const auto *bad = std::get_if<ParseError>(&offset))
      return *bad;
    const Buffer &buffer = problem.buffers[*id];
    Placement &placement = plan.placements[*id];
    placement = {buffer.pools.front(), std::get<int64_t>(offset)};
    if (poolCell) {
      const auto pool = poolIndex.find(poolCell->text);
      if (pool == poolIndex.end())
        return poolCell->error("the problem has no '" +
                               shownCell(poolCell->text) + "'");
      placement.pool = pool->second;
    }
    int64_t &used = plan.pools[placement.pool].usedBytes;
    const auto end = checkedAdd(placement.offsetBytes, buffer.sizeBytes);
    used = std::max(used, end.value_or(used));
    return std::nullopt;
  }

  std::variant<Plan, ParseError> complete() {
    const auto missing = std::find(isPlaced.begin(), isPlaced.end(), false);
    if (missing != isPlaced.end())
      return rows.errorAtHeader(
          "the plan does not place '" +
          shownCell(bufferNames.names[size_t(missing - isPlaced.begin())]) +
          "'");
    return std::move(plan);
  }

  const Problem &problem;
  CsvReader rows;
  UniqueNames bufferNames;
  const NameMap poolIndex;
  std::vector<bool> isPlaced;
  Plan plan;
};

void appendGaps(std::string &text, const Buffer &buffer) {
  const size_t before = text.size();
  for (size_t i = 1; i < buffer.lifespans.size(); ++i) {
    const int64_t begin = buffer.lifespans[i - 1].end;
    const int64_t end = buffer.lifespans[i].begin;
    if (begin >= end)
      continue;
    if (text.size() > before)
      text += ' ';
    appendInteger(text, begin);
    text += '-';
    appendInteger(text, end);
  }
}

bool hasGap(const Buffer &buffer) {
  for (size_t i = 1; i < buffer.lifespans.size(); ++i)
    if (buffer.lifespans[i - 1].end < buffer.lifespans[i].begin)
      return true;
  return false;
}

/// Rows of a problem. `offsetOf(id)` is empty where there is nothing to say;
/// `poolOf(id)` counts when `hasPools`.
template <typename OffsetOf, typename PoolOf>
std::string printRows(const Problem &problem, bool hasOffsets, bool hasPools,
                      OffsetOf offsetOf, PoolOf poolOf) {
  const std::vector<std::string> names = fileNames(problem);
  const std::vector<std::string> pools = poolFileNames(problem);
  bool hasAlignment = false, hasGaps = false;
  for (const Buffer &buffer : problem.buffers) {
    hasAlignment |= buffer.alignment != 1;
    hasGaps |= hasGap(buffer);
  }
  std::string text = "id,lower,upper,size";
  text += hasAlignment ? ",alignment" : "";
  text += hasGaps ? ",gaps" : "";
  text += hasPools ? ",pool" : "";
  text += hasOffsets ? ",offset\n" : "\n";
  auto number = [&](int64_t value) {
    text += ',';
    appendInteger(text, value);
  };
  for (size_t id = 0; id < problem.buffers.size(); ++id) {
    const Buffer &buffer = problem.buffers[id];
    appendCsvField(text, names[id]);
    number(buffer.lifespans.front().begin);
    number(buffer.lifespans.back().end);
    number(buffer.sizeBytes);
    if (hasAlignment)
      number(buffer.alignment);
    if (hasGaps) {
      text += ',';
      appendGaps(text, buffer);
    }
    if (hasPools) {
      text += ',';
      appendCsvField(text, pools[poolOf(id)]);
    }
    if (const std::optional<int64_t> offset = offsetOf(id))
      number(*offset);
    else
      text += hasOffsets ? "," : "";
    text += '\n';
  }
  return text;
}

} // namespace

std::variant<Plan, ParseError> parsePlanCsv(const Problem &problem,
                                            std::string_view text) {
  return PlanCsvReader(problem, text).run();
}

std::string printPlanCsv(const Problem &problem, const Plan &plan) {
  return printRows(
      problem, /*hasOffsets=*/true, problem.pools.size() > 1,
      [&](size_t id) { return std::optional(plan.placements[id].offsetBytes); },
      [&](size_t id) { return plan.placements[id].pool; });
}

std::string printProblemCsv(const Problem &problem) {
  auto offsetOf = [&](size_t id) {
    const std::optional<Pin> &pin = problem.buffers[id].pin;
    return pin ? std::optional(pin->offsetBytes) : std::nullopt;
  };
  const bool hasPins =
      std::any_of(problem.buffers.begin(), problem.buffers.end(),
                  [](const Buffer &buffer) { return buffer.pin.has_value(); });
  return printRows(problem, hasPins, /*hasPools=*/false, offsetOf,
                   [](size_t) { return PoolId(0); });
}

} // namespace tpu_mlir::planning

//===- ProblemCsv.cpp - Problems and plans as minimalloc CSV --------------===//
//
// google/minimalloc's form: one buffer a row, `id,lower,upper,size`, the upper
// end exclusive, and the optional columns `alignment`, `gaps` ("3-5 8-9", steps
// in [lower, upper) at which the buffer is not alive) and `offset`.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Csv.h"
#include "lib/Planning/Naming.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <charconv>

namespace tpu_mlir::planning {
namespace {

using Row = std::vector<CsvCell>;

constexpr const char *kColumns[] = {"id",        "lower", "upper", "size",
                                    "alignment", "gaps",  "offset"};

/// One row a buffer; the first error stops.
class CsvReader {
public:
  explicit CsvReader(const CsvTable &table) : table(table) {
    problem.pools.push_back({"memory", 0, std::nullopt, 1, 0});
  }

  std::variant<Problem, ParseError> run() {
    checkColumns();
    for (size_t i = 0; i < table.rows.size() && !error; ++i)
      readRow(table.rows[i]);
    if (!error)
      error = checkParsed(problem, [&](const ProblemError &e) {
        const CsvCell &at =
            e.buffer >= 0 ? table.rows[e.buffer].front() : table.header;
        return std::pair(at.line, at.column);
      });
    if (error)
      return *error;
    return std::move(problem);
  }

private:
  void fail(const CsvCell &cell, const std::string &message) {
    if (!error)
      error = cell.error(message);
  }

  void checkColumns() {
    for (const char *required : {"id", "lower", "upper", "size"})
      if (!table.columns.count(required))
        fail(table.header,
             "the column '" + std::string(required) + "' is missing");
    for (const auto &[name, index] : table.columns)
      if (std::find(std::begin(kColumns), std::end(kColumns), name) ==
          std::end(kColumns))
        fail(table.header, "unknown column '" + name + "'");
  }

  int64_t integer(const Row &row, const char *column) {
    const auto value = csvInteger(*table.find(row, column), column);
    if (const auto *bad = std::get_if<ParseError>(&value)) {
      error = error ? error : *bad;
      return 0;
    }
    return std::get<int64_t>(value);
  }
  /// nullopt when the column or the cell is missing.
  std::optional<int64_t> optionalInteger(const Row &row, const char *column) {
    const CsvCell *cell = table.find(row, column);
    if (!cell || cell->text.empty())
      return std::nullopt;
    return integer(row, column);
  }

  void readRow(const Row &row) {
    Buffer buffer;
    const CsvCell &id = *table.find(row, "id");
    buffer.name = id.text;
    if (id.text.empty())
      fail(id, "'id' is missing");
    else if (!names.emplace(id.text, int64_t(names.size())).second)
      fail(id, "the id '" + id.text + "' occurs twice");
    readLife(row, buffer);
    buffer.sizeBytes = integer(row, "size");
    if (buffer.sizeBytes < 0)
      fail(*table.find(row, "size"), "'size' is negative");
    buffer.alignment = optionalInteger(row, "alignment").value_or(1);
    if (buffer.alignment < 1)
      fail(*table.find(row, "alignment"), "'alignment' is below 1");
    if (const auto offset = optionalInteger(row, "offset"))
      buffer.pin = Pin{0, *offset};
    problem.buffers.push_back(std::move(buffer));
  }

  void readLife(const Row &row, Buffer &buffer) {
    const Interval life{integer(row, "lower"), integer(row, "upper")};
    if (error)
      return;
    const CsvCell &lower = *table.find(row, "lower");
    if (life.begin < 0)
      fail(lower, "'lower' is negative");
    else if (life.empty())
      fail(lower, "the lifespan [" + std::to_string(life.begin) + "," +
                      std::to_string(life.end) + ") is empty");
    int64_t begin = life.begin;
    const CsvCell *gaps = table.find(row, "gaps");
    for (const Interval &gap :
         gaps ? readGaps(*gaps) : std::vector<Interval>()) {
      if (gap.begin <= begin || gap.end >= life.end)
        fail(*gaps, "the gap " + std::to_string(gap.begin) + "-" +
                        std::to_string(gap.end) +
                        " is not inside the lifespan, behind the gap before");
      buffer.lifespans.push_back({begin, gap.begin});
      begin = gap.end;
    }
    buffer.lifespans.push_back({begin, life.end});
  }

  /// "a-b c-d", each half-open and not empty.
  std::vector<Interval> readGaps(const CsvCell &cell) {
    std::vector<Interval> gaps;
    const char *at = cell.text.data();
    const char *end = at + cell.text.size();
    while (at != end && !error) {
      Interval gap;
      auto [dash, code] = std::from_chars(at, end, gap.begin);
      if (code == std::errc() && dash != end && *dash == '-') {
        const auto second = std::from_chars(dash + 1, end, gap.end);
        dash = second.ptr;
        code = second.ec;
      } else {
        code = std::errc::invalid_argument;
      }
      const bool isEnded = dash == end || *dash == ' ';
      if (code != std::errc() || !isEnded || gap.empty())
        fail(cell, "'gaps' is '" + cell.text.substr(0, 40) +
                       "', expected pairs like '3-5 8-9'");
      gaps.push_back(gap);
      at = std::find_if(dash, end, [](char c) { return c != ' '; });
    }
    return gaps;
  }

  const CsvTable &table;
  Problem problem;
  NameMap names;
  std::optional<ParseError> error;
};

std::string gapsOf(const Buffer &buffer) {
  std::string text;
  for (size_t i = 1; i < buffer.lifespans.size(); ++i) {
    const int64_t begin = buffer.lifespans[i - 1].end;
    const int64_t end = buffer.lifespans[i].begin;
    if (begin < end)
      text += (text.empty() ? "" : " ") + std::to_string(begin) + "-" +
              std::to_string(end);
  }
  return text;
}

/// Takes the offsets, and the pools where there is a choice.
class PlanCsvReader {
public:
  PlanCsvReader(const Problem &problem, const CsvTable &table)
      : problem(problem), table(table),
        bufferIndex(indexOfNames(fileNames(problem))),
        poolIndex(indexOfNames(poolFileNames(problem))),
        isPlaced(problem.buffers.size(), false) {
    plan.placements.resize(problem.buffers.size());
    plan.pools.resize(problem.pools.size());
  }

  std::variant<Plan, ParseError> run() {
    for (const char *required : {"id", "offset"})
      if (!table.columns.count(required))
        return table.header.error("the column '" + std::string(required) +
                                  "' is missing");
    for (const Row &row : table.rows)
      if (auto error = readRow(row))
        return *error;
    for (const auto &[name, id] : bufferIndex)
      if (!isPlaced[id])
        return table.header.error("the plan does not place '" + name + "'");
    return std::move(plan);
  }

private:
  std::optional<ParseError> readRow(const Row &row) {
    const CsvCell &name = *table.find(row, "id");
    const auto buffer = bufferIndex.find(name.text);
    if (buffer == bufferIndex.end())
      return name.error("the problem has no '" + name.text + "'");
    const BufferId id = buffer->second;
    if (isPlaced[id])
      return name.error("'" + name.text + "' occurs twice");
    isPlaced[id] = true;

    const auto offset = csvInteger(*table.find(row, "offset"), "offset");
    if (const auto *bad = std::get_if<ParseError>(&offset))
      return *bad;
    Placement &placement = plan.placements[id];
    placement = {problem.buffers[id].pools.front(), std::get<int64_t>(offset)};
    if (const CsvCell *cell = table.find(row, "pool")) {
      const auto pool = poolIndex.find(cell->text);
      if (pool == poolIndex.end())
        return cell->error("the problem has no '" + cell->text + "'");
      placement.pool = pool->second;
    }
    int64_t &used = plan.pools[placement.pool].usedBytes;
    const auto end =
        checkedAdd(placement.offsetBytes, problem.buffers[id].sizeBytes);
    used = std::max(used, end.value_or(used));
    return std::nullopt;
  }

  const Problem &problem;
  const CsvTable &table;
  const NameMap bufferIndex, poolIndex;
  std::vector<bool> isPlaced;
  Plan plan;
};

} // namespace

std::variant<Problem, ParseError> parseProblemCsv(std::string_view text) {
  auto table = parseCsv(text);
  if (auto *error = std::get_if<ParseError>(&table))
    return *error;
  return CsvReader(std::get<CsvTable>(table)).run();
}

std::variant<Plan, ParseError> parsePlanCsv(const Problem &problem,
                                            std::string_view text) {
  auto table = parseCsv(text);
  if (auto *error = std::get_if<ParseError>(&table))
    return *error;
  return PlanCsvReader(problem, std::get<CsvTable>(table)).run();
}

namespace {

/// Rows of a problem, with the offsets that a function knows.
template <typename OffsetOf>
std::string printRows(const Problem &problem, bool hasOffsets, bool hasPools,
                      OffsetOf placementOf) {
  const std::vector<std::string> names = fileNames(problem);
  const std::vector<std::string> pools = poolFileNames(problem);
  bool hasAlignment = false, hasGaps = false;
  for (const Buffer &buffer : problem.buffers) {
    hasAlignment |= buffer.alignment != 1;
    hasGaps |= !gapsOf(buffer).empty();
  }
  std::string text = "id,lower,upper,size";
  text += hasAlignment ? ",alignment" : "";
  text += hasGaps ? ",gaps" : "";
  text += hasPools ? ",pool" : "";
  text += hasOffsets ? ",offset\n" : "\n";
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer &buffer = problem.buffers[i];
    text += csvField(names[i]);
    text += "," + std::to_string(buffer.lifespans.front().begin);
    text += "," + std::to_string(buffer.lifespans.back().end);
    text += "," + std::to_string(buffer.sizeBytes);
    if (hasAlignment)
      text += "," + std::to_string(buffer.alignment);
    if (hasGaps)
      text += "," + gapsOf(buffer);
    const std::optional<Placement> at = placementOf(i);
    if (hasPools)
      text += "," + csvField(pools[at->pool]);
    if (hasOffsets)
      text += "," + (at ? std::to_string(at->offsetBytes) : "");
    text += "\n";
  }
  return text;
}

} // namespace

std::string printPlanCsv(const Problem &problem, const Plan &plan) {
  return printRows(problem, /*hasOffsets=*/true, problem.pools.size() > 1,
                   [&](size_t i) { return std::optional(plan.placements[i]); });
}

std::string printProblemCsv(const Problem &problem) {
  bool hasPins = false;
  for (const Buffer &buffer : problem.buffers)
    hasPins |= buffer.pin.has_value();
  return printRows(problem, hasPins, /*hasPools=*/false,
                   [&](size_t i) -> std::optional<Placement> {
                     const std::optional<Pin> &pin = problem.buffers[i].pin;
                     return pin ? std::optional(
                                      Placement{pin->pool, pin->offsetBytes})
                                : std::nullopt;
                   });
}

} // namespace tpu_mlir::planning

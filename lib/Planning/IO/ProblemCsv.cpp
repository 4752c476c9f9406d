//===- ProblemCsv.cpp - Problems from minimalloc CSV ----------------------===//
//
// google/minimalloc's form: one buffer a row, `id,lower,upper,size`, the upper
// end exclusive, and the optional columns `alignment`, `gaps` ("3-5 8-9", steps
// in [lower, upper) at which the buffer is not alive), `offset` (a pin) and
// `hint` (where another solver would try first: not used).
//
// Rows are read one by one, so that a file of a million buffers needs little
// more memory than the problem itself.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/IO/Csv.h"
#include "lib/Planning/IO/NameIndex.h"
#include "lib/Planning/IO/Naming.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tpu_mlir::planning {
namespace {

enum Column { Id, Lower, Upper, Size, Alignment, Gaps, Offset, Hint };
constexpr std::array<const char *, 8> kColumns = {
    "id", "lower", "upper", "size", "alignment", "gaps", "offset", "hint"};
constexpr size_t kRequiredColumns = 4;
/// Reserving is a guess about the rest of the text: it has an end.
constexpr size_t kMostReserved = size_t(1) << 22;

/// One row a buffer; the first error stops.
class ProblemCsvReader {
public:
  explicit ProblemCsvReader(std::string_view text) : text(text), rows(text) {
    problem.pools.push_back({"memory", 0, std::nullopt, 1, 0});
  }

  std::variant<Problem, ParseError> run() {
    error = rows.error();
    if (!error)
      findColumns();
    if (!error)
      readRows();
    if (!error)
      error = checkParsed(problem, [&](const ProblemError &e) {
        return positionOfRow(e.buffer);
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

  void findColumns() {
    for (size_t i = 0; i < kColumns.size(); ++i) {
      indexOf[i] = rows.columnOf(kColumns[i]);
      if (i < kRequiredColumns && !indexOf[i] && !error)
        error = rows.errorAtHeader("the column '" + std::string(kColumns[i]) +
                                   "' is missing");
    }
    for (const std::string &name : rows.columns())
      if (!error &&
          std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end())
        error = rows.errorAtHeader("unknown column '" + shownCell(name) + "'");
  }

  void readRows() {
    problem.buffers.reserve(std::min(countLines(text), kMostReserved));
    auto nameOf = [&](int64_t id) -> std::string_view {
      return problem.buffers[id].name;
    };
    NameIndex index(nameOf, problem.buffers.capacity());
    while (const CsvRow *next = rows.next()) {
      row = next;
      problem.buffers.emplace_back();
      const CsvCell &id = (*row)[*indexOf[Id]];
      problem.buffers.back().name = id.text;
      if (id.text.empty())
        fail(id, "'id' is missing");
      else if (!index.add(int64_t(problem.buffers.size()) - 1))
        fail(id, "the id '" + shownCell(id.text) + "' occurs twice");
      readBuffer(problem.buffers.back());
      if (error)
        return;
    }
    error = rows.error();
  }

  const CsvCell &cell(Column column) const { return (*row)[*indexOf[column]]; }
  /// A cell of an optional column that has something in it.
  const CsvCell *optionalCell(Column column) const {
    if (!indexOf[column] || cell(column).text.empty())
      return nullptr;
    return &cell(column);
  }
  int64_t integer(Column column) {
    const auto value = csvInteger(cell(column), kColumns[column]);
    if (const auto *bad = std::get_if<ParseError>(&value)) {
      error = error ? error : *bad;
      return 0;
    }
    return std::get<int64_t>(value);
  }

  static std::string negative(const char *column, int64_t value) {
    return std::string("'") + column + "' is " + std::to_string(value) +
           ", which is negative";
  }

  void readBuffer(Buffer &buffer) {
    readLife(buffer);
    buffer.sizeBytes = integer(Size);
    if (buffer.sizeBytes < 0)
      fail(cell(Size), negative("size", buffer.sizeBytes));
    if (optionalCell(Alignment))
      buffer.alignment = integer(Alignment);
    if (buffer.alignment < 1)
      fail(cell(Alignment), "'alignment' is " +
                                std::to_string(buffer.alignment) +
                                ", which is below 1");
    if (optionalCell(Offset))
      buffer.pin = Pin{0, integer(Offset)};
  }

  void readLife(Buffer &buffer) {
    const int64_t lower = integer(Lower);
    const Interval life{lower, integer(Upper)};
    if (error)
      return;
    if (life.begin < 0)
      fail(cell(Lower), negative("lower", life.begin));
    else if (life.empty())
      fail(cell(Lower), "the lifespan [" + std::to_string(life.begin) + "," +
                            std::to_string(life.end) + ") is empty");
    if (const CsvCell *gaps = optionalCell(Gaps))
      readGaps(*gaps, life, buffer);
    else
      buffer.lifespans = {life};
  }

  /// "a-b c-d", each half-open and not empty, inside the life and in order.
  void readGaps(const CsvCell &gaps, const Interval &life, Buffer &buffer) {
    int64_t begin = life.begin;
    std::string_view rest = gaps.text;
    while (!error) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      if (rest.empty())
        break;
      const std::string_view word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
      const std::optional<Interval> gap = gapOf(gaps, word);
      if (!gap)
        return;
      if (gap->begin <= begin || gap->end >= life.end)
        fail(gaps, "the gap " + shownCell(word) +
                       " is not inside the lifespan, after the gap before");
      buffer.lifespans.push_back({begin, gap->begin});
      begin = gap->end;
    }
    buffer.lifespans.push_back({begin, life.end});
  }
  std::optional<Interval> gapOf(const CsvCell &gaps, std::string_view word) {
    Interval gap;
    const char *end = word.data() + word.size();
    auto [dash, code] = std::from_chars(word.data(), end, gap.begin);
    if (code == std::errc() && dash != end && *dash == '-') {
      const auto second = std::from_chars(dash + 1, end, gap.end);
      if (second.ec == std::errc() && second.ptr == end && !gap.empty())
        return gap;
    }
    if (word.find('@') != word.npos)
      fail(gaps, "the gap '" + shownCell(word) +
                     "' frees only a window of the buffer ('@'), which is not "
                     "supported; gaps are pairs of steps like '3-5 8-9'");
    else
      fail(gaps, "'gaps' is '" + shownCell(gaps.text) +
                     "', expected pairs like '3-5 8-9'");
    return std::nullopt;
  }

  /// Reads once more: rows do not keep where they were. The header for what is
  /// about no buffer.
  std::pair<int64_t, int64_t> positionOfRow(std::optional<BufferId> id) const {
    ParseError at = rows.errorAtHeader("");
    CsvReader again(text);
    for (BufferId row = 0; id && row <= *id; ++row)
      if (const CsvRow *found = again.next())
        at = found->front().error("");
    return {at.line, at.column};
  }

  std::string_view text;
  CsvReader rows;
  const CsvRow *row = nullptr;
  std::array<std::optional<size_t>, kColumns.size()> indexOf;
  Problem problem;
  std::optional<ParseError> error;
};

} // namespace

std::variant<Problem, ParseError> parseProblemCsv(std::string_view text) {
  return ProblemCsvReader(text).run();
}

} // namespace tpu_mlir::planning

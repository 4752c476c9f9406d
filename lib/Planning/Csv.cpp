//===- Csv.cpp - Comma-separated values with positions --------------------===//

#include "lib/Planning/Csv.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <charconv>

namespace tpu_mlir::planning {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class Splitter {
public:
  explicit Splitter(std::string_view text) : text(text) {}

  /// All records with at least one character in them.
  std::variant<std::vector<std::vector<CsvCell>>, ParseError> run() {
    std::vector<std::vector<CsvCell>> records;
    while (position < text.size()) {
      std::vector<CsvCell> record;
      if (!readRecord(record))
        return error;
      const bool isBlank = record.size() == 1 && record[0].text.empty();
      if (!isBlank)
        records.push_back(std::move(record));
    }
    return records;
  }

private:
  char peek() const { return position < text.size() ? text[position] : '\n'; }
  bool atLineEnd() const {
    return peek() == '\n' || (peek() == '\r' && (position + 1 >= text.size() ||
                                                 text[position + 1] == '\n'));
  }
  int64_t column() const { return int64_t(position - lineStart) + 1; }
  void endLine() {
    position += peek() == '\r' ? 2 : 1;
    ++line;
    lineStart = position;
  }
  bool fail(const char *message) {
    error = ParseError{message, line, column()};
    return false;
  }

  bool readRecord(std::vector<CsvCell> &record) {
    while (true) {
      CsvCell cell{"", line, column()};
      if (!readCell(cell))
        return false;
      record.push_back(std::move(cell));
      if (peek() == ',' && position < text.size()) {
        ++position;
        continue;
      }
      endLine();
      return true;
    }
  }
  bool readCell(CsvCell &cell) {
    while (peek() == ' ' || peek() == '\t')
      ++position;
    cell.column = column();
    if (peek() == '"')
      return readQuoted(cell);
    const size_t begin = position;
    while (!atLineEnd() && peek() != ',') {
      if (peek() == '"')
        return fail("a quote in the middle of a field");
      ++position;
    }
    cell.text = trimmed(text.substr(begin, position - begin));
    return true;
  }
  bool readQuoted(CsvCell &cell) {
    for (++position;; ++position) {
      if (position >= text.size())
        return fail("the quoted field has no end");
      if (text[position] == '\n') {
        ++line;
        lineStart = position + 1;
      }
      if (text[position] == '"') {
        if (position + 1 >= text.size() || text[position + 1] != '"')
          break;
        ++position;
      }
      cell.text += text[position];
    }
    ++position;
    while (peek() == ' ' || peek() == '\t')
      ++position;
    return atLineEnd() || peek() == ',' ||
           fail("there is text behind the closing quote");
  }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  int64_t line = 1;
  ParseError error;
};

std::optional<ParseError> readHeader(const std::vector<CsvCell> &header,
                                     CsvTable &table) {
  table.header = header.front();
  for (size_t i = 0; i < header.size(); ++i)
    if (!table.columns.emplace(header[i].text, i).second)
      return header[i].error("the column '" + header[i].text +
                             "' occurs twice");
  return std::nullopt;
}

} // namespace

const CsvCell *CsvTable::find(const std::vector<CsvCell> &row,
                              std::string_view column) const {
  const auto it = columns.find(column);
  return it == columns.end() ? nullptr : &row[it->second];
}

std::variant<CsvTable, ParseError> parseCsv(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  size_t badByte = 0;
  if (!llvm::json::isUTF8(llvm::StringRef(text.data(), text.size()),
                          &badByte)) {
    const std::string_view before = text.substr(0, badByte);
    const size_t lineStart = before.rfind('\n') + 1;
    return ParseError{"the text is not UTF-8",
                      std::count(before.begin(), before.end(), '\n') + 1,
                      int64_t(badByte - lineStart) + 1};
  }
  auto split = Splitter(text).run();
  if (auto *error = std::get_if<ParseError>(&split))
    return *error;
  auto &records = std::get<0>(split);
  if (records.empty())
    return ParseError{"the text is empty", 1, 1};

  CsvTable table;
  if (auto error = readHeader(records.front(), table))
    return *error;
  for (size_t i = 1; i < records.size(); ++i) {
    if (records[i].size() != records.front().size())
      return records[i].front().error(
          "the row has " + std::to_string(records[i].size()) +
          " fields, the header has " + std::to_string(records.front().size()));
    table.rows.push_back(std::move(records[i]));
  }
  return table;
}

std::string csvField(const std::string &text) {
  const bool isPlain =
      text.find_first_of(",\"\r\n") == text.npos && trimmed(text) == text;
  if (isPlain && !text.empty())
    return text;
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::variant<int64_t, ParseError> csvInteger(const CsvCell &cell,
                                             std::string_view column) {
  int64_t value = 0;
  const char *begin = cell.text.data();
  const char *end = begin + cell.text.size();
  const auto [stop, code] = std::from_chars(begin, end, value);
  if (code == std::errc() && stop == end)
    return value;
  const std::string what = "'" + std::string(column) + "' is ";
  if (cell.text.empty())
    return cell.error(what + "missing");
  if (code == std::errc::result_out_of_range && stop == end)
    return cell.error(what + cell.text.substr(0, 40) +
                      ", which is out of range (64 bits)");
  return cell.error(what + "'" + cell.text.substr(0, 40) +
                    "', expected an integer");
}

} // namespace tpu_mlir::planning

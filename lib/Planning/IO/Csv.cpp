//===- Csv.cpp - Comma-separated values with positions --------------------===//

#include "lib/Planning/IO/Csv.h"

#include "lib/Planning/IO/NameIndex.h"

#include "llvm/Support/JSON.h"

#include <algorithm>
#include <charconv>

namespace tpu_mlir::planning {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Longer cells are cut in messages.
constexpr size_t kShownBytes = 40;

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<ParseError> findBadByte(std::string_view text) {
  size_t badByte = 0;
  if (llvm::json::isUTF8(llvm::StringRef(text.data(), text.size()), &badByte))
    return std::nullopt;
  const std::string_view before = text.substr(0, badByte);
  const size_t lineStart = before.rfind('\n') + 1;
  return ParseError{"the text is not UTF-8",
                    std::count(before.begin(), before.end(), '\n') + 1,
                    int64_t(badByte - lineStart) + 1};
}

} // namespace

CsvReader::CsvReader(std::string_view whole) : text(whole) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    text.remove_prefix(kByteOrderMark.size());
  firstError = findBadByte(text);
  if (!firstError)
    readHeader();
}

void CsvReader::readHeader() {
  if (!nextRecord()) {
    if (!firstError)
      firstError = ParseError{"the text is empty", 1, 1};
    return;
  }
  headerLine = row.front().line;
  headerColumn = row.front().column;
  NameIndex index([&](int64_t id) -> std::string_view { return names[id]; });
  for (const CsvCell &cell : row) {
    names.emplace_back(cell.text);
    if (!index.add(int64_t(names.size()) - 1)) {
      firstError =
          cell.error("the column '" + shownCell(cell.text) + "' occurs twice");
      return;
    }
  }
}

std::optional<size_t> CsvReader::columnOf(std::string_view name) const {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    return std::nullopt;
  return size_t(it - names.begin());
}

const CsvRow *CsvReader::next() {
  if (!nextRecord())
    return nullptr;
  if (row.size() == names.size())
    return &row;
  firstError = row.front().error("the row has " + std::to_string(row.size()) +
                                 " fields, the header has " +
                                 std::to_string(names.size()));
  return nullptr;
}

/// The next record that is no blank line.
bool CsvReader::nextRecord() {
  while (!firstError && position < text.size()) {
    row.clear();
    unescaped.clear();
    if (!readRecord())
      return false;
    if (row.size() > 1 || !row[0].text.empty())
      return true;
  }
  return false;
}

bool CsvReader::readRecord() {
  while (true) {
    CsvCell &cell = row.emplace_back();
    cell.line = line;
    if (!readCell(cell))
      return false;
    if (peek() != ',') {
      endLine();
      return true;
    }
    ++position;
  }
}

bool CsvReader::readCell(CsvCell &cell) {
  skipSpaces();
  cell.column = column();
  if (peek() == '"')
    return readQuoted(cell);
  const size_t begin = position;
  for (; position < text.size(); ++position) {
    const char c = text[position];
    // Nothing above the comma ends a field: most characters are done here.
    if (uint8_t(c) > ',')
      continue;
    if (c == ',' || atLineEnd())
      break;
    if (c == '"')
      return fail("a quote in the middle of a field");
    if (c == '\0')
      return fail("a byte that is 0: this is not a text file");
  }
  cell.text = trimmed(text.substr(begin, position - begin));
  return true;
}

bool CsvReader::readQuoted(CsvCell &cell) {
  const size_t begin = ++position;
  bool hasEscapes = false;
  for (;; ++position) {
    if (position >= text.size())
      return fail("the quoted field has no end");
    if (text[position] == '\n') {
      ++line;
      lineStart = position + 1;
    }
    if (text[position] != '"')
      continue;
    if (position + 1 >= text.size() || text[position + 1] != '"')
      break;
    hasEscapes = true;
    ++position;
  }
  cell.text = text.substr(begin, position - begin);
  if (hasEscapes) {
    std::string &plain = unescaped.emplace_back();
    for (size_t i = 0; i < cell.text.size(); i += cell.text[i] == '"' ? 2 : 1)
      plain += cell.text[i];
    cell.text = plain;
  }
  ++position;
  skipSpaces();
  return atLineEnd() || peek() == ',' ||
         fail("there is text after the closing quote");
}

void CsvReader::skipSpaces() {
  while (peek() == ' ' || peek() == '\t')
    ++position;
}

bool CsvReader::atLineEnd() const {
  return peek() == '\n' || (peek() == '\r' && (position + 1 >= text.size() ||
                                               text[position + 1] == '\n'));
}

void CsvReader::endLine() {
  position += peek() == '\r' ? 2 : 1;
  ++line;
  lineStart = position;
}

bool CsvReader::fail(const char *message) {
  firstError = ParseError{message, line, column()};
  return false;
}

void appendCsvField(std::string &text, std::string_view field) {
  constexpr std::string_view kSpecial(",\"\r\n\0", 5);
  const bool isPlain = !field.empty() &&
                       field.find_first_of(kSpecial) == field.npos &&
                       trimmed(field) == field;
  if (isPlain) {
    text += field;
    return;
  }
  text += '"';
  for (char c : field)
    text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void appendInteger(std::string &text, int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

std::string shownCell(std::string_view text) {
  if (text.size() <= kShownBytes)
    return std::string(text);
  size_t end = kShownBytes;
  // Not in the middle of a character.
  while (end > 0 && (uint8_t(text[end]) & 0xC0) == 0x80)
    --end;
  return std::string(text.substr(0, end)) + "...";
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
    return cell.error(what + shownCell(cell.text) +
                      ", which is out of range (64 bits)");
  return cell.error(what + "'" + shownCell(cell.text) +
                    "', expected an integer");
}

size_t countLines(std::string_view text) {
  size_t lines = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines += end > at;
    at = end;
  }
  return lines;
}

} // namespace tpu_mlir::planning

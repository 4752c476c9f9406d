//===- Csv.h - Comma-separated values with positions ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_IO_CSV_H
#define TPU_MLIR_LIB_PLANNING_IO_CSV_H

#include "tpu_mlir/Planning/ProblemIO.h"

#include <deque>

namespace tpu_mlir::planning {

struct CsvCell {
  std::string_view text;
  int64_t line = 0, column = 0;

  ParseError error(std::string message) const {
    return {std::move(message), line, column};
  }
};
using CsvRow = std::vector<CsvCell>;

/// Reads row after row and keeps only one of them: cells point into the text,
/// which must outlive the reader, or into the reader.
///
/// Comma-separated, fields in double quotes as in RFC 4180, LF or CRLF, a
/// byte-order mark in front, spaces around unquoted fields dropped, blank lines
/// skipped. Fails on rows of another length than the header, columns that
/// occur twice, stray quotes, bytes that are not UTF-8, NUL outside quotes, and
/// a text without a header.
class CsvReader {
public:
  /// Reads the header; asks for error() next.
  explicit CsvReader(std::string_view text);

  /// The next row, with as many cells as the header; nullptr at the end and
  /// after an error. It lasts until the next call.
  const CsvRow *next();
  const std::optional<ParseError> &error() const { return firstError; }

  /// Where a column is in each row.
  std::optional<size_t> columnOf(std::string_view name) const;
  const std::vector<std::string> &columns() const { return names; }
  /// The first cell of the header: the place of errors that have none.
  ParseError errorAtHeader(std::string message) const {
    return {std::move(message), headerLine, headerColumn};
  }

private:
  void readHeader();
  bool nextRecord();
  bool readRecord();
  bool readCell(CsvCell &cell);
  bool readQuoted(CsvCell &cell);
  void skipSpaces();
  void endLine();
  bool atLineEnd() const;
  bool fail(const char *message);
  int64_t column() const { return int64_t(position - lineStart) + 1; }
  char peek() const { return position < text.size() ? text[position] : '\n'; }

  std::string_view text;
  size_t position = 0;
  size_t lineStart = 0;
  int64_t line = 1;
  CsvRow row;
  std::deque<std::string> unescaped; ///< Cells of `row` with "" in them.
  std::vector<std::string> names;
  int64_t headerLine = 1, headerColumn = 1;
  std::optional<ParseError> firstError;
};

/// Appends `field`, quoted when it has to be.
void appendCsvField(std::string &text, std::string_view field);
/// Appends `value` in decimal digits.
void appendInteger(std::string &text, int64_t value);

/// `text` as messages show it: cut at a character when it is long.
std::string shownCell(std::string_view text);

/// A decimal integer of 64 bits with nothing around it.
std::variant<int64_t, ParseError> csvInteger(const CsvCell &cell,
                                             std::string_view column);

/// The number of lines with something in them, at most: what to reserve.
size_t countLines(std::string_view text);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_IO_CSV_H

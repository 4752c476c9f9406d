//===- Csv.h - Comma-separated values with positions ------------*- C++ -*-===//

#ifndef TPU_MLIR_LIB_PLANNING_CSV_H
#define TPU_MLIR_LIB_PLANNING_CSV_H

#include "tpu_mlir/Planning/ProblemIO.h"

#include <map>

namespace tpu_mlir::planning {

struct CsvCell {
  std::string text;
  int64_t line = 0;
  int64_t column = 0;

  ParseError error(std::string message) const {
    return {std::move(message), line, column};
  }
};

/// A header and rows of as many cells. Blank lines are dropped.
struct CsvTable {
  std::map<std::string, size_t, std::less<>> columns; ///< Name to index.
  CsvCell header;                                     ///< Its first cell.
  std::vector<std::vector<CsvCell>> rows;

  /// nullptr when the table has no such column.
  const CsvCell *find(const std::vector<CsvCell> &row,
                      std::string_view column) const;
};

/// Comma-separated, fields in double quotes as in RFC 4180, LF or CRLF, spaces
/// around unquoted fields dropped. Fails on rows of another length than the
/// header, columns that occur twice, stray quotes, bytes that are not UTF-8,
/// and a text without a header.
std::variant<CsvTable, ParseError> parseCsv(std::string_view text);

/// `text`, quoted when it has to be.
std::string csvField(const std::string &text);

/// A decimal integer of 64 bits with nothing around it.
std::variant<int64_t, ParseError> csvInteger(const CsvCell &cell,
                                             std::string_view column);

} // namespace tpu_mlir::planning

#endif // TPU_MLIR_LIB_PLANNING_CSV_H

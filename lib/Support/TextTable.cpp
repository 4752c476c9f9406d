#include "tpu_mlir/Support/TextTable.h"

#include <algorithm>
#include <cctype>

namespace tpu_mlir {

TextTable::TextTable(std::vector<std::string> header) {
  rows.push_back(std::move(header));
}

void TextTable::addRow(std::vector<std::string> cells) {
  cells.resize(rows.front().size());
  rows.push_back(std::move(cells));
}

static bool standsRight(const std::string &cell) {
  return !cell.empty() &&
         (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 ||
          cell[0] == '-' || cell[0] == '+');
}

std::string TextTable::str() const {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      std::string fill(widths[i] - row[i].size(), ' ');
      line += i ? "  " : "";
      line += standsRight(row[i]) ? fill + row[i] : row[i] + fill;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

} // namespace tpu_mlir

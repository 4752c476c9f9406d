//===- TextTable.cpp - Plain aligned tables -------------------------------===//

#include "tpu_mlir/Support/TextTable.h"

#include "llvm/Support/Unicode.h"

#include <algorithm>

namespace tpu_mlir {

static size_t widthOf(const std::string &text) {
  const int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : size_t(width);
}

TextTable::TextTable(std::vector<Column> columns)
    : columns(std::move(columns)) {}

void TextTable::addRow(std::vector<std::string> cells) {
  cells.resize(columns.size());
  rows.push_back(std::move(cells));
}

void TextTable::addRule() { rows.emplace_back(); }

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> result;
  for (const Column &column : columns)
    result.push_back(widthOf(column.heading));
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      result[i] = std::max(result[i], widthOf(row[i]));
  return result;
}

std::string TextTable::render(int indent) const {
  const std::vector<size_t> width = widths();
  std::string text;
  auto addLine = [&](auto cellAt) {
    std::string line(size_t(std::max(indent, 0)), ' ');
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string cell = cellAt(i);
      const std::string padding(width[i] - widthOf(cell), ' ');
      line += i > 0 ? "  " : "";
      line +=
          columns[i].align == Align::Right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  auto rule = [&](size_t i) { return std::string(width[i], '-'); };

  addLine([&](size_t i) { return columns[i].heading; });
  addLine(rule);
  for (const std::vector<std::string> &row : rows) {
    if (row.empty())
      addLine(rule);
    else
      addLine([&](size_t i) { return row[i]; });
  }
  return text;
}

} // namespace tpu_mlir

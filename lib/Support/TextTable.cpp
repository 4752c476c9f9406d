//===- TextTable.cpp - Plain aligned tables -------------------------------===//

#include "tpu_mlir/Support/TextTable.h"

#include "tpu_mlir/Support/Utf8.h"

#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <string_view>

namespace tpu_mlir {

static size_t widthOf(std::string_view text) {
  // Printable ASCII is what nearly all cells are made of.
  if (std::all_of(text.begin(), text.end(),
                  [](char c) { return c >= ' ' && c <= '~'; }))
    return text.size();
  const int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : size_t(width);
}

TextTable::TextTable(std::vector<Column> given) : columns(std::move(given)) {
  for (Column &column : columns)
    column.heading = asUtf8(column.heading);
}

void TextTable::addRow(const std::vector<std::string> &row) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i < row.size())
      cells += asUtf8(row[i]);
    ends.push_back(cells.size());
  }
}

void TextTable::addRule() { rules.push_back(ends.size() / columns.size()); }

template <class F> void TextTable::forEachRow(F visit) const {
  std::vector<std::string_view> row(columns.size());
  const size_t numRows = ends.size() / columns.size();
  auto rule = rules.begin();
  for (size_t r = 0, cell = 0, begin = 0; r <= numRows; ++r) {
    for (; rule != rules.end() && *rule == r; ++rule)
      visit(nullptr);
    if (r == numRows)
      return;
    for (std::string_view &one : row) {
      one = std::string_view(cells).substr(begin, ends[cell] - begin);
      begin = ends[cell++];
    }
    visit(row.data());
  }
}

std::vector<size_t> TextTable::widths() const {
  std::vector<size_t> result;
  for (const Column &column : columns)
    result.push_back(widthOf(column.heading));
  forEachRow([&](const std::string_view *row) {
    for (size_t i = 0; row && i < columns.size(); ++i)
      result[i] = std::max(result[i], widthOf(row[i]));
  });
  return result;
}

std::string TextTable::render(int indent) const {
  const std::vector<size_t> width = widths();
  std::string text;
  auto addLine = [&](auto cellAt) {
    text.append(size_t(std::max(indent, 0)), ' ');
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string_view cell = cellAt(i);
      const size_t padding = width[i] - widthOf(cell);
      const bool isRight = columns[i].align == Align::Right;
      text.append(i > 0 ? 2 : 0, ' ');
      text.append(isRight ? padding : 0, ' ');
      text.append(cell);
      text.append(isRight ? 0 : padding, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  const std::string dashes(*std::max_element(width.begin(), width.end()), '-');
  auto rule = [&](size_t i) {
    return std::string_view(dashes).substr(0, width[i]);
  };

  addLine([&](size_t i) { return std::string_view(columns[i].heading); });
  addLine(rule);
  forEachRow([&](const std::string_view *row) {
    if (row)
      addLine([&](size_t i) { return row[i]; });
    else
      addLine(rule);
  });
  return text;
}

} // namespace tpu_mlir

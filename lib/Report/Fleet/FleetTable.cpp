//===- FleetTable.cpp - One row for each network --------------------------===//

#include "tpu_mlir/Report/FleetReport.h"

#include "lib/Report/Drawing/Page.h"
#include "lib/Report/Drawing/Svg.h"
#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/TextTable.h"
#include "tpu_mlir/Support/Utf8.h"

#include <set>

namespace tpu_mlir::report {
namespace {

/// A table of texts and byte counts, before it is drawn.
struct Cell {
  std::string text;
  std::optional<int64_t> number = std::nullopt;
};

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

} // namespace

static Cell bytesOf(const FleetRow &row, const std::string &region,
                    int64_t RegionRow::*figure) {
  Cell cell;
  for (const MemoryReport &report : row.reports)
    for (const RegionRow &one : report.regions)
      if (one.name == region)
        cell.number = saturatedAdd(cell.number.value_or(0), one.*figure);
  if (cell.number)
    cell.text = std::to_string(*cell.number);
  return cell;
}

/// Regions of several modules of one network are summed up.
static Table tableOf(const std::vector<FleetRow> &rows) {
  std::set<std::string> regions;
  for (const FleetRow &row : rows)
    for (const MemoryReport &report : row.reports)
      for (const RegionRow &region : report.regions)
        regions.insert(region.name);
  Table table{{"name", "module", "chip", "fits"}, {}};
  for (const std::string &region : regions) {
    table.columns.push_back(region);
    table.columns.push_back(region + " bound");
  }
  for (const FleetRow &row : rows) {
    const bool fits = !row.reports.empty();
    std::vector<Cell> cells = {{row.name},
                               {fits ? row.reports.front().module : ""},
                               {fits ? row.reports.front().chip : ""},
                               {fits ? "yes" : "no"}};
    for (const std::string &region : regions) {
      cells.push_back(bytesOf(row, region, &RegionRow::usedBytes));
      cells.push_back(bytesOf(row, region, &RegionRow::lowerBoundBytes));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

static std::string quoted(const std::string &text) {
  if (text.find_first_of("\",\r\n") == std::string::npos)
    return text;
  std::string result = "\"";
  for (char c : text)
    result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

std::string renderFleetCsv(const std::vector<FleetRow> &rows) {
  const Table table = tableOf(rows);
  std::string text;
  const auto addLine = [&](const auto &cells, auto textOf) {
    std::string line;
    for (const auto &cell : cells)
      line += (line.empty() ? "" : ",") + quoted(textOf(cell));
    text += line + "\n";
  };
  addLine(table.columns, [](const std::string &name) { return name; });
  for (const std::vector<Cell> &row : table.rows)
    addLine(row, [](const Cell &cell) { return cell.text; });
  return asUtf8(text);
}

static std::string shown(const Cell &cell) {
  return cell.number ? formatCount(*cell.number) : cell.text;
}

std::string renderFleetText(const std::vector<FleetRow> &rows) {
  const Table table = tableOf(rows);
  std::vector<TextTable::Column> columns;
  for (size_t i = 0; i < table.columns.size(); ++i)
    columns.push_back({table.columns[i], i < 4 ? TextTable::Align::Left
                                               : TextTable::Align::Right});
  TextTable text(columns);
  for (const std::vector<Cell> &row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell &cell : row)
      cells.push_back(shown(cell));
    text.addRow(cells);
  }
  return text.render();
}

std::string renderFleetHtml(const std::vector<FleetRow> &rows) {
  const Table table = tableOf(rows);
  std::string page =
      pageHead("Fleet", ": memory",
               std::to_string(rows.size()) +
                   (rows.size() == 1 ? " network" : " networks"));
  page += pageBar("", "network") + "<div class=\"wide\"><table>\n<thead><tr>";
  for (size_t i = 0; i < table.columns.size(); ++i)
    page += heading(escaped(table.columns[i]).c_str(), i >= 4, true);
  page += "</tr></thead>\n<tbody>\n";
  for (size_t at = 0; at < table.rows.size(); ++at) {
    page += "<tr data-b=\"" + std::to_string(at) + "\" data-t=\"" +
            escaped(table.rows[at].front().text) + "\">";
    for (const Cell &one : table.rows[at])
      page += one.number ? numberCell(shown(one), *one.number) : cell(one.text);
    page += "</tr>\n";
  }
  return page + "</tbody>\n</table></div>\n" + pageFoot();
}

} // namespace tpu_mlir::report

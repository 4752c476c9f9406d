//===- DiffHtml.cpp - What two memory reports have different, as a page ---===//

#include "lib/Report/Drawing/Page.h"
#include "lib/Report/Drawing/Svg.h"
#include "tpu_mlir/Report/FleetDiff.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tpu_mlir::report {
namespace {

/// Pixels of the longest bar.
constexpr int64_t kBar = 260;

class DiffPage {
public:
  explicit DiffPage(const ReportDiff &diff) : diff(diff) {}

  std::string render() {
    page = pageHead("Memory: what changed", "",
                    diff.before + " \xe2\x86\x92 " + diff.after);
    addVerdict();
    page += pageBar("", "tensor");
    addRegions();
    addPeaks();
    addTensors();
    return page + pageFoot();
  }

private:
  void addVerdict() {
    std::string text = diff.isEmpty() ? "Nothing changed" : "Not larger";
    int64_t before = 0, after = 0;
    for (const RegionChange &region : diff.regions) {
      before = saturatedAdd(before, region.beforeBytes);
      after = saturatedAdd(after, region.afterBytes);
    }
    if (diff.fitsBefore != diff.fitsAfter)
      text = diff.fitsAfter ? "It did not fit before" : "It does not fit";
    else if (diff.isOver())
      text = "Larger than allowed";
    else if (after > before)
      text = "Larger, within the tolerance";
    else if (after < before)
      text = "Smaller";
    page += "<h2 role=\"status\">" + escaped(text) + "</h2>\n<p>" +
            escaped("All regions: " + formatBytes(before) + " \xe2\x86\x92 " +
                    formatBytes(after) + changeOf(before, after) +
                    llvm::formatv("; a region may grow by {0:F1} %.",
                                  diff.tolerance)
                        .str()) +
            "</p>\n";
  }

  /// " (+1.0 KiB, +12.5 %)".
  static std::string changeOf(int64_t before, int64_t after) {
    if (before == after)
      return " (the same)";
    const int64_t by = saturatedSub(after, before);
    std::string text = by > 0 ? " (+" : " (\xe2\x88\x92";
    text += formatBytes(by > 0 ? by : -by);
    if (before > 0)
      text += llvm::formatv(", {0}{1:F1} %", by > 0 ? "+" : "",
                            100.0 * double(by) / double(before))
                  .str();
    return text + ")";
  }

  void tableHead(std::initializer_list<std::pair<const char *, bool>> columns) {
    page += "<div class=\"wide\"><table>\n<thead><tr>";
    for (const auto &[name, isNumber] : columns)
      page += heading(name, isNumber, true);
    page += "</tr></thead>\n<tbody>\n";
  }
  void tableFoot() { page += "</tbody>\n</table></div>\n"; }

  std::string barsOf(const RegionChange &region, int64_t most) const {
    const auto width = [&](int64_t bytes) {
      return most > 0 ? int64_t(double(kBar) * double(bytes) / double(most))
                      : 0;
    };
    const auto bar = [&](int64_t y, int64_t bytes, const char *color) {
      return "<rect x=\"0\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(width(bytes)) + "\" height=\"8\" fill=\"" + color +
             "\"/>";
    };
    return "<td><svg role=\"img\" aria-label=\"" +
           escaped(formatBytes(region.beforeBytes) + ", then " +
                   formatBytes(region.afterBytes)) +
           "\" width=\"" + std::to_string(kBar) + "\" height=\"20\">" +
           bar(1, region.beforeBytes, "#9aa4af") +
           bar(11, region.afterBytes,
               isOver(region, diff.tolerance) ? "#d55e00" : "#0072b2") +
           "</svg></td>";
  }

  void addRegions() {
    int64_t most = 0;
    for (const RegionChange &region : diff.regions)
      most = std::max({most, region.beforeBytes, region.afterBytes});
    page += "<h2>Regions</h2>\n";
    tableHead({{"region", false},
               {"before, B", true},
               {"after, B", true},
               {"change", true},
               {"", false},
               {"verdict", false}});
    for (const RegionChange &region : diff.regions) {
      const int64_t by = saturatedSub(region.afterBytes, region.beforeBytes);
      page += "<tr>" + cell(region.region) +
              numberCell(formatCount(region.beforeBytes), region.beforeBytes) +
              numberCell(formatCount(region.afterBytes), region.afterBytes) +
              numberCell(changeOf(region.beforeBytes, region.afterBytes), by) +
              barsOf(region, most) +
              cell(isOver(region, diff.tolerance) ? "over" : "") + "</tr>\n";
    }
    tableFoot();
    page += "<p class=\"quiet\">Upper bar: before. Lower bar: after.</p>\n";
  }

  void addPeaks() {
    bool isFirst = true;
    for (const RegionChange &region : diff.changes)
      for (const PeakTensor &tensor : region.newAtPeak) {
        if (isFirst) {
          page += "<h2>New at a peak, or larger</h2>\n";
          tableHead({{"tensor", false}, {"region", false}, {"B", true}});
          isFirst = false;
        }
        addRow(tensor.name,
               cell(region.region) +
                   numberCell(formatCount(tensor.sizeBytes), tensor.sizeBytes));
      }
    if (!isFirst)
      tableFoot();
  }

  void addRow(const std::string &name, const std::string &cells) {
    page += "<tr data-b=\"" + std::to_string(rows++) + "\" data-t=\"" +
            escaped(name) + "\"><td class=\"name\">" + escaped(name) + "</td>" +
            cells + "</tr>\n";
  }

  static std::string placeCells(const std::optional<TensorPlace> &place) {
    if (!place)
      return cell("") + numberCell("", 0);
    return cell(place->region) +
           numberCell(formatCount(place->sizeBytes), place->sizeBytes);
  }

  void addTensors() {
    if (diff.tensors.empty())
      return;
    page += "<h2>Tensors: " +
            formatCount(static_cast<int64_t>(diff.tensors.size())) +
            " are new, gone, or changed</h2>\n";
    tableHead({{"tensor", false},
               {"what", false},
               {"region before", false},
               {"B", true},
               {"region after", false},
               {"B", true},
               {"change, B", true}});
    for (const TensorChange &one : diff.tensors) {
      const int64_t before = one.before ? one.before->sizeBytes : 0;
      const int64_t by =
          saturatedSub(one.after ? one.after->sizeBytes : 0, before);
      addRow(one.name,
             cell(!one.before  ? "new"
                  : !one.after ? "gone"
                               : "changed") +
                 placeCells(one.before) + placeCells(one.after) +
                 numberCell((by > 0 ? "+" : "") + formatCount(by), by));
    }
    tableFoot();
  }

  const ReportDiff &diff;
  std::string page;
  size_t rows = 0;
};

} // namespace

std::string renderDiffHtml(const ReportDiff &diff) {
  return DiffPage(diff).render();
}

} // namespace tpu_mlir::report

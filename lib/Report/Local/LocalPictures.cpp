//===- LocalPictures.cpp - Maps of layer groups as files ------------------===//

#include "lib/Report/Drawing/Page.h"
#include "lib/Report/Local/LocalMap.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tpu_mlir::report {

namespace {

/// Rows of the table of the largest buffers.
constexpr size_t kMostRows = 200;

std::vector<size_t> chosen(const LocalReport &report,
                           std::optional<size_t> group) {
  std::vector<size_t> groups;
  for (size_t i = 0; i < report.groups.size(); ++i)
    if (!group || *group == i)
      groups.push_back(i);
  return groups;
}

/// Kinds that are there.
std::vector<LocalKind> kindsOf(const LocalReport &report,
                               const std::vector<size_t> &groups) {
  std::vector<LocalKind> kinds;
  for (LocalKind kind :
       {LocalKind::Activation, LocalKind::Weight, LocalKind::ReloadedWeight,
        LocalKind::Result, LocalKind::Scratch})
    if (std::any_of(groups.begin(), groups.end(), [&](size_t i) {
          const auto &buffers = report.groups[i].buffers;
          return std::any_of(buffers.begin(), buffers.end(),
                             [&](const LocalBufferRow &buffer) {
                               return buffer.kind == kind;
                             });
        }))
      kinds.push_back(kind);
  return kinds;
}

struct Mark {
  std::string cssClass, label;
};

/// All that a reader has to look up, in order.
std::vector<Mark> legendOf(const LocalReport &report,
                           const std::vector<size_t> &groups) {
  std::vector<Mark> marks;
  for (LocalKind kind : kindsOf(report, groups))
    marks.push_back({colourClass(kind), kindName(kind)});
  for (size_t i : groups)
    for (const LocalBufferRow &buffer : report.groups[i].buffers)
      if (buffer.inPlaceOf && marks.back().cssClass != "inplace")
        marks.push_back({"inplace", "takes the bytes over"});
  marks.push_back({"peak", "step of the lower bound"});
  return marks;
}

std::string drawLegend(const std::vector<Mark> &marks, double y) {
  std::string svg;
  double x = kMapLeft;
  for (const Mark &mark : marks) {
    svg +=
        rectangle({x, y - 10, 12, 12}, "class=\"" + mark.cssClass + "\"/>\n");
    svg += text(x + 18, y, "soft", mark.label);
    x += 34 + kLetter * 1.1 * double(mark.label.size());
  }
  return svg;
}

std::string pageLegend(const std::vector<Mark> &marks) {
  std::string html;
  for (const Mark &mark : marks)
    html += key("<rect x=\"1\" y=\"1\" width=\"11\" height=\"10\" class=\"" +
                    mark.cssClass + "\"/>",
                mark.label);
  return html;
}

std::string title(const LocalReport &report) {
  return "local memory of " + report.module;
}

std::string subtitle(const LocalReport &report) {
  const LocalCost all = report.totalCost();
  return llvm::formatv("chip {0}: {1} lanes of {2} in {3} banks; {4} in "
                       "{5}, {6} global; {7} moved ({8} loaded, {9} "
                       "stored), {10} cycles",
                       report.chip, report.lanes, formatBytes(report.laneBytes),
                       report.banks,
                       counted(report.numGroupedLayers(), "layer"),
                       counted(int64_t(report.groups.size()), "group"),
                       report.globals.size(), formatBytes(all.trafficBytes()),
                       formatBytes(all.loadBytes), formatBytes(all.storeBytes),
                       formatCount(all.cycles))
      .str();
}

std::string groupRow(const LocalGroupRow &group) {
  std::string sections;
  for (int64_t parts : group.sections)
    sections += (sections.empty() ? "" : " ") + std::to_string(parts);
  const LocalCost &cost = group.cost;
  return "<tr><td class=\"n\"><a href=\"#g" + std::to_string(group.index) +
         "\">" + std::to_string(group.index) + "</a></td><td class=\"name\">" +
         escaped(group.name) + "</td>" +
         numberCell(std::to_string(group.numLayers), group.numLayers) +
         numberCell(std::to_string(group.numRows), group.numRows) +
         numberCell(sections, group.numSections()) +
         numberCell(formatBytes(group.peakBytes), group.peakBytes) +
         numberCell(formatBytes(group.lowerBoundBytes), group.lowerBoundBytes) +
         numberCell(formatCount(group.bankConflicts), group.bankConflicts) +
         numberCell(formatBytes(cost.loadBytes), cost.loadBytes) +
         numberCell(formatBytes(cost.storeBytes), cost.storeBytes) +
         numberCell(formatCount(cost.cycles), cost.cycles) + "</tr>\n";
}

std::string groupTable(const LocalReport &report,
                       const std::vector<size_t> &groups) {
  std::string html =
      "<div class=\"wide\"><table>\n<thead><tr>" +
      heading("group", true, true) + heading("name", false, true) +
      heading("layers", true, true) + heading("rows", true, true) +
      heading("n c d h w", true, true) + heading("peak", true, true) +
      heading("lower bound", true, true) + heading("conflicts", true, true) +
      heading("loaded", true, true) + heading("stored", true, true) +
      heading("cycles", true, true) + "</tr></thead>\n<tbody>\n";
  for (size_t group : groups)
    html += groupRow(report.groups[group]);
  return html + "</tbody></table></div>\n";
}

std::string bufferRow(const LocalGroupRow &group, size_t index) {
  const LocalBufferRow &buffer = group.buffers[index];
  const std::string told = buffer.name + "\n" + kindName(buffer.kind) + ", " +
                           formatBytes(buffer.bytes.length()) + "\nlife " +
                           describeLife(buffer);
  return "<tr data-b=\"" + bufferId(group, index) + "\" data-t=\"" +
         escaped(told) + "\"><td class=\"name\">" + escaped(buffer.name) +
         "</td>" + numberCell(std::to_string(group.index), group.index) +
         cell(kindName(buffer.kind)) +
         numberCell(formatCount(buffer.bytes.length()), buffer.bytes.length()) +
         numberCell(formatCount(buffer.bytes.begin), buffer.bytes.begin) +
         cell(describeLife(buffer)) + "</tr>\n";
}

std::string bufferTable(const LocalReport &report,
                        const std::vector<size_t> &groups) {
  std::vector<std::pair<size_t, size_t>> buffers;
  for (size_t group : groups)
    for (size_t i = 0; i < report.groups[group].buffers.size(); ++i)
      buffers.push_back({group, i});
  const size_t all = buffers.size();
  const auto sizeOf = [&](const std::pair<size_t, size_t> &buffer) {
    return report.groups[buffer.first].buffers[buffer.second].bytes.length();
  };
  std::stable_sort(
      buffers.begin(), buffers.end(),
      [&](const auto &a, const auto &b) { return sizeOf(a) > sizeOf(b); });
  buffers.resize(std::min(all, kMostRows));
  std::string html =
      "<h2>Largest buffers</h2>\n<p class=\"quiet\">" +
      formatCount(int64_t(buffers.size())) + " of " +
      formatCount(int64_t(all)) +
      "<span class=\"screen\">; a click on a heading sorts</span></p>\n<div "
      "class=\"wide\"><table>\n<thead><tr>" +
      heading("name", false, true) + heading("group", true, true) +
      heading("kind", false, true) + heading("bytes", true, true) +
      heading("address", true, true) + heading("life", false, true) +
      "</tr></thead>\n<tbody>\n";
  for (const auto &[group, index] : buffers)
    html += bufferRow(report.groups[group], index);
  return html + "</tbody></table></div>\n";
}

} // namespace

std::string renderLocalSvg(const LocalReport &report,
                           std::optional<size_t> group) {
  const std::vector<size_t> groups = chosen(report, group);
  std::string body = "<style>" + mapStyle() + "</style>\n" +
                     text(kMapLeft, 30, "title", title(report)) +
                     text(kMapLeft, 50, "soft", subtitle(report)) +
                     drawLegend(legendOf(report, groups), 76);
  double y = 90;
  for (size_t i : groups) {
    const LocalGroupRow &row = report.groups[i];
    body += text(kMapLeft, y + 22, "pool",
                 shortened(describeGroup(row) + ": " + row.name, 150));
    body += text(kMapLeft, y + 39, "soft", describeNumbers(report, row));
    const LocalMap map = drawLocalMap(report, i, y + 50);
    body += map.svg;
    y = map.bottom;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         image(kMapWidth, y + 10, title(report), body, /*isFile=*/true);
}

std::string renderLocalHtml(const LocalReport &report,
                            std::optional<size_t> group) {
  const std::vector<size_t> groups = chosen(report, group);
  std::string html = pageHead(title(report), "", subtitle(report)) + "<style>" +
                     mapStyle() + "</style>\n" + groupTable(report, groups) +
                     pageBar(pageLegend(legendOf(report, groups)));
  for (size_t i : groups) {
    const LocalGroupRow &row = report.groups[i];
    html += "<h2 id=\"g" + std::to_string(row.index) + "\">" +
            escaped(describeGroup(row)) + "</h2>\n<p class=\"quiet\">" +
            escaped(row.name) + "<br>" + escaped(describeNumbers(report, row)) +
            "</p>\n<figure>\n";
    const LocalMap map = drawLocalMap(report, i, 4);
    html += image(kMapWidth, map.bottom, "group " + std::to_string(row.index),
                  map.svg, /*isFile=*/false) +
            "</figure>\n";
  }
  return html + bufferTable(report, groups) + pageFoot();
}

} // namespace tpu_mlir::report

//===- MapHtml.cpp - A memory map as a page -------------------------------===//

#include "lib/Report/Drawing/Page.h"
#include "lib/Report/Map/Map.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tpu_mlir::report {

namespace {

constexpr size_t kMostPeakRows = 40, kMostChanges = 12, kMostGroups = 400;

std::string percentOf(int64_t part, int64_t whole) {
  return whole > 0
             ? llvm::formatv("{0:f0} %", 100.0 * double(part) / double(whole))
                   .str()
             : "-";
}

/// What takes most of the board.
const RegionRow *largestOnBoard(const MemoryReport &report) {
  const RegionRow *found = nullptr;
  for (const RegionRow &region : report.regions)
    if (region.isOnBoard && (!found || region.usedBytes > found->usedBytes))
      found = &region;
  return found;
}

std::string card(const char *title, const std::string &big,
                 const std::string &html) {
  return std::string("<section class=\"card\"><h2>") + title +
         "</h2><div class=\"big\">" + big + "</div>" + html + "</section>\n";
}

/// What is left of `have`, or missing.
std::string room(int64_t need, int64_t have) {
  if (need > have)
    return "<span class=\"over\">over by " + formatBytes(need - have) +
           "</span>";
  return formatBytes(have - need);
}

class MapPage {
public:
  MapPage(const MemoryReport &report, const MapOptions &options)
      : report(report), options(options), map(buildMap(report, options)),
        drawing(drawMap(map, options, /*withHeading=*/false)) {}

  std::string run() {
    std::string html = pageHead(mapTitle(report), " - memory map", subtitle());
    html += std::string("<style>") + mapStyle() + "</style>\n";
    html += failure() + cards() + board() + regionTable();
    html +=
        pageBar(legend(), "tensor") + "<div id=\"hits\"></div>\n" + figure();
    for (const std::string &note : drawing.notes)
      html += "<p class=\"quiet\">" + escaped(note) + "</p>\n";
    html += liveSet();
    for (const RegionRow &region : report.regions)
      html += peak(region);
    html += groups();
    const std::string end = std::string("</script>\n<script>") + mapScript() +
                            "</script>\n" + pageFoot();
    html += "<script type=\"application/json\" id=\"map-data\">";
    const size_t taken = html.size() + end.size();
    const size_t left = options.maxBytes - std::min(options.maxBytes, taken);
    return html + mapData(report, drawing.places, left) + end;
  }

private:
  std::string subtitle() const;
  std::string failure() const;
  std::string cards() const;
  std::string weightsCard() const;
  std::string roomCard(const RegionRow *region) const;
  std::string board() const;
  std::string regionTable() const;
  std::string legend() const;
  std::string figure() const;
  std::string liveSet() const;
  std::string peak(const RegionRow &region) const;
  std::string peakRows(const RegionRow &region) const;
  std::string groups() const;

  const MemoryReport &report;
  const MapOptions &options;
  const Map map;
  const Drawing drawing;
};

} // namespace

std::string MapPage::subtitle() const {
  const auto numGroups = map.picture.marks.size();
  return "chip " + report.chip + ", I/O mode " + report.ioMode + ", " +
         formatCount(report.numSteps) + " steps, " +
         formatCount(int64_t(report.tensors.size())) + " tensors" +
         (numGroups ? ", " + formatCount(int64_t(numGroups)) + " layer groups"
                    : "");
}

std::string MapPage::failure() const {
  if (options.failure.empty())
    return "";
  std::string html = "<section class=\"failure\" role=\"alert\">\n";
  llvm::StringRef rest = options.failure;
  while (!rest.empty()) {
    const auto [line, others] = rest.split('\n');
    html += "<p>" + escaped(line.str()) + "</p>\n";
    rest = others;
  }
  return html + "<p>The map shows how the network would lie if there were "
                "room.</p>\n</section>\n";
}

std::string MapPage::roomCard(const RegionRow *region) const {
  const RegionRow *largest = largestOnBoard(report);
  if (report.gmemBytes && report.boardBytes > 0)
    return card("Room left on the board",
                room(report.boardBytes, *report.gmemBytes),
                "all regions take " + formatBytes(report.boardBytes) + " of " +
                    formatBytes(*report.gmemBytes) +
                    (largest ? "; the largest is " + escaped(largest->name) +
                                   ", " + formatBytes(largest->usedBytes)
                             : ""));
  if (region && region->capacityBytes)
    return card("Room left", room(region->usedBytes, *region->capacityBytes),
                "of " + formatBytes(*region->capacityBytes) + " in " +
                    escaped(region->name));
  return card(
      "Memory of the board",
      report.boardBytes > 0 ? "at least " + formatBytes(report.boardBytes)
                            : "not known",
      "for all regions; how much there is nobody has said (--gmem-size)");
}

/// Weights that leave no room to anything else are the cause of all.
std::string MapPage::weightsCard() const {
  const RegionRow *largest = largestOnBoard(report);
  if (!largest || !largest->peakSet.empty() || !report.gmemBytes ||
      largest->usedBytes <= *report.gmemBytes)
    return "";
  return card("Cause", escaped(largest->name) + " alone",
              "takes " + formatBytes(largest->usedBytes) + ", more than the " +
                  formatBytes(*report.gmemBytes) +
                  " of the board: weights are there all the time");
}

std::string MapPage::cards() const {
  const RegionRow *region = mainRegion(report);
  if (!region)
    return "<div class=\"cards\">\n" + roomCard(nullptr) + "</div>\n";
  std::string when = "in step <a href=\"#map\" data-step=\"" +
                     std::to_string(region->peakStep) + "\">" +
                     formatCount(region->peakStep) + "</a> of " +
                     formatCount(report.numSteps);
  if (!region->peakOp.empty())
    when += ", while " + escaped(region->peakOp) + " runs";
  int64_t sum = 0;
  for (const PeakTensor &tensor : region->peakSet)
    sum = saturatedAdd(sum, tensor.sizeBytes);
  std::string cause = "<ol>";
  for (size_t i = 0; i < std::min<size_t>(region->peakSet.size(), 3); ++i) {
    const PeakTensor &tensor = region->peakSet[i];
    cause += "<li>" + escaped(shortened(tensor.name, 60)) + ": " +
             formatBytes(tensor.sizeBytes) + ", " +
             percentOf(tensor.sizeBytes, sum) +
             (tensor.why.empty() ? "" : "; " + escaped(tensor.why)) + "</li>";
  }
  const int64_t count = int64_t(region->peakSet.size());
  const std::string weights = weightsCard();
  return "<div class=\"cards\">\n" +
         card("Peak", formatBytes(region->usedBytes),
              "of " + escaped(region->name) + ", " + when) +
         (weights.empty()
              ? card("Cause",
                     formatCount(count) + (count == 1 ? " tensor" : " tensors"),
                     "alive there, " + formatBytes(sum) +
                         "; the largest:" + cause + "</ol>")
              : weights) +
         roomCard(region) + "</div>\n";
}

/// The regions side by side, as parts of what the board has.
std::string MapPage::board() const {
  constexpr double kWidth = 1180, kHeight = 26;
  const int64_t need = report.boardBytes;
  if (need <= 0)
    return "";
  const double whole = double(std::max(need, report.gmemBytes.value_or(need)));
  std::string body = rectangle({0, 2, kWidth, kHeight}, "class=\"free\"/>\n");
  double left = 0;
  int colour = 2;
  for (const RegionRow &region : report.regions) {
    if (!region.isOnBoard || region.usedBytes <= 0)
      continue;
    const double width = kWidth * double(region.usedBytes) / whole;
    const std::string told = region.name + " " + formatBytes(region.usedBytes);
    body += rectangle({left, 2, std::max(width, .5), kHeight},
                      "class=\"b c" + std::to_string(colour) + "\"><title>" +
                          escaped(told) + "</title></rect>\n");
    if (width > kLetter * double(told.size()) + 8)
      body += text(left + width / 2, 19, "label", told, "middle");
    left += width;
    colour = colour == 2 ? 0 : (colour + 3) % 8;
  }
  const double used = kWidth * double(need) / whole;
  if (report.gmemBytes && kWidth - used > 90)
    body += text((left + kWidth) / 2, 19, "soft",
                 "free " + formatBytes(*report.gmemBytes - need), "middle");
  if (report.gmemBytes) {
    const double x = kWidth * double(*report.gmemBytes) / whole;
    body += line(std::min(x, kWidth - 1), 0, std::min(x, kWidth - 1),
                 kHeight + 4, "line capacity");
    if (*report.gmemBytes < need)
      body +=
          text(x - 6, 45, "tcapacity",
               "the board ends here: " + formatBytes(*report.gmemBytes), "end");
  }
  const double height =
      report.gmemBytes && *report.gmemBytes < need ? 52 : kHeight + 6;
  return "<div class=\"board\">\n" +
         image(kWidth, height, "memory of the board", body, /*isFile=*/false) +
         "</div>\n";
}

std::string MapPage::regionTable() const {
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>" +
                     heading("region") + heading("used", true) +
                     heading("capacity", true) + heading("room left", true) +
                     heading("peak step", true) + heading("lower bound", true) +
                     heading("gap", true) + heading("first address", true) +
                     "</tr></thead>\n<tbody>\n";
  for (const RegionRow &region : report.regions) {
    const int64_t gap = saturatedSub(region.usedBytes, region.lowerBoundBytes);
    html += "<tr>" + cell(region.name) +
            numberCell(formatBytes(region.usedBytes), region.usedBytes);
    html += region.capacityBytes
                ? numberCell(formatBytes(*region.capacityBytes),
                             *region.capacityBytes) +
                      "<td class=\"n\">" +
                      room(region.usedBytes, *region.capacityBytes) + "</td>"
                : numberCell("-", -1) + numberCell("-", -1);
    html += region.peakSet.empty()
                ? numberCell("always", -1)
                : numberCell(formatCount(region.peakStep), region.peakStep);
    html += numberCell(formatBytes(region.lowerBoundBytes),
                       region.lowerBoundBytes) +
            numberCell(formatBytes(gap), gap) +
            numberCell(llvm::formatv("{0:x}", region.base).str(), region.base) +
            "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string MapPage::legend() const {
  std::string html;
  for (const Swatch &swatch : colourLegend(map.picture, map.problem))
    html += key("<rect width=\"12\" height=\"12\" class=\"" + swatch.cssClass +
                    "\"/>",
                swatch.label);
  html += key("<line x1=\"0\" y1=\"6\" x2=\"22\" y2=\"6\" class=\"load\"/>",
              "live sum");
  if (!map.picture.marks.empty())
    html += key("<rect y=\"3\" width=\"16\" height=\"6\" class=\"mark\"/>",
                "layer group");
  return html +
         key("<rect width=\"12\" height=\"12\" class=\"peak\"/>", "peak step");
}

std::string MapPage::figure() const {
  return "<p class=\"quiet screen\">Keys on the map: left and right one step, "
         "with shift more, "
         "Home, End, p for the peak. A click holds the cursor.</p>\n"
         "<figure id=\"map\" tabindex=\"0\" aria-label=\"memory over steps; "
         "arrow keys move the cursor\">\n" +
         drawing.svg + "</figure>\n";
}

std::string MapPage::liveSet() const {
  std::string html;
  constexpr int64_t kFewSteps = 100;
  if (report.numSteps > kFewSteps)
    html += "<h2>Around the cursor</h2>\n<svg id=\"detail\" class=\"plan\" "
            "role=\"img\" aria-label=\"steps around the cursor\"></svg>\n";
  return html +
         "<h2 id=\"step\" aria-live=\"polite\">Live set</h2>\n<p id=\"sums\" "
         "class=\"quiet\">Needs a script.</p>\n"
         "<div id=\"live\" class=\"wide\"><table>\n<thead><tr>" +
         heading("name") + heading("kind") + heading("region") +
         heading("size", true) + heading("offset", true) +
         heading("kept for steps", true) +
         "</tr></thead>\n<tbody id=\"alive\"></tbody></table></div>\n";
}

std::string MapPage::peakRows(const RegionRow &region) const {
  std::string html;
  int64_t padding = 0, more = 0;
  for (size_t i = 0; i < region.peakSet.size(); ++i) {
    const PeakTensor &tensor = region.peakSet[i];
    padding = saturatedAdd(padding, tensor.paddingBytes);
    if (i >= kMostPeakRows) {
      more = saturatedAdd(more, tensor.sizeBytes);
      continue;
    }
    html += "<tr><td class=\"name\">" + escaped(tensor.name) + "</td>" +
            numberCell(formatBytes(tensor.sizeBytes), tensor.sizeBytes) +
            numberCell(percentOf(tensor.sizeBytes, region.usedBytes),
                       tensor.sizeBytes) +
            cell(tensor.reason) + cell(tensor.why) + "</tr>\n";
  }
  const auto sum = [&](const std::string &name, int64_t bytes) {
    if (bytes > 0)
      html += "<tr><td>" + escaped(name) + "</td>" +
              numberCell(formatBytes(bytes), bytes) +
              numberCell(percentOf(bytes, region.usedBytes), bytes) +
              "<td></td><td></td></tr>\n";
  };
  if (region.peakSet.size() > kMostPeakRows)
    sum(formatCount(int64_t(region.peakSet.size() - kMostPeakRows)) + " more",
        more);
  sum("rounded up to the alignment", padding);
  sum("between tensors: packing gap",
      region.usedBytes - region.lowerBoundBytes);
  return html;
}

std::string MapPage::peak(const RegionRow &region) const {
  if (region.peakSet.empty())
    return "";
  std::string html =
      "<h2>What each byte at the peak of " + escaped(region.name) +
      " is there for</h2>\n<p class=\"quiet\">step " +
      formatCount(region.peakStep) +
      (region.peakOp.empty() ? "" : ", " + escaped(region.peakOp)) +
      "</p>\n<div class=\"wide\"><table>\n<thead><tr>" + heading("name") +
      heading("size", true) + heading("of the region", true) +
      heading("because of") + heading("why") + "</tr></thead>\n<tbody>\n" +
      peakRows(region) + "</tbody></table></div>\n";
  if (region.changes.empty())
    return html;
  html +=
      "<p>What alone would lower the largest live sum, most first:</p>\n<ul>\n";
  for (size_t i = 0; i < std::min(region.changes.size(), kMostChanges); ++i)
    html += "<li>" + formatBytes(region.changes[i].savedBytes) + ": " +
            escaped(region.changes[i].change) + "</li>\n";
  return html + "</ul>\n";
}

std::string MapPage::groups() const {
  const std::vector<Mark> &marks = map.picture.marks;
  if (marks.empty())
    return "";
  const size_t shown = std::min(marks.size(), kMostGroups);
  std::string html =
      "<h2>Layer groups</h2>\n<p class=\"quiet\">" +
      formatCount(int64_t(shown)) + " of " +
      formatCount(int64_t(marks.size())) +
      "; each is one step here, and has local memory of its own</p>\n<ul>\n";
  for (size_t i = 0; i < shown; ++i) {
    const std::string told = "step " + formatCount(marks[i].steps.begin) +
                             ": " + escaped(marks[i].told);
    html += "<li>" +
            (marks[i].link.empty() ? told
                                   : "<a href=\"" + escaped(marks[i].link) +
                                         "\">" + told + "</a>") +
            "</li>\n";
  }
  return html + "</ul>\n";
}

std::string renderMapHtml(const std::vector<MemoryReport> &reports,
                          const MapOptions &options) {
  const MemoryReport report = joined(reports);
  return MapPage(report, options).run();
}

} // namespace tpu_mlir::report

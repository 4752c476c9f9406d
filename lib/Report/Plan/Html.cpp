//===- Html.cpp - A plan as a page ----------------------------------------===//

#include "lib/Report/Drawing/Page.h"
#include "lib/Report/Plan/Detail.h"
#include "lib/Report/Plan/Drawing.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>

namespace tpu_mlir::report {

using namespace planning;

namespace {

std::string poolTable(const Picture &picture) {
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>" +
                     heading("pool") + heading("used", true) +
                     heading("capacity", true) + heading("lower bound", true) +
                     heading("gap", true) + heading("peak step", true) +
                     "</tr></thead>\n<tbody>\n";
  for (const Panel &panel : picture.panels) {
    html += "<tr>" + cell(panel.name) +
            numberCell(formatBytes(panel.usedBytes), panel.usedBytes) +
            numberCell(panel.capacityBytes ? formatBytes(*panel.capacityBytes)
                                           : "-",
                       panel.capacityBytes.value_or(-1)) +
            numberCell(formatBytes(panel.boundBytes), panel.boundBytes) +
            numberCell(formatBytes(panel.gapBytes), panel.gapBytes) +
            numberCell(formatCount(panel.peakStep), panel.peakStep) + "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string legend(const Picture &picture, const Problem &problem) {
  std::string html;
  for (const Swatch &swatch : colourLegend(picture, problem))
    html += key("<rect width=\"12\" height=\"12\" class=\"" + swatch.cssClass +
                    "\"/>",
                swatch.label);
  html += key("<line x1=\"0\" y1=\"6\" x2=\"22\" y2=\"6\" class=\"load\"/>",
              "live sum");
  if (hasReserved(picture))
    html += key("<rect width=\"12\" height=\"12\" class=\"reserved\"/>",
                "reserved");
  return html +
         key("<rect width=\"12\" height=\"12\" class=\"peak\"/>", "peak step");
}

/// The largest buffers, aliases left out: their bytes are their root's.
std::vector<BufferId> largest(const Picture &picture, const Problem &problem,
                              size_t count) {
  std::vector<BufferId> ids;
  for (size_t id = 0; id < problem.buffers.size(); ++id)
    if (!picture.isAlias[id])
      ids.push_back(BufferId(id));
  std::stable_sort(ids.begin(), ids.end(), [&](BufferId a, BufferId b) {
    return problem.buffers[a].sizeBytes > problem.buffers[b].sizeBytes;
  });
  ids.resize(std::min(ids.size(), count));
  return ids;
}

std::string bufferRow(const Picture &picture, const Problem &problem,
                      const Plan &plan, BufferId id) {
  const Buffer &buffer = problem.buffers[id];
  const Placement &place = plan.placements[id];
  const std::string told =
      picture.names[id] + "\n" + std::string(kindName(buffer.kind)) + ", " +
      formatBytes(buffer.sizeBytes) + "\nsteps " + describeLife(buffer);
  return "<tr data-b=\"" + std::to_string(id) + "\" data-t=\"" + escaped(told) +
         "\"><td class=\"name\">" + escaped(picture.names[id]) + "</td>" +
         cell(std::string(kindName(buffer.kind))) +
         numberCell(formatBytes(buffer.sizeBytes), buffer.sizeBytes) +
         cell(describeLife(buffer)) + cell(picture.panels[place.pool].name) +
         numberCell(formatCount(place.offsetBytes), place.offsetBytes) +
         cell(picture.isAliveAtPeak[id] ? "yes" : "") + "</tr>\n";
}

std::string bufferTable(const Picture &picture, const Problem &problem,
                        const Plan &plan, size_t maxRows) {
  const std::vector<BufferId> ids = largest(picture, problem, maxRows);
  std::string html =
      "<h2>Largest buffers</h2>\n<p class=\"quiet\">" +
      formatCount(int64_t(ids.size())) + " of " +
      formatCount(int64_t(problem.buffers.size())) +
      "<span class=\"screen\">; a click on a heading sorts</span></p>\n<div "
      "class=\"wide\"><table "
      "id=\"largest\">\n<thead><tr>" +
      heading("name", false, true) + heading("kind", false, true) +
      heading("size", true, true) + heading("life", false, true) +
      heading("pool", false, true) + heading("offset", true, true) +
      heading("alive at the peak", false, true) + "</tr></thead>\n<tbody>\n";
  for (BufferId id : ids)
    html += bufferRow(picture, problem, plan, id);
  return html + "</tbody></table></div>\n";
}

std::string subtitle(const Picture &picture, const Problem &problem,
                     const Plan &plan) {
  std::string text = formatCount(int64_t(problem.buffers.size())) +
                     " buffers, steps " + formatCount(picture.steps.begin) +
                     " to " + formatCount(picture.steps.end);
  if (!plan.strategy.empty())
    text += "; strategy " + plan.strategy +
            (plan.winner.empty() ? "" : " (" + plan.winner + ")") +
            ", proof: " + std::string(proofName(plan.proof));
  return text;
}

} // namespace

std::string renderPlanHtml(const Problem &problem, const Plan &plan,
                           const PlanPictureOptions &options) {
  const Picture picture = buildPicture(problem, plan, options.title);
  const Drawing drawing = draw(picture, problem, options, Viewer::ZoomPage);
  std::string html = pageHead(picture.title, " - memory plan",
                              subtitle(picture, problem, plan));
  html += poolTable(picture);
  html += "<style>" + zoomStyle() + "</style>\n";
  html += pageBar(legend(picture, problem) + zoomBar());
  html += "<figure>\n" + drawing.svg + "</figure>\n" + drawing.detail;
  for (const std::string &note : drawing.notes)
    html += "<p class=\"quiet\">" + escaped(note) + "</p>\n";
  html += bufferTable(picture, problem, plan, options.maxTableRows);
  return html + zoomScript() + pageFoot();
}

} // namespace tpu_mlir::report

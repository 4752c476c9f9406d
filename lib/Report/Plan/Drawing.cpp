//===- Drawing.cpp - A picture as SVG elements ----------------------------===//

#include "lib/Report/Plan/Drawing.h"

#include "lib/Report/Plan/Detail.h"
#include "lib/Report/Plan/PanelDrawing.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <array>

namespace tpu_mlir::report {

using namespace planning;

namespace {

constexpr double kWidth = 1180;
constexpr double kLeft = 92, kRight = 172;
constexpr double kHeading = 64, kPanelHeading = 34, kPanelFooting = 52;
/// Of the picture of one pool; several are lower.
constexpr double kTall = 540, kLow = 300, kBand = 34;

/// `detail`: what a closer look shows.
std::string restNote(const Panel &panel, size_t maxRectangles,
                     const Detail &detail) {
  const size_t all = panel.boxes.size(), rest = all - maxRectangles;
  std::string note =
      "'" + panel.name + "': the " + formatCount(int64_t(maxRectangles)) +
      " largest of " + formatCount(int64_t(all)) +
      " rectangles are drawn one by one; the other " +
      formatCount(int64_t(rest)) + " are the grey area, without names";
  if (detail.boxes > 0)
    note += "; a closer look shows " +
            (detail.isAll ? std::string("them")
                          : "the " + formatCount(int64_t(detail.boxes)) +
                                " largest of them") +
            ", by their numbers";
  return note;
}

/// Colours and lines, in a row.
std::string drawLegend(const Picture &picture, const Problem &problem,
                       double y) {
  std::string svg;
  double x = kLeft;
  for (const Swatch &swatch : colourLegend(picture, problem)) {
    svg +=
        rectangle({x, y - 10, 12, 12}, "class=\"" + swatch.cssClass + "\"/>\n");
    svg += text(x + 18, y, "soft", swatch.label);
    x += 34 + kLetter * 1.1 * double(swatch.label.size());
  }
  svg += line(x, y - 4, x + 22, y - 4, "load");
  svg += text(x + 28, y, "soft", "live sum");
  x += 96;
  if (hasReserved(picture)) {
    svg += rectangle({x, y - 10, 12, 12}, "class=\"reserved\"/>\n");
    svg += text(x + 18, y, "soft", "reserved");
    x += 96;
  }
  svg += rectangle({x, y - 10, 12, 12}, "class=\"peak\"/>\n");
  return svg + text(x + 18, y, "soft", "peak step");
}

} // namespace

std::vector<Swatch> colourLegend(const Picture &picture,
                                 const Problem &problem) {
  std::array<bool, 5> isThere{};
  for (const Buffer &buffer : problem.buffers)
    isThere[size_t(buffer.kind)] = true;
  std::vector<Swatch> swatches;
  for (size_t kind = 0; picture.hasKinds && kind < isThere.size(); ++kind)
    if (isThere[kind])
      swatches.push_back({"c" + std::to_string(colourOfKind(BufferKind(kind))),
                          std::string(kindName(BufferKind(kind)))});
  return swatches;
}

bool hasReserved(const Picture &picture) {
  return std::any_of(
      picture.panels.begin(), picture.panels.end(),
      [](const Panel &panel) { return !panel.reserved.empty(); });
}

namespace {

/// A panel whose view a script may change, and what is then to be seen.
std::string openPanel(const Picture &picture, size_t index, double topBytes) {
  return "<g class=\"panel\" data-range=\"" +
         std::to_string(picture.steps.begin) + " " +
         std::to_string(picture.steps.end) + " " +
         llvm::formatv("{0:f2}", topBytes).str() + "\" data-more=\"more" +
         std::to_string(index) + "\">\n";
}
std::string detailElement(const Detail &detail, size_t index) {
  return "<script type=\"text/plain\" id=\"more" + std::to_string(index) +
         "\" data-unit=\"" + std::to_string(detail.unitBytes) +
         (detail.isAll ? "\" data-all=\"" : "") + "\">" + detail.text +
         "</script>\n";
}

/// Of a page for the boxes of all panels that are not drawn one by one.
constexpr size_t kDetailBytes = 2'300'000;

} // namespace

Drawing draw(const Picture &picture, const Problem &problem,
             const PlanPictureOptions &options, Viewer viewer) {
  const bool withHeading = viewer == Viewer::File;
  const bool canZoom = viewer == Viewer::ZoomPage;
  Drawing drawing;
  std::string body;
  double y = withHeading ? kHeading : 0;
  const auto numTall =
      std::count_if(picture.panels.begin(), picture.panels.end(),
                    [](const Panel &panel) { return !panel.isBand; });
  const auto numDense = std::count_if(
      picture.panels.begin(), picture.panels.end(), [&](const Panel &panel) {
        return panel.boxes.size() > options.maxRectangles;
      });
  const double height = numTall > 1 ? kLow : kTall;
  for (size_t index = 0; index < picture.panels.size(); ++index) {
    const Panel &panel = picture.panels[index];
    const Frame frame{kLeft, y + kPanelHeading, kWidth - kLeft - kRight,
                      panel.isBand ? kBand : height};
    const DrawnPanel drawn = drawPanel(picture, problem, panel, frame,
                                       options.maxRectangles, canZoom);
    body += canZoom ? openPanel(picture, index, drawn.topBytes) : "<g>\n";
    body += drawn.svg + "</g>\n";
    drawing.places.push_back({frame, drawn.topBytes});
    y = frame.bottom() + kPanelFooting;
    if (panel.boxes.size() <= options.maxRectangles)
      continue;
    Detail detail;
    if (canZoom) {
      detail = detailOf(picture, problem, panel, options.maxRectangles,
                        kDetailBytes / size_t(numDense));
      drawing.detail += detailElement(detail, index);
    }
    drawing.notes.push_back(restNote(panel, options.maxRectangles, detail));
  }
  if (withHeading) {
    body = text(kLeft, 30, "title", picture.title) +
           drawLegend(picture, problem, 56) + body;
    for (const std::string &note : drawing.notes) {
      body += text(kLeft, y, "soft", note);
      y += 18;
    }
  }
  drawing.svg = image(kWidth, y, "memory plan of " + picture.title, body,
                      /*isFile=*/withHeading);
  return drawing;
}

} // namespace tpu_mlir::report

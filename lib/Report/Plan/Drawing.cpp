//===- Drawing.cpp - A picture as SVG elements ----------------------------===//

#include "lib/Report/Plan/Drawing.h"

#include "lib/Report/Plan/Scale.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace tpu_mlir::report {

using namespace planning;

namespace {

constexpr double kWidth = 1180;
constexpr double kLeft = 92, kRight = 172;
constexpr double kHeading = 64, kPanelHeading = 34, kPanelFooting = 52;
/// Of the picture of one pool; several are lower.
constexpr double kTall = 540, kLow = 300, kBand = 34;
constexpr double kMarkHeight = 6;
/// Steps of the live sum for each pixel.
constexpr double kDenseLoad = .7;

int colourOfKind(BufferKind kind) {
  switch (kind) {
  case BufferKind::Activation:
    return 0;
  case BufferKind::Weight:
    return 2;
  case BufferKind::Input:
    return 5;
  case BufferKind::Output:
    return 1;
  case BufferKind::Scratch:
    return 3;
  }
  return 0;
}

/// Neighbours in a problem get unlike colours.
int colourOf(const Picture &picture, const Problem &problem, BufferId id) {
  if (picture.hasKinds)
    return colourOfKind(problem.buffers[id].kind);
  return int((uint64_t(id) * 0x9E3779B97F4A7C15u) >> 61);
}

/// Those that are less than a pixel from the one before become one with it.
std::string drawMarks(const Picture &picture, const Scale &scale) {
  std::string svg;
  const Frame &frame = scale.frame();
  for (size_t i = 0; i < picture.marks.size();) {
    const Mark &first = picture.marks[i];
    const double left = scale.x(first.steps.begin);
    double right = scale.x(first.steps.end);
    size_t next = i + 1;
    for (; next < picture.marks.size() &&
           scale.x(picture.marks[next].steps.begin) - left < 1.5;
         ++next)
      right = scale.x(picture.marks[next].steps.end);
    const bool isOne = next == i + 1;
    const std::string told =
        isOne ? first.told
              : formatCount(int64_t(next - i)) + " from " + first.told;
    const Frame box{left, frame.top - kMarkHeight - 1,
                    std::max(right - left - .5, 1.0), kMarkHeight};
    const std::string drawn = rectangle(
        box, "class=\"mark\"><title>" + escaped(told) + "</title></rect>");
    svg += first.link.empty()
               ? drawn
               : "<a href=\"" + escaped(first.link) + "\">" + drawn + "</a>";
    svg += "\n";
    i = next;
  }
  return svg;
}

class PanelDrawing {
public:
  PanelDrawing(const Picture &picture, const Problem &problem,
               const Panel &panel, const Frame &frame, size_t maxRectangles)
      : picture(picture), problem(problem), panel(panel),
        scale(picture, panel, frame),
        numDrawn(std::min(panel.boxes.size(), maxRectangles)) {}

  std::string run() {
    const Frame &frame = scale.frame();
    svg += text(frame.left, frame.top - 12, "pool", panel.name);
    if (!panel.isBand) {
      svg +=
          text(frame.right(), frame.top - 12, "soft", describe(panel), "end");
      svg += drawMarks(picture, scale);
    }
    svg += rectangle(frame, "class=\"free\"/>\n");
    drawGrid();
    drawRest();
    drawBoxes();
    drawPeak();
    drawLoad();
    svg += labels;
    svg += rectangle(frame, "class=\"frame\" pointer-events=\"none\"/>\n");
    drawLimits();
    return std::move(svg);
  }

  double topBytes() const { return scale.topBytes(); }

private:
  void drawGrid() {
    const Frame &frame = scale.frame();
    for (int64_t tick :
         panel.isBand ? std::vector<int64_t>() : scale.byteTicks()) {
      const double y = scale.y(double(tick));
      svg += line(frame.left, y, frame.right(), y, "grid");
      svg += text(frame.left - 8, y + 4, "soft", formatBytes(tick), "end");
    }
    for (int64_t tick : scale.stepTicks()) {
      const double x = scale.x(tick);
      svg += line(x, frame.bottom(), x, frame.bottom() + 5, "frame");
      svg += text(x, frame.bottom() + 19, "soft", formatCount(tick), "middle");
    }
    svg += text(frame.left + frame.width / 2, frame.bottom() + 37, "soft",
                "step", "middle");
  }

  void drawPeak() {
    if (panel.boxes.empty() || panel.isBand)
      return;
    const Frame &frame = scale.frame();
    Frame band{scale.x(panel.peakStep), frame.top, 0, frame.height};
    band.width = std::max(scale.x(panel.peakStep + 1) - band.left, 1.5);
    svg += rectangle(band, "class=\"peak\"><title>peak step " +
                               std::to_string(panel.peakStep) +
                               "</title></rect>\n");
    svg += "<path class=\"peak\" style=\"fill-opacity:.8\" d=\"M" +
           px(band.left + band.width / 2 - 5) + " " + px(frame.bottom() + 10) +
           "h10l-5 -9z\"/>\n";
  }

  std::string hoverText(const Box &box) const {
    const Buffer &buffer = problem.buffers[box.id];
    std::string told = picture.names[box.id] + "\n" +
                       std::string(kindName(buffer.kind)) + ", " +
                       formatBytes(buffer.sizeBytes);
    if (buffer.sizeBytes >= 1024)
      told += " (" + formatCount(buffer.sizeBytes) + " B)";
    told += "\nsteps " + describeLife(buffer) + "\noffset " +
            formatCount(box.bytes.begin) + " to " + formatCount(box.bytes.end);
    if (box.isAlias)
      told += "\ninside another buffer";
    if (!buffer.location.empty())
      told += "\n" + buffer.location;
    return told;
  }

  void drawBoxes() {
    // In the order of the problem: two files differ where the plans do.
    std::vector<const Box *> order;
    for (size_t i = 0; i < numDrawn; ++i)
      if (!panel.boxes[i].bytes.empty())
        order.push_back(&panel.boxes[i]);
    std::sort(order.begin(), order.end(), [](const Box *a, const Box *b) {
      // Aliases are outlines on top of what they lie in.
      return std::make_tuple(a->isAlias, a->id, a->steps.begin) <
             std::make_tuple(b->isAlias, b->id, b->steps.begin);
    });
    for (const Box *box : order)
      drawBox(*box);
  }

  void drawBox(const Box &box) {
    Frame frame = scale.box(box);
    const bool isTiny = frame.width < 2.5 || frame.height < 2.5;
    frame.width = std::max(frame.width, .4);
    frame.height = std::max(frame.height, .4);
    std::string classes =
        "b c" + std::to_string(colourOf(picture, problem, box.id));
    if (box.isAlias)
      classes = "b a";
    else if (isTiny)
      classes += " t";
    svg += rectangle(frame, "class=\"" + classes + "\" data-b=\"" +
                                std::to_string(box.id) + "\"><title>" +
                                escaped(hoverText(box)) + "</title></rect>\n");
    if (!box.isAlias)
      drawLabel(box, frame);
  }

  /// On top of all lines, so kept for later.
  void drawLabel(const Box &box, const Frame &frame) {
    const double letters = (frame.width - 6) / kLetter;
    if (letters < 3 || frame.height < 13)
      return;
    const double x = frame.left + frame.width / 2;
    const double y = frame.top + frame.height / 2;
    const std::string size = formatBytes(problem.buffers[box.id].sizeBytes);
    const bool hasSize = frame.height >= 28 && letters >= double(size.size());
    labels += text(x, y + (hasSize ? -2 : 4), "label",
                   shortened(picture.names[box.id], size_t(letters)), "middle");
    if (hasSize)
      labels += text(x, y + 11, "label", size, "middle");
  }

  /// What is not drawn one by one: the pixels that it covers, in runs.
  void drawRest() {
    if (numDrawn == panel.boxes.size())
      return;
    const Frame &frame = scale.frame();
    const size_t columns = size_t(frame.width), rows = size_t(frame.height);
    // Corners of the boxes; summing them up gives what covers a pixel.
    std::vector<int32_t> corners((columns + 1) * (rows + 1), 0);
    for (size_t i = numDrawn; i < panel.boxes.size(); ++i) {
      const Frame box = scale.box(panel.boxes[i]);
      if (panel.boxes[i].isAlias || panel.boxes[i].bytes.empty())
        continue;
      const size_t left = std::min(size_t(box.left - frame.left), columns - 1);
      const size_t top = std::min(size_t(box.top - frame.top), rows - 1);
      const size_t right = std::clamp(
          size_t(std::ceil(box.right() - frame.left)), left + 1, columns);
      const size_t bottom = std::clamp(
          size_t(std::ceil(box.bottom() - frame.top)), top + 1, rows);
      ++corners[top * (columns + 1) + left];
      --corners[top * (columns + 1) + right];
      --corners[bottom * (columns + 1) + left];
      ++corners[bottom * (columns + 1) + right];
    }
    svg +=
        "<path class=\"rest\" d=\"" + runs(corners, columns, rows) + "\"/>\n";
  }

  std::string runs(std::vector<int32_t> &sums, size_t columns,
                   size_t rows) const {
    std::string path;
    const size_t stride = columns + 1;
    for (size_t row = 0; row < rows; ++row) {
      size_t begin = columns;
      int32_t inRow = 0;
      for (size_t column = 0; column <= columns; ++column) {
        inRow += sums[row * stride + column];
        if (row > 0)
          sums[row * stride + column] = inRow + above[column];
        else
          sums[column] = inRow;
        const bool isCovered =
            column < columns && sums[row * stride + column] > 0;
        if (isCovered && begin == columns)
          begin = column;
        if (isCovered || begin == columns)
          continue;
        path += "M" + px(scale.frame().left + double(begin)) + " " +
                px(scale.frame().top + double(row)) + "h" +
                std::to_string(column - begin) + "v1h-" +
                std::to_string(column - begin) + "z";
        begin = columns;
      }
      above.assign(sums.begin() + row * stride,
                   sums.begin() + (row + 1) * stride);
    }
    return path;
  }

  /// The largest load of each column of pixels, as a staircase.
  void drawLoad() {
    if (panel.isBand)
      return;
    const Frame &frame = scale.frame();
    std::string path;
    double lastX = -1, highest = 0;
    size_t drawn = 0;
    for (const LoadPoint &point : panel.load) {
      const double x = scale.x(point.step);
      const bool isSameColumn = lastX >= 0 && x - lastX < .5;
      highest = isSameColumn ? std::max(highest, point.bytes) : point.bytes;
      if (isSameColumn && highest != point.bytes)
        continue;
      path +=
          path.empty() ? "M" + px(x) + " " + px(frame.bottom()) : "H" + px(x);
      path += "V" + px(scale.y(point.bytes));
      lastX = isSameColumn ? lastX : x;
      ++drawn;
    }
    if (path.empty())
      return;
    // A line in nearly every column of pixels would hide what is below it.
    if (double(drawn) > kDenseLoad * frame.width) {
      svg += "<path class=\"load dense\" d=\"" + path + "\"/>\n";
      return;
    }
    svg += "<path class=\"halo\" d=\"" + path +
           "\"/>\n<path class=\"load\" "
           "d=\"" +
           path + "\"/>\n";
  }

  void drawLimits() {
    std::vector<Limit> limits;
    auto add = [&](const char *name, const char *label, int64_t bytes) {
      limits.push_back({scale.y(double(bytes)), name,
                        std::string(label) + " " + formatBytes(bytes)});
    };
    if (!panel.isBand)
      add("used", "used", panel.usedBytes);
    if (!panel.isBand)
      add("bound", "lower bound", panel.boundBytes);
    if (panel.capacityBytes && double(*panel.capacityBytes) <= scale.topBytes())
      add("capacity", "capacity", *panel.capacityBytes);
    svg += limitLines(scale.frame(), std::move(limits));
  }

  const Picture &picture;
  const Problem &problem;
  const Panel &panel;
  const Scale scale;
  const size_t numDrawn;
  mutable std::vector<int32_t> above; ///< The sums of the row before.
  std::string svg, labels;
};

std::string restNote(const Panel &panel, size_t maxRectangles) {
  const size_t all = panel.boxes.size();
  return "'" + panel.name + "': the " + formatCount(int64_t(maxRectangles)) +
         " largest of " + formatCount(int64_t(all)) +
         " rectangles are drawn one by one; the other " +
         formatCount(int64_t(all - maxRectangles)) +
         " are the grey area, without names";
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

Drawing draw(const Picture &picture, const Problem &problem,
             const PlanPictureOptions &options, bool withHeading) {
  Drawing drawing;
  std::string body;
  double y = withHeading ? kHeading : 0;
  const auto numTall =
      std::count_if(picture.panels.begin(), picture.panels.end(),
                    [](const Panel &panel) { return !panel.isBand; });
  const double height = numTall > 1 ? kLow : kTall;
  for (const Panel &panel : picture.panels) {
    const Frame frame{kLeft, y + kPanelHeading, kWidth - kLeft - kRight,
                      panel.isBand ? kBand : height};
    PanelDrawing drawn(picture, problem, panel, frame, options.maxRectangles);
    body += "<g>\n" + drawn.run() + "</g>\n";
    drawing.places.push_back({frame, drawn.topBytes()});
    y = frame.bottom() + kPanelFooting;
    if (panel.boxes.size() > options.maxRectangles)
      drawing.notes.push_back(restNote(panel, options.maxRectangles));
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

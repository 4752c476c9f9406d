//===- PanelDrawing.cpp - One pool as SVG elements ------------------------===//

#include "lib/Report/Plan/PanelDrawing.h"

#include "lib/Report/Plan/Scale.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Support/Bytes.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tpu_mlir::report {

using namespace planning;

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

int colourOf(const Picture &picture, const Problem &problem, BufferId id) {
  if (picture.hasKinds)
    return colourOfKind(problem.buffers[id].kind);
  return int((uint64_t(id) * 0x9E3779B97F4A7C15u) >> 61);
}

namespace {

constexpr double kMarkHeight = 6;
/// Steps of the live sum for each pixel.
constexpr double kDenseLoad = .7;

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

/// Runs of pixels that are covered, from the corners of boxes: summing them up
/// gives what covers a pixel.
std::string runs(std::vector<int32_t> &sums, const Frame &frame, size_t columns,
                 size_t rows) {
  std::string path;
  const size_t stride = columns + 1;
  for (size_t row = 0; row < rows; ++row) {
    size_t begin = columns;
    int32_t inRow = 0;
    for (size_t column = 0; column <= columns; ++column) {
      int32_t &sum = sums[row * stride + column];
      inRow += sum;
      sum = inRow + (row > 0 ? sums[(row - 1) * stride + column] : 0);
      const bool isCovered = column < columns && sum > 0;
      if (isCovered && begin == columns)
        begin = column;
      if (isCovered || begin == columns)
        continue;
      path += "M" + px(frame.left + double(begin)) + " " +
              px(frame.top + double(row)) + "h" +
              std::to_string(column - begin) + "v1h-" +
              std::to_string(column - begin) + "z";
      begin = columns;
    }
  }
  return path;
}

/// What is not drawn one by one: the pixels that boxes from `first` on cover.
std::string restOf(const Panel &panel, const Scale &scale, size_t first) {
  const Frame &frame = scale.frame();
  const size_t columns = size_t(frame.width), rows = size_t(frame.height);
  std::vector<int32_t> corners((columns + 1) * (rows + 1), 0);
  for (size_t i = first; i < panel.boxes.size(); ++i) {
    const Frame box = scale.box(panel.boxes[i]);
    if (panel.boxes[i].isAlias || panel.boxes[i].bytes.empty())
      continue;
    const size_t left = std::min(size_t(box.left - frame.left), columns - 1);
    const size_t top = std::min(size_t(box.top - frame.top), rows - 1);
    const size_t right = std::clamp(size_t(std::ceil(box.right() - frame.left)),
                                    left + 1, columns);
    const size_t bottom =
        std::clamp(size_t(std::ceil(box.bottom() - frame.top)), top + 1, rows);
    ++corners[top * (columns + 1) + left];
    --corners[top * (columns + 1) + right];
    --corners[bottom * (columns + 1) + left];
    ++corners[bottom * (columns + 1) + right];
  }
  return "<path class=\"rest\" d=\"" + runs(corners, frame, columns, rows) +
         "\"/>\n";
}

class PanelDrawing {
public:
  PanelDrawing(const Picture &picture, const Problem &problem,
               const Panel &panel, const Frame &frame, size_t maxRectangles,
               bool canZoom)
      : picture(picture), problem(problem), panel(panel),
        scale(picture, panel, frame), canZoom(canZoom),
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
    openStill();
    drawGrid();
    closeStill();
    openView();
    if (numDrawn < panel.boxes.size())
      svg += restOf(panel, scale, numDrawn);
    drawReserved();
    drawBoxes();
    svg += canZoom ? "<g class=\"more\"></g>\n" : "";
    drawPeak();
    drawLoad();
    openStill();
    svg += labels;
    closeStill();
    svg += canZoom ? "</svg>\n" : "";
    svg += rectangle(frame, "class=\"frame\" pointer-events=\"none\"/>\n");
    openStill();
    drawLimits();
    drawPeakMark();
    closeStill();
    return std::move(svg);
  }

  double topBytes() const { return scale.topBytes(); }

private:
  /// What the script hides when it draws other names and ticks.
  void openStill() { svg += canZoom ? "<g class=\"still\">\n" : ""; }
  void closeStill() { svg += canZoom ? "</g>\n" : ""; }
  /// What lies between the axes, in the same coordinates.
  void openView() {
    if (!canZoom)
      return;
    const Frame &frame = scale.frame();
    const std::string left = px(frame.left), top = px(frame.top),
                      width = px(frame.width), height = px(frame.height);
    svg += "<svg class=\"view\" x=\"" + left + "\" y=\"" + top + "\" width=\"" +
           width + "\" height=\"" + height + "\" viewBox=\"" + left + " " +
           top + " " + width + " " + height +
           "\" preserveAspectRatio=\"none\">\n";
    // Where nothing is, too, there is something to take hold of.
    svg += rectangle(frame, "fill=\"none\" pointer-events=\"all\"/>\n");
  }

  void drawReserved() {
    for (const Interval &range : panel.reserved) {
      const double top = scale.y(double(range.end)),
                   bottom = scale.y(double(range.begin));
      if (bottom - top <= 0)
        continue;
      svg += rectangle(
          {scale.frame().left, top, scale.frame().width, bottom - top},
          "class=\"reserved\"><title>reserved: " + formatCount(range.begin) +
              " to " + formatCount(range.end) + "</title></rect>\n");
    }
  }

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

  Frame peakBand() const {
    const Frame &frame = scale.frame();
    const double left = scale.x(panel.peakStep);
    return {left, frame.top, std::max(scale.x(panel.peakStep + 1) - left, 1.5),
            frame.height};
  }

  void drawPeak() {
    if (panel.boxes.empty() || panel.isBand)
      return;
    svg += rectangle(peakBand(), "class=\"peak\"><title>peak step " +
                                     std::to_string(panel.peakStep) +
                                     "</title></rect>\n");
  }

  /// Below the axis.
  void drawPeakMark() {
    if (panel.boxes.empty() || panel.isBand)
      return;
    const Frame &frame = scale.frame();
    const Frame band = peakBand();
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
  const bool canZoom;
  const size_t numDrawn;
  std::string svg, labels;
};

} // namespace

DrawnPanel drawPanel(const Picture &picture, const Problem &problem,
                     const Panel &panel, const Frame &frame,
                     size_t maxRectangles, bool canZoom) {
  PanelDrawing drawing(picture, problem, panel, frame, maxRectangles, canZoom);
  std::string svg = drawing.run();
  return {std::move(svg), drawing.topBytes()};
}

} // namespace tpu_mlir::report

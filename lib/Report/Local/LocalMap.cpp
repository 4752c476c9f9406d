//===- LocalMap.cpp - A layer group as SVG elements -----------------------===//
//
//       compute  |  c   |  p   |  m   |      one line for each op of a step
//           DMA  |  m up|      |x down|
//     16 KiB     +------+------+------+
//                |=x>          |>=x===>      leaves here, comes in there
//          0     |  w                 |
//                   0      1      2
//
//===----------------------------------------------------------------------===//

#include "lib/Report/Local/LocalMap.h"

#include "tpu_mlir/Support/Bytes.h"
#include "tpu_mlir/Support/Names.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

namespace tpu_mlir::report {

namespace {

constexpr double kWidth = kMapWidth - kMapLeft - 172;
constexpr double kHeight = 420;
/// Of one op in the rows of the engines.
constexpr double kOpHeight = 15;
/// How far an arrow sticks out of the frame.
constexpr double kArrow = 7;
/// Thin buffers can still be seen and pointed at.
constexpr double kThinnest = 1.6;

class MapDrawing {
public:
  MapDrawing(const LocalReport &report, const LocalGroupRow &group, double top)
      : report(report), group(group), y0(top) {
    chooseSteps();
    highest =
        1.04 *
        double(std::max({group.peakBytes, group.lowerBoundBytes, int64_t(1)}));
    // A lane far above would press the buffers to the ground.
    if (double(report.laneBytes) <= 1.5 * highest)
      highest = std::max(highest, double(report.laneBytes));
  }

  LocalMap run() {
    y0 = drawEngine("compute", {LocalEngine::Compute}, y0);
    y0 = drawEngine("DMA", {LocalEngine::Load, LocalEngine::Store}, y0 + 4);
    frame = {kMapLeft, y0 + 10, kWidth, kHeight};
    svg += rectangle(frame, "class=\"free\"/>\n");
    drawBanks();
    drawAxes();
    for (size_t i = 0; i < group.buffers.size(); ++i)
      drawBuffer(i);
    drawBoundStep();
    svg += labels;
    svg += rectangle(frame, "class=\"frame\" pointer-events=\"none\"/>\n");
    drawLimits();
    return {std::move(svg), frame.bottom() + 50};
  }

private:
  /// A loop shows its round; a line from its first step to its last.
  void chooseSteps() {
    if (group.isLoop) {
      steps = {0, std::max<int64_t>(1, group.numSteps)};
      return;
    }
    steps = {std::max<int64_t>(0, group.numSteps - 1), group.numSteps};
    for (const LocalOpRow &op : group.ops) {
      steps.begin = std::min(steps.begin, op.step);
      steps.end = std::max(steps.end, op.step + 1);
    }
    for (const LocalBufferRow &buffer : group.buffers)
      for (const Interval &life : buffer.life) {
        steps.begin = std::min(steps.begin, life.begin);
        steps.end = std::max(steps.end, life.end);
      }
  }

  double column() const { return kWidth / double(steps.length()); }
  double x(int64_t step) const {
    return kMapLeft + column() * double(step - steps.begin);
  }
  double y(int64_t bytes) const {
    return frame.bottom() -
           frame.height * std::clamp(double(bytes) / highest, 0.0, 1.0);
  }

  double drawEngine(const char *name, std::vector<LocalEngine> engines,
                    double top);
  void drawOp(const LocalOpRow &op, const Frame &place);
  void drawBanks();
  void drawAxes();
  void drawBuffer(size_t index);
  std::string piece(const LocalBufferRow &buffer, const Interval &life) const;
  void drawLabel(const LocalBufferRow &buffer);
  void drawInPlace(const LocalBufferRow &buffer);
  void drawBoundStep();
  void drawLimits();
  std::string hoverText(const LocalBufferRow &buffer) const;
  const LocalBufferRow *bufferOf(const LocalOpRow &op) const;

  const LocalReport &report;
  const LocalGroupRow &group;
  double y0;
  Interval steps;
  double highest = 1;
  Frame frame;
  std::string svg, labels;
};

} // namespace

/// What the op makes or stores; names of results are unique in real groups,
/// where not the first one is as good.
const LocalBufferRow *MapDrawing::bufferOf(const LocalOpRow &op) const {
  for (const LocalBufferRow &buffer : group.buffers)
    if (buffer.kind != LocalKind::Scratch && buffer.name == op.name)
      return &buffer;
  return nullptr;
}

double MapDrawing::drawEngine(const char *name,
                              std::vector<LocalEngine> engines, double top) {
  std::map<int64_t, std::vector<const LocalOpRow *>> opsAt;
  size_t most = 1;
  for (const LocalOpRow &op : group.ops)
    if (std::find(engines.begin(), engines.end(), op.engine) != engines.end()) {
      std::vector<const LocalOpRow *> &ops = opsAt[op.step];
      ops.push_back(&op);
      most = std::max(most, ops.size());
    }
  const Frame lane{kMapLeft, top, kWidth, kOpHeight * double(most)};
  svg += rectangle(lane, "class=\"free\"/>\n");
  svg += text(kMapLeft - 8, top + lane.height / 2 + 4, "soft", name, "end");
  for (const auto &[step, ops] : opsAt)
    for (size_t i = 0; i < ops.size(); ++i)
      drawOp(*ops[i],
             {x(step), top + kOpHeight * double(i), column(), kOpHeight});
  return lane.bottom();
}

void MapDrawing::drawOp(const LocalOpRow &op, const Frame &place) {
  const LocalBufferRow *buffer = bufferOf(op);
  const char *arrow = op.engine == LocalEngine::Load    ? "↓ "
                      : op.engine == LocalEngine::Store ? "↑ "
                                                        : "";
  std::string told = op.name + "\n" + op.op + ", id " + std::to_string(op.id) +
                     ", stage " + std::to_string(op.stage) + ", row " +
                     std::to_string(op.row);
  if (op.isHeld)
    told += "\nfor the first section only, kept for all";
  svg += rectangle(place,
                   "class=\"b " +
                       colourClass(buffer ? buffer->kind : LocalKind::Result) +
                       (op.isHeld ? " held" : "") + "\"><title>" +
                       escaped(told) + "</title></rect>\n");
  const double letters = (place.width - 6) / kLetter;
  if (letters >= 3)
    svg += text(place.left + place.width / 2, place.top + 11.5, "label",
                shortened(arrow + op.name, size_t(letters)), "middle");
}

void MapDrawing::drawBanks() {
  const int64_t bankBytes = report.bankBytes();
  if (bankBytes <= 0)
    return;
  const double high = frame.height * double(bankBytes) / highest;
  for (int64_t bank = 0; bank < report.banks; ++bank) {
    const double bottom = y(bank * bankBytes);
    if (double(bank) * double(bankBytes) >= highest)
      break;
    if (bank > 0)
      svg += line(frame.left, bottom, frame.right(), bottom, "bank");
    const double middle = bottom - high / 2;
    if (high >= 12 && middle > frame.top)
      svg += text(kMapWidth - 6, middle + 3, "soft bankname",
                  "bank " + std::to_string(bank), "end");
  }
}

void MapDrawing::drawAxes() {
  for (int64_t tick : byteTicks(highest, frame.height)) {
    svg += line(frame.left - 5, y(tick), frame.left, y(tick), "frame");
    svg += text(frame.left - 8, y(tick) + 4, "soft", formatBytes(tick), "end");
  }
  for (int64_t step = steps.begin; column() >= 6 && step < steps.end; ++step) {
    const bool isStage = !group.isLoop && group.numRows > 0 &&
                         step > steps.begin && step % group.numRows == 0;
    if (step > steps.begin)
      svg += line(x(step), frame.top, x(step), frame.bottom(),
                  isStage ? "bank" : "grid");
  }
  for (int64_t tick : roundTicks(double(steps.begin), double(steps.end - 1),
                                 column() >= 20 ? 1e5 : frame.width))
    svg += text(x(tick) + column() / 2, frame.bottom() + 16, "soft",
                std::to_string(tick), "middle");
  svg += text(frame.left + frame.width / 2, frame.bottom() + 34, "soft",
              group.isLoop
                  ? "row of one round; what leaves at the right comes in at "
                    "the left of the next round"
                  : "step: stage * rows + row",
              "middle");
}

std::string MapDrawing::hoverText(const LocalBufferRow &buffer) const {
  std::string told = buffer.name + "\n" + kindName(buffer.kind) + ", " +
                     formatCount(buffer.bytes.length()) + " B\naddress " +
                     formatCount(buffer.bytes.begin) + " to " +
                     formatCount(buffer.bytes.end);
  const int64_t bankBytes = report.bankBytes();
  if (bankBytes > 0 && !buffer.bytes.empty()) {
    const int64_t first = buffer.bytes.begin / bankBytes;
    const int64_t last = (buffer.bytes.end - 1) / bankBytes;
    told += first == last ? ", bank " + std::to_string(first)
                          : ", banks " + std::to_string(first) + " to " +
                                std::to_string(last);
  }
  told +=
      std::string(group.isLoop ? "\nrows " : "\nsteps ") + describeLife(buffer);
  if (buffer.inPlaceOf)
    told += "\nwritten over " + group.buffers[*buffer.inPlaceOf].name;
  return told;
}

/// One <g> a buffer: its pieces are one thing.
void MapDrawing::drawBuffer(size_t index) {
  const LocalBufferRow &buffer = group.buffers[index];
  svg += "<g class=\"b " + colourClass(buffer.kind) + "\" data-b=\"" +
         bufferId(group, index) + "\"><title>" + escaped(hoverText(buffer)) +
         "</title>";
  for (const Interval &life : buffer.life)
    svg += piece(buffer, life);
  svg += "</g>\n";
  drawLabel(buffer);
  drawInPlace(buffer);
}

/// A rectangle, with an arrow head out of the frame, or a notch of the same
/// form, where the life goes on beyond it.
std::string MapDrawing::piece(const LocalBufferRow &buffer,
                              const Interval &life) const {
  const double left = x(life.begin), right = x(life.end);
  const double bottom = y(buffer.bytes.begin);
  const double top = std::min(y(buffer.bytes.end), bottom - kThinnest);
  const bool comesIn = buffer.isWrapped && life.begin == steps.begin;
  const bool leaves = buffer.isWrapped && life.end == steps.end;
  if (!comesIn && !leaves)
    return rectangle({left, top, right - left, bottom - top}, "/>");
  const std::string middle = px((top + bottom) / 2);
  std::string path = "<path d=\"M" + px(comesIn ? left - kArrow : left) + " " +
                     px(top) + "H" + px(right);
  path += leaves ? "L" + px(right + kArrow) + " " + middle + "L" + px(right) +
                       " " + px(bottom)
                 : "V" + px(bottom);
  path += "H" + px(comesIn ? left - kArrow : left);
  if (comesIn)
    path += "L" + px(left) + " " + middle;
  return path + "z\"/>";
}

/// On top of all lines, so kept for later; on the longest piece.
void MapDrawing::drawLabel(const LocalBufferRow &buffer) {
  if (buffer.life.empty())
    return;
  const Interval &life =
      *std::max_element(buffer.life.begin(), buffer.life.end(),
                        [](const Interval &a, const Interval &b) {
                          return a.length() < b.length();
                        });
  // What lies in place of something begins after the step they share.
  const int64_t begin = life.begin + (buffer.inPlaceOf && life.length() > 1);
  const double top = y(buffer.bytes.end), bottom = y(buffer.bytes.begin);
  const double width = x(life.end) - x(begin), height = bottom - top;
  const double letters = (width - 6) / kLetter;
  if (letters < 3 || height < 13)
    return;
  const double middle = x(begin) + width / 2;
  const std::string size = formatCount(buffer.bytes.length()) + " B";
  const bool hasSize = height >= 28 && letters >= double(size.size());
  labels += text(middle, (top + bottom) / 2 + (hasSize ? -2 : 4), "label",
                 shortened(buffer.name, size_t(letters)), "middle");
  if (hasSize)
    labels += text(middle, (top + bottom) / 2 + 11, "label", size, "middle");
}

/// The step in which one takes the bytes over from the other.
void MapDrawing::drawInPlace(const LocalBufferRow &buffer) {
  if (!buffer.inPlaceOf || buffer.life.empty())
    return;
  // A life that passes the end of the round begins with its last piece.
  const int64_t step =
      buffer.isWrapped ? buffer.life.back().begin : buffer.life.front().begin;
  const double bottom = y(buffer.bytes.begin);
  const double top = std::min(y(buffer.bytes.end), bottom - kThinnest);
  labels += rectangle({x(step), top, column(), bottom - top},
                      "class=\"inplace\"/>\n");
}

void MapDrawing::drawBoundStep() {
  if (group.buffers.empty())
    return;
  svg += rectangle({x(group.boundStep), frame.top, column(), frame.height},
                   "class=\"peak\"/>\n");
}

void MapDrawing::drawLimits() {
  std::vector<Limit> limits = {
      {y(group.peakBytes), "used", "peak " + formatBytes(group.peakBytes)},
      {y(group.lowerBoundBytes), "bound",
       "lower bound " + formatBytes(group.lowerBoundBytes)}};
  if (double(report.laneBytes) <= highest)
    limits.push_back({y(report.laneBytes), "capacity",
                      "lane " + formatBytes(report.laneBytes)});
  svg += limitLines(frame, std::move(limits));
}

LocalMap drawLocalMap(const LocalReport &report, size_t group, double top) {
  return MapDrawing(report, report.groups[group], top).run();
}

std::string counted(int64_t count, const char *what) {
  return formatCount(count) + " " + what + (count == 1 ? "" : "s");
}

static constexpr Named<LocalKind> kColours[] = {
    {LocalKind::Activation, "c0"},     {LocalKind::Weight, "c2"},
    {LocalKind::ReloadedWeight, "c1"}, {LocalKind::Result, "c5"},
    {LocalKind::Scratch, "c3"},
};

std::string colourClass(LocalKind kind) {
  return std::string(nameIn(kColours, kind));
}

std::string mapStyle() {
  return R"css(.bank{stroke:#8c959f;stroke-width:1;stroke-dasharray:1 3}
svg.plan .bankname{font-size:9px;pointer-events:none}
.held{stroke-dasharray:3 2}
.inplace{fill:none;stroke:#1b1f24;stroke-width:1.4;stroke-dasharray:3 2;pointer-events:none}
@media screen and (prefers-color-scheme:dark){.inplace{stroke:#14181d}}
)css";
}

std::string describeGroup(const LocalGroupRow &group) {
  std::string sections;
  for (int64_t parts : group.sections)
    sections += (sections.empty() ? "" : " x ") + std::to_string(parts);
  return "group " + std::to_string(group.index) + ": " +
         counted(group.numLayers, "layer") + " in " +
         counted(group.numRows, "row") + ", " + sections +
         " sections (n, c, d, h, w)" +
         (group.activeCores > 1
              ? " on " + std::to_string(group.activeCores) + " cores"
              : "");
}

std::string describeNumbers(const LocalReport &report,
                            const LocalGroupRow &group) {
  return llvm::formatv(
             "peak {0} B of {1} B, lower bound {2} B, {3}; {4} loaded, {5} "
             "stored, {6} cycles",
             formatCount(group.peakBytes), formatCount(report.laneBytes),
             formatCount(group.lowerBoundBytes),
             counted(group.bankConflicts, "bank conflict"),
             formatBytes(group.cost.loadBytes),
             formatBytes(group.cost.storeBytes), formatCount(group.cost.cycles))
      .str();
}

std::string bufferId(const LocalGroupRow &group, size_t buffer) {
  return std::to_string(group.index) + "." + std::to_string(buffer);
}

std::string describeLife(const LocalBufferRow &buffer) {
  std::string life;
  for (auto it = buffer.life.rbegin(); it != buffer.life.rend(); ++it)
    life += llvm::formatv("{0}[{1}, {2})", life.empty() ? "" : " ", it->begin,
                          it->end)
                .str();
  return life;
}

} // namespace tpu_mlir::report

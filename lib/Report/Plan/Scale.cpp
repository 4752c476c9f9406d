//===- Scale.cpp - Steps and bytes to pixels ------------------------------===//

#include "lib/Report/Plan/Scale.h"

#include <algorithm>

namespace tpu_mlir::report {

Scale::Scale(const Picture &picture, const Panel &panel, const Frame &frame)
    : place(frame), steps(picture.steps) {
  double top = std::max(double(panel.usedBytes), double(panel.boundBytes));
  for (const Box &box : panel.boxes)
    top = std::max(top, double(box.bytes.end));
  // A capacity far above would press the plan to the ground.
  if (panel.capacityBytes && double(*panel.capacityBytes) <= 1.5 * top)
    top = std::max(top, double(*panel.capacityBytes));
  highest = top > 0 ? 1.04 * top : 1;
}

double Scale::x(int64_t step) const {
  const double share = (double(step) - double(steps.begin)) /
                       (double(steps.end) - double(steps.begin));
  return place.left + place.width * std::clamp(share, 0.0, 1.0);
}

double Scale::y(double bytes) const {
  return place.bottom() - place.height * std::clamp(bytes / highest, 0.0, 1.0);
}

Frame Scale::box(const Box &box) const {
  const double left = x(box.steps.begin), top = y(double(box.bytes.end));
  return {left, top, x(box.steps.end) - left, y(double(box.bytes.begin)) - top};
}

std::vector<int64_t> Scale::stepTicks() const {
  return roundTicks(double(steps.begin), double(steps.end), place.width);
}

std::vector<int64_t> Scale::byteTicks() const {
  return report::byteTicks(highest, place.height);
}

} // namespace tpu_mlir::report

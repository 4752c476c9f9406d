//===- Scale.cpp - Steps and bytes to pixels ------------------------------===//

#include "lib/Report/Plan/Scale.h"

#include <algorithm>
#include <cmath>

namespace tpu_mlir::report {

std::string px(double value) {
  const long long hundredths = std::llround(std::abs(value) * 100);
  std::string text = std::to_string(hundredths / 100);
  if (const long long rest = hundredths % 100) {
    text += "." + std::to_string(rest / 10);
    if (rest % 10)
      text += std::to_string(rest % 10);
  }
  return value < 0 && hundredths ? "-" + text : text;
}

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

/// The first multiple of `unit` at or above `value`, up to `end`.
static std::vector<int64_t> multiples(double unit, double begin, double end) {
  std::vector<int64_t> ticks;
  for (double tick = std::ceil(begin / unit) * unit;
       tick <= end && tick < 9.2e18 && ticks.size() < 64; tick += unit)
    ticks.push_back(int64_t(tick));
  return ticks;
}

std::vector<int64_t> Scale::stepTicks() const {
  const double wanted = (double(steps.end) - double(steps.begin)) /
                        std::max(place.width / 80, 2.0);
  double unit = 1;
  for (int i = 0; unit < wanted; ++i)
    unit *= i % 3 == 1 ? 2.5 : 2; // 1, 2, 5, 10, 20, 50 ...
  return multiples(unit, double(steps.begin), double(steps.end));
}

std::vector<int64_t> Scale::byteTicks() const {
  const double wanted = highest / std::max(place.height / 70, 2.0);
  double unit = 1;
  while (unit < wanted)
    unit *= 2;
  return multiples(unit, 0, highest);
}

} // namespace tpu_mlir::report

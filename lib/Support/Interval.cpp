//===- Interval.cpp - One half-open interval ------------------------------===//

#include "tpu_mlir/Support/Interval.h"

#include <algorithm>

namespace tpu_mlir {

std::vector<Interval> normalize(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::vector<Interval> result;
  for (const Interval &interval : intervals) {
    if (interval.empty())
      continue;
    if (!result.empty() && interval.begin <= result.back().end)
      result.back().end = std::max(result.back().end, interval.end);
    else
      result.push_back(interval);
  }
  return result;
}

bool anyOverlap(const std::vector<Interval> &a,
                const std::vector<Interval> &b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].overlaps(b[j]))
      return true;
    a[i].end <= b[j].end ? ++i : ++j;
  }
  return false;
}

std::vector<Interval> intersect(const std::vector<Interval> &a,
                                const std::vector<Interval> &b) {
  std::vector<Interval> result;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Interval both{std::max(a[i].begin, b[j].begin),
                        std::min(a[i].end, b[j].end)};
    if (!both.empty())
      result.push_back(both);
    a[i].end <= b[j].end ? ++i : ++j;
  }
  return result;
}

} // namespace tpu_mlir

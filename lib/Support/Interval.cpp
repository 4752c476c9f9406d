//===- Interval.cpp - Intervals, their overlaps, and rules that map them --===//

#include "tpu_mlir/Support/Interval.h"

#include "tpu_mlir/Support/Overlaps.h"
#include "tpu_mlir/Support/SliceRule.h"

#include <algorithm>
#include <tuple>

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

bool forEachOverlap(std::vector<OwnedInterval> intervals,
                    llvm::function_ref<bool(size_t, size_t)> meet) {
  std::sort(intervals.begin(), intervals.end(),
            [](const OwnedInterval &a, const OwnedInterval &b) {
              return std::tie(a.interval, a.owner) <
                     std::tie(b.interval, b.owner);
            });
  std::vector<OwnedInterval> open;
  for (const OwnedInterval &next : intervals) {
    // What has ended is dropped when it is met; each is dropped once.
    size_t kept = 0;
    for (const OwnedInterval &other : open) {
      if (other.interval.end <= next.interval.begin)
        continue;
      open[kept++] = other;
      if (!meet(other.owner, next.owner))
        return false;
    }
    open.resize(kept);
    open.push_back(next);
  }
  return true;
}

namespace {

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

} // namespace

Interval neededInterval(const DimRule &rule, Interval result, int64_t length) {
  Interval need{0, length};
  switch (rule.kind) {
  case DimRule::Kind::Whole:
    break;
  case DimRule::Kind::Window: {
    // Results whose windows lie in the padding read nothing: with a stride
    // above the extent the clipped hull would be too large.
    const int64_t first = std::max(
        result.begin, floorDiv(rule.before - rule.extent, rule.stride) + 1);
    const int64_t last = std::min(
        result.end - 1, floorDiv(length - 1 + rule.before, rule.stride));
    if (first > last) // Nothing, in front of the operand or after it.
      return result.begin > last ? Interval{length, length} : Interval{0, 0};
    need.begin = first * rule.stride - rule.before;
    need.end = last * rule.stride - rule.before + rule.extent;
    break;
  }
  case DimRule::Kind::Spread:
    // i * stride - before + extent > begin  and  i * stride - before < end.
    need.begin =
        floorDiv(result.begin + rule.before - rule.extent, rule.stride) + 1;
    need.end = floorDiv(result.end - 1 + rule.before, rule.stride) + 1;
    break;
  }
  need.begin = std::clamp<int64_t>(need.begin, 0, length);
  need.end = std::clamp<int64_t>(need.end, need.begin, length);
  return need;
}

} // namespace tpu_mlir

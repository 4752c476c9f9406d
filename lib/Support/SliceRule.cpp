//===- SliceRule.cpp - Which part of an operand a part of a result needs --===//

#include "tpu_mlir/Support/SliceRule.h"

#include <algorithm>

namespace tpu_mlir {

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
    if (first > last) // Nothing, in front of the operand or behind it.
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

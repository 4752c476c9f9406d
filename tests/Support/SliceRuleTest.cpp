//===- SliceRuleTest.cpp - Needs against counting element by element ------===//

#include "tpu_mlir/Support/SliceRule.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;

namespace {

/// Every operand element that any element of `result` touches, one by one.
Interval counted(const DimRule &rule, Interval result, int64_t length) {
  Interval hull{length, 0};
  for (int64_t i = 0; i < length; ++i)
    for (int64_t o = result.begin; o < result.end; ++o) {
      const int64_t from = rule.kind == DimRule::Kind::Window
                               ? i - (o * rule.stride - rule.before)
                               : o - (i * rule.stride - rule.before);
      if (from < 0 || from >= rule.extent)
        continue;
      hull.begin = std::min(hull.begin, i);
      hull.end = std::max(hull.end, i + 1);
    }
  return hull;
}

TEST(SliceRuleTest, AgreesWithCounting) {
  for (auto kind : {DimRule::Kind::Window, DimRule::Kind::Spread})
    for (int64_t stride = 1; stride <= 3; ++stride)
      for (int64_t before = -3; before <= 3; ++before)
        for (int64_t extent = kind == DimRule::Kind::Spread ? stride : 1;
             extent <= 5; ++extent)
          for (int64_t begin = 0; begin < 9; ++begin)
            for (int64_t end = begin + 1; end <= 10; ++end) {
              const DimRule rule{kind, 0, stride, before, extent};
              const Interval need = neededInterval(rule, {begin, end}, 7);
              const Interval expected = counted(rule, {begin, end}, 7);
              if (expected.empty()) {
                EXPECT_LE(need.length(), 0)
                    << stride << " " << before << " " << extent << " " << begin
                    << " " << end;
                continue;
              }
              EXPECT_EQ(need, expected) << stride << " " << before << " "
                                        << extent << " " << begin << " " << end;
            }
}

TEST(SliceRuleTest, NeedsMoveOn) {
  for (int64_t stride = 1; stride <= 3; ++stride)
    for (int64_t before = -4; before <= 12; ++before)
      for (int64_t extent = 1; extent <= 4; ++extent)
        for (int64_t begin = 0; begin < 20; ++begin) {
          const DimRule rule = DimRule::window(0, stride, before, extent);
          const Interval now = neededInterval(rule, {begin, begin + 1}, 5);
          const Interval next = neededInterval(rule, {begin + 1, begin + 2}, 5);
          EXPECT_LE(now.begin, next.begin);
          EXPECT_LE(now.end, next.end);
        }
}

TEST(SliceRuleTest, Whole) {
  EXPECT_EQ(neededInterval(DimRule::whole(), {3, 4}, 9), (Interval{0, 9}));
}

TEST(SliceRuleTest, ConvolutionClipsAtBothBorders) {
  // Kernel 3, stride 2, padding 1 on 9 rows: 5 results.
  const DimRule rule = DimRule::window(2, 2, 1, 3);
  EXPECT_EQ(neededInterval(rule, {0, 2}, 9), (Interval{0, 4}));
  EXPECT_EQ(neededInterval(rule, {2, 4}, 9), (Interval{3, 8}));
  EXPECT_EQ(neededInterval(rule, {4, 5}, 9), (Interval{7, 9}));
}

} // namespace

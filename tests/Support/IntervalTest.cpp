//===- IntervalTest.cpp - One half-open interval --------------------------===//

#include "tpu_mlir/Support/Interval.h"

#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;

namespace {

TEST(Interval, HalfOpen) {
  const Interval i{2, 5};
  EXPECT_TRUE(i.contains(2));
  EXPECT_FALSE(i.contains(5));
  EXPECT_EQ(i.length(), 3);
  EXPECT_TRUE(i.overlaps({4, 9}));
  EXPECT_FALSE(i.overlaps({5, 9}));
  EXPECT_FALSE(i.overlaps({3, 3}));
  EXPECT_EQ((Interval{5, 2}).length(), 0);
}

TEST(Interval, NormalizeSortsAndJoins) {
  EXPECT_EQ(normalize({{7, 9}, {1, 3}, {3, 4}, {5, 5}, {2, 3}}),
            (std::vector<Interval>{{1, 4}, {7, 9}}));
  EXPECT_TRUE(normalize({}).empty());
  EXPECT_TRUE(normalize({{4, 4}, {5, 2}}).empty());
}

TEST(Interval, AnyOverlapAgreesWithAllPairs) {
  std::mt19937_64 random(7);
  auto draw = [&] {
    std::vector<Interval> list;
    for (uint64_t i = random() % 5; i > 0; --i) {
      const int64_t begin = int64_t(random() % 20);
      list.push_back({begin, begin + 1 + int64_t(random() % 3)});
    }
    return normalize(std::move(list));
  };
  int hits = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto a = draw(), b = draw();
    bool expected = false;
    for (const Interval &x : a)
      for (const Interval &y : b)
        expected |= x.overlaps(y);
    hits += expected;
    ASSERT_EQ(anyOverlap(a, b), expected);
  }
  EXPECT_GT(hits, 200);
  EXPECT_LT(hits, 1800);
}

TEST(Interval, IntersectAgreesWithEachPoint) {
  EXPECT_EQ(intersect({{1, 4}, {6, 9}}, {{3, 7}}),
            (std::vector<Interval>{{3, 4}, {6, 7}}));
  EXPECT_TRUE(intersect({{1, 4}}, {{4, 9}}).empty());
  std::mt19937_64 random(11);
  auto draw = [&] {
    std::vector<Interval> list;
    for (uint64_t i = random() % 6; i > 0; --i) {
      const int64_t begin = int64_t(random() % 30);
      list.push_back({begin, begin + 1 + int64_t(random() % 6)});
    }
    return normalize(std::move(list));
  };
  auto holds = [](const std::vector<Interval> &list, int64_t point) {
    for (const Interval &interval : list)
      if (interval.begin <= point && point < interval.end)
        return true;
    return false;
  };
  int64_t common = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto a = draw(), b = draw();
    const auto both = intersect(a, b);
    EXPECT_EQ(both, normalize(both));
    for (int64_t point = 0; point < 40; ++point) {
      ASSERT_EQ(holds(both, point), holds(a, point) && holds(b, point));
      common += holds(both, point);
    }
  }
  EXPECT_GT(common, 1000);
}

} // namespace

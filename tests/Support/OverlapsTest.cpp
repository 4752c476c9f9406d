//===- OverlapsTest.cpp - Which intervals overlap -------------------------===//

#include "tpu_mlir/Support/Overlaps.h"

#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

Pairs overlapsOf(const std::vector<OwnedInterval> &intervals) {
  Pairs pairs;
  EXPECT_TRUE(forEachOverlap(intervals, [&](size_t a, size_t b) {
    pairs.push_back(std::minmax(a, b));
    return true;
  }));
  return pairs;
}

TEST(Overlaps, TouchingIsNoOverlap) {
  EXPECT_EQ(overlapsOf({{{4, 6}, 0}, {{1, 4}, 1}, {{3, 5}, 2}}),
            (Pairs{{1, 2}, {0, 2}}));
  EXPECT_TRUE(overlapsOf({}).empty());
}

TEST(Overlaps, AgreesWithAllPairs) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 300; ++round) {
    std::vector<OwnedInterval> intervals;
    for (uint64_t i = random() % 12; i > 0; --i) {
      const int64_t begin = int64_t(random() % 15);
      const int64_t end = begin + 1 + int64_t(random() % 6);
      intervals.push_back({{begin, end}, size_t(random() % 5)});
    }
    Pairs expected;
    for (size_t a = 0; a < intervals.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        if (intervals[a].interval.overlaps(intervals[b].interval))
          expected.push_back(
              std::minmax(intervals[a].owner, intervals[b].owner));
    Pairs found = overlapsOf(intervals);
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << "round " << round;
  }
}

TEST(Overlaps, StopsWhenAsked) {
  int calls = 0;
  EXPECT_FALSE(forEachOverlap({{{0, 9}, 0}, {{1, 9}, 1}, {{2, 9}, 2}},
                              [&](size_t, size_t) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

} // namespace

//===- BoundsTest.cpp - What no plan can beat -----------------------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Bounds.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

TEST(Bounds, TheLargestLiveSum) {
  const Problem p =
      problemOf({buffer("a", {{0, 3}}, 10), buffer("b", {{2, 5}}, 20),
                 buffer("c", {{3, 6}}, 15), buffer("d", {{5, 7}}, 20)});
  const LiveBound bound = liveBound(p, 0);
  // [2,3): 30; [3,5): 35; [5,6): 35. The first of equals counts.
  EXPECT_EQ(bound.bytes, 35);
  EXPECT_EQ(bound.peakStep, 3);
  EXPECT_EQ(bound.peakSet, (std::vector<BufferId>{1, 2}));
}

TEST(Bounds, HalfOpenLifespansDoNotMeet) {
  EXPECT_EQ(
      liveBound(problemOf({buffer("a", {{0, 2}}, 7), buffer("b", {{2, 4}}, 9)}),
                0)
          .bytes,
      9);
}

TEST(Bounds, GapsDoNotCount) {
  EXPECT_EQ(liveBound(problemOf({buffer("a", {{0, 2}, {4, 6}}, 7),
                                 buffer("b", {{2, 4}}, 9)}),
                      0)
                .bytes,
            9);
}

TEST(Bounds, PaddingOfAllButOneCounts) {
  // Multiples of 64: two of 100 bytes cannot end below 128 + 100.
  const Problem p = problemOf(
      {buffer("a", {{0, 2}}, 100, 64), buffer("b", {{0, 2}}, 100, 128)});
  EXPECT_EQ(liveBound(p, 0).bytes, 228);
  // The largest padding is the one that may be missing.
  const Problem q = problemOf(
      {buffer("a", {{0, 2}}, 65, 64), buffer("b", {{0, 2}}, 128, 64)});
  EXPECT_EQ(liveBound(q, 0).bytes, 193);
}

TEST(Bounds, NothingEndsBelowAPin) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 10)});
  p.buffers[0].pin = Pin{0, 4096};
  EXPECT_EQ(liveBound(p, 0).bytes, 4106);
}

TEST(Bounds, OnlyStorageWithoutAChoiceCounts) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 10), buffer("b", {{0, 2}}, 5),
                         buffer("c", {{0, 2}}, 3)});
  p.pools.push_back({"sram", 0, 64, 1, 0});
  p.buffers[0].pools = {1, 0};
  p.buffers[2].pools = {1};
  EXPECT_EQ(liveBound(p, 0).bytes, 5);
  EXPECT_EQ(liveBound(p, 1).bytes, 3);
}

TEST(Bounds, AliasesCountOnce) {
  Problem p = problemOf({buffer("a", {{0, 4}}, 10), buffer("b", {{1, 3}}, 10)});
  p.aliases = {{1, 0, 0}};
  EXPECT_EQ(liveBound(p, 0).bytes, 10);
}

TEST(Bounds, EmptyPoolsAndZeroSizes) {
  EXPECT_EQ(liveBound(problemOf({}), 0).bytes, 0);
  const LiveBound bound =
      liveBound(problemOf({buffer("a", {{3, 4}}, 0, 4096)}), 0);
  EXPECT_EQ(bound.bytes, 0);
  EXPECT_EQ(bound.peakStep, 0);
  EXPECT_TRUE(bound.peakSet.empty());
}

TEST(Bounds, SumsBeyond63BitsStopThere) {
  const int64_t big = int64_t(3) << 61;
  const LiveBound bound = liveBound(
      problemOf({buffer("a", {{0, 2}}, big), buffer("b", {{0, 2}}, big),
                 buffer("c", {{2, 3}}, 8)}),
      0);
  EXPECT_EQ(bound.bytes, INT64_MAX);
  EXPECT_TRUE(bound.leaves63Bits);
  EXPECT_FALSE(
      liveBound(problemOf({buffer("a", {{0, 2}}, INT64_MAX)}), 0).leaves63Bits);
}

} // namespace

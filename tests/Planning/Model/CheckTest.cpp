//===- CheckTest.cpp - Does this problem make sense? ----------------------===//

#include "tests/Planning/Builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::HasSubstr;

namespace {

/// x and y, y an alias inside x; z on its own.
Problem good() {
  Problem p =
      problemOf({buffer("x", {{0, 4}}, 100, 4), buffer("y", {{1, 3}}, 40, 4),
                 buffer("z", {{0, 2}}, 8)},
                1000);
  p.aliases = {{1, 0, 20}};
  return p;
}

/// The only error's message, or how many there are.
std::string errorOf(const Problem &problem) {
  const std::vector<ProblemError> errors = check(problem);
  return errors.size() == 1 ? errors[0].message
                            : std::to_string(errors.size()) + " errors";
}

/// The error after one change of a good problem.
template <typename Change> std::string errorAfter(Change change) {
  Problem p = good();
  change(p);
  return errorOf(p);
}

TEST(Check, GoodProblemsPass) {
  EXPECT_EQ(errorOf(good()), "0 errors");
  EXPECT_EQ(errorOf(Problem()), "0 errors");
}

TEST(Check, Pools) {
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].alignment = 0; }),
              HasSubstr("pool 'ddr' has alignment 0"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].capacityBytes = -1; }),
              HasSubstr("negative capacity -1"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].accessCost = -1; }),
              HasSubstr("negative access cost -1"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].baseAddress = -8; }),
              HasSubstr("negative base address -8"));
  EXPECT_THAT(
      errorAfter([](Problem &p) { p.pools[0].baseAddress = INT64_MAX - 999; }),
      HasSubstr("ends above 63 bits"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.period = 0; }),
              HasSubstr("period is 0"));
}

TEST(Check, Buffers) {
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].sizeBytes = -1; }),
              HasSubstr("buffer 'z' has the negative size -1"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].alignment = 0; }),
              HasSubstr("alignment 0"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].pools = {}; }),
              HasSubstr("no pool"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].pools = {1}; }),
              HasSubstr("pool 1, which does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].pools = {-1}; }),
              HasSubstr("does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[2].pools = {0, 0}; }),
              HasSubstr("pool 'ddr' twice"));
}

TEST(Check, Lifespans) {
  auto withLife = [](std::vector<Interval> life) {
    return errorAfter([&](Problem &p) { p.buffers[2].lifespans = life; });
  };
  EXPECT_THAT(withLife({}), HasSubstr("has no lifespan"));
  EXPECT_THAT(withLife({{2, 2}}), HasSubstr("empty lifespan [2,2)"));
  EXPECT_THAT(withLife({{3, 2}}), HasSubstr("empty lifespan [3,2)"));
  EXPECT_THAT(withLife({{-1, 2}}), HasSubstr("negative lifespan"));
  EXPECT_THAT(withLife({{4, 6}, {1, 2}}), HasSubstr("unsorted or overlap"));
  EXPECT_THAT(withLife({{1, 4}, {3, 6}}), HasSubstr("unsorted or overlap"));
  EXPECT_EQ(withLife({{1, 3}, {3, 6}}), "0 errors");
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.period = 4;
                p.buffers[2].lifespans = {{0, 1}, {3, 5}};
              }),
              HasSubstr("beyond the period of 4"));
}

TEST(Check, Reads) {
  auto withReads = [](std::vector<int64_t> reads) {
    return errorAfter([&](Problem &p) {
      p.buffers[2].lifespans = {{0, 2}, {4, 6}};
      p.buffers[2].readSteps = reads;
    });
  };
  EXPECT_EQ(withReads({1, 1, 4, 5}), "0 errors");
  EXPECT_THAT(withReads({4, 1}), HasSubstr("not in ascending order"));
  EXPECT_THAT(withReads({1, 2}), HasSubstr("read at step 2, when it is not"));
  EXPECT_THAT(withReads({6}), HasSubstr("read at step 6"));
}

TEST(Check, Pins) {
  auto pinned = [](Pin pin) {
    return errorAfter([&](Problem &p) {
      p.buffers[2].alignment = 4;
      p.buffers[2].pin = pin;
    });
  };
  EXPECT_EQ(pinned({0, 992}), "0 errors");
  EXPECT_THAT(pinned({0, 996}), HasSubstr("pinned outside pool 'ddr'"));
  EXPECT_THAT(pinned({0, -4}), HasSubstr("pinned outside"));
  EXPECT_THAT(pinned({0, INT64_MAX - 3}), HasSubstr("pinned outside"));
  EXPECT_THAT(pinned({0, 6}), HasSubstr("misaligned offset 6"));
  EXPECT_THAT(pinned({1, 0}), HasSubstr("not one of its own"));
}

TEST(Check, PinsThatExcludeEachOther) {
  auto second = [](Interval life, int64_t offset) {
    Problem p =
        problemOf({buffer("a", {{0, 4}}, 100), buffer("b", {life}, 10)});
    p.buffers[0].pin = Pin{0, 0};
    p.buffers[1].pin = Pin{0, offset};
    return p;
  };
  EXPECT_THAT(errorOf(second({2, 5}, 99)), HasSubstr("pinned onto bytes of"));
  EXPECT_EQ(errorOf(second({2, 5}, 100)), "0 errors");
  EXPECT_EQ(errorOf(second({4, 5}, 50)), "0 errors");
  Problem forbidden = second({4, 5}, 50);
  forbidden.forbiddenSharing = {{0, 1}};
  EXPECT_THAT(errorOf(forbidden), HasSubstr("must not share any"));
}

TEST(Check, Aliases) {
  auto alias = [](std::vector<Alias> aliases) {
    return errorAfter([&](Problem &p) { p.aliases = aliases; });
  };
  EXPECT_THAT(alias({{1, 0, 61}}), HasSubstr("sticks out of its root 'x': "));
  EXPECT_THAT(alias({{1, 0, -4}}), HasSubstr("sticks out"));
  EXPECT_THAT(alias({{1, 0, INT64_MAX}}), HasSubstr("sticks out"));
  EXPECT_THAT(
      alias({{1, 0, 2}}),
      HasSubstr("is misaligned in its root 'x': offset 2 is no multiple of "));
  EXPECT_THAT(alias({{1, 1, 0}}), HasSubstr("alias of itself"));
  EXPECT_THAT(alias({{1, 0, 0}, {1, 0, 4}}), HasSubstr("an alias twice"));
  EXPECT_THAT(alias({{3, 0, 0}}), HasSubstr("does not exist"));
  EXPECT_THAT(alias({{1, -1, 0}}), HasSubstr("does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.buffers[2].lifespans = {{1, 2}};
                p.aliases = {{2, 1, 0}, {1, 0, 0}};
              }),
              HasSubstr("'y', which is an alias itself"));
}

TEST(Check, RootsOutliveTheirAliases) {
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[1].lifespans = {{3, 5}}; }),
              HasSubstr("lives in [3,5), but its root 'x' does not"));
  // Intervals that touch are no gap.
  EXPECT_EQ(
      errorAfter([](Problem &p) { p.buffers[0].lifespans = {{0, 2}, {2, 4}}; }),
      "0 errors");
  EXPECT_THAT(
      errorAfter([](Problem &p) { p.buffers[0].lifespans = {{0, 1}, {2, 4}}; }),
      HasSubstr("does not live all that time"));
}

TEST(Check, ClassesNeedACommonPoolAndPlace) {
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.pools.push_back({"sram", 0, 64, 1, 0});
                p.buffers[1].pools = {1};
              }),
              HasSubstr("no pool in common"));
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.buffers[0].pin = Pin{0, 8};
                p.buffers[1].pin = Pin{0, 32};
              }),
              HasSubstr("pinned to another place than its root"));
  EXPECT_EQ(errorAfter([](Problem &p) {
              p.buffers[0].pin = Pin{0, 8};
              p.buffers[1].pin = Pin{0, 28};
            }),
            "0 errors");
  // A member's pin is its root's: here the root would start below 0.
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[1].pin = Pin{0, 4}; }),
              HasSubstr("buffer 'x' is pinned outside"));
}

TEST(Check, AlignmentsBeyond63Bits) {
  Problem p = problemOf({buffer("a", {{0, 1}}, 1, INT64_MAX)});
  EXPECT_EQ(errorOf(p), "0 errors");
  p.pools[0].alignment = 4096;
  EXPECT_THAT(errorOf(p), HasSubstr("no common alignment with pool 'ddr'"));
}

TEST(Check, ForbiddenPairs) {
  EXPECT_THAT(errorAfter([](Problem &p) { p.forbiddenSharing = {{0, 3}}; }),
              HasSubstr("does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.forbiddenSharing = {{2, 2}}; }),
              HasSubstr("with itself"));
}

TEST(Check, ReportsAllBuffersOfARound) {
  Problem p = good();
  p.buffers[0].sizeBytes = -1;
  p.buffers[2].alignment = -5;
  const std::vector<ProblemError> errors = check(p);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].buffer, 0);
  EXPECT_EQ(errors[1].buffer, 2);
}

TEST(Check, NegativePinsOfAliases) {
  // Where the root would be is not even a number.
  EXPECT_THAT(
      errorAfter([](Problem &p) { p.buffers[1].pin = Pin{0, INT64_MIN}; }),
      HasSubstr("buffer 'y' is pinned outside pool 'ddr'"));
}

TEST(FoldAliases, OneClassForEachPieceOfStorage) {
  Problem p = good();
  p.pools.push_back({"sram", 0, 64, 1, 0});
  p.buffers[0].pools = {1, 0};
  p.buffers[0].readSteps = {1};
  p.buffers[1].readSteps = {2};
  p.buffers[1].alignment = 10;
  p.buffers[1].pin = Pin{0, 40};
  ASSERT_EQ(errorOf(p), "0 errors");
  const std::vector<StorageClass> classes = foldAliases(p);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].root, 0);
  EXPECT_EQ(classes[0].members, std::vector<BufferId>{1});
  EXPECT_EQ(classes[0].alignment, 20);
  EXPECT_EQ(classes[0].readSteps, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(classes[0].pools, std::vector<PoolId>{0});
  EXPECT_EQ(classes[0].pin, (Pin{0, 20}));
  EXPECT_EQ(classes[1].root, 2);
  EXPECT_EQ(classes[1].readSteps, std::vector<int64_t>{});
}

} // namespace

//===- KnownOptimumTest.cpp - Cut from a strip and put together again -----===//

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

struct Strip {
  const char *family;
  int64_t buffers;
};

class KnownOptimum : public testing::TestWithParam<Strip> {};

/// No byte is free at any step: a packing of that height is one in very many.
TEST_P(KnownOptimum, ExactFindsIt) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    GenerateOptions wanted;
    wanted.family = GetParam().family;
    wanted.buffers = GetParam().buffers;
    wanted.seed = seed;
    const Generated strip = std::get<Generated>(generate(wanted));
    SolveOptions options;
    options.strategy = "exact";
    options.nodeLimit = 2'000'000;
    const SolveResult result = solve(strip.problem, options);
    ASSERT_TRUE(std::holds_alternative<Plan>(result));
    const Plan &plan = std::get<Plan>(result);
    EXPECT_TRUE(validate(strip.problem, plan).empty());
    EXPECT_EQ(plan.pools[0].usedBytes, strip.optimumBytes);
    EXPECT_EQ(plan.proof, Proof::LowerBound);
  }
}

/// Nothing tells which piece is of which strip.
TEST(StackedStrips, ExactFindsTheirHeight) {
  for (const char *family : {"guillotine", "pinwheel"}) {
    SCOPED_TRACE(family);
    Problem all;
    int64_t height = 0;
    for (uint64_t seed = 1; seed <= 25; ++seed) {
      GenerateOptions wanted;
      wanted.family = family;
      wanted.buffers = 1'000;
      wanted.seed = seed;
      Generated strip = std::get<Generated>(generate(wanted));
      height += *strip.optimumBytes;
      for (Buffer &buffer : strip.problem.buffers)
        all.buffers.push_back(std::move(buffer));
      all.pools = strip.problem.pools;
    }
    SolveOptions options;
    options.strategy = "exact";
    options.nodeLimit = 20'000'000;
    const Plan plan = std::get<Plan>(solve(all, options));
    EXPECT_TRUE(validate(all, plan).empty());
    EXPECT_EQ(plan.pools[0].usedBytes, height);
  }
}

/// One that has no free byte, but for pieces that were left out and lives that
/// pause: what is missing is found, and put back.
TEST(BrokenStrip, ExactFindsWhatItWasBrokenFrom) {
  for (uint64_t seed : {1, 2, 3})
    for (bool isPausing : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      GenerateOptions wanted;
      wanted.family = seed == 2 ? "guillotine" : "pinwheel";
      wanted.buffers = 1'000;
      wanted.seed = seed;
      (isPausing ? wanted.gapPercent : wanted.deletePercent) =
          isPausing ? 10 : 5;
      const Generated strip = std::get<Generated>(generate(wanted));
      SolveOptions options;
      options.strategy = "exact";
      options.nodeLimit = 20'000'000;
      const Plan plan = std::get<Plan>(solve(strip.problem, options));
      EXPECT_TRUE(validate(strip.problem, plan).empty());
      // What it was broken from; without some pieces it may be lower.
      EXPECT_LE(plan.pools[0].usedBytes, int64_t(1) << 20);
    }
}

/// Pieces of equal lives belong to different parts of the strip. Above 200,000
/// buffers auto has nothing else to find it with.
TEST(LargeStrip, AutoFindsThatOfManyPieces) {
  GenerateOptions wanted;
  wanted.family = "guillotine";
  wanted.buffers = 201'000;
  wanted.seed = 1;
  const Generated strip = std::get<Generated>(generate(wanted));
  const SolveResult result = solve(strip.problem, {});
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  EXPECT_EQ(std::get<Plan>(result).pools[0].usedBytes, strip.optimumBytes);
}

/// What is found by period is near enough for a pool of that size, unless it
/// has to fit: then auto goes on, and finds less.
TEST(LargeTraining, AutoEndsNearTheBound) {
  for (const char *family : {"interleaved", "micro-batches"}) {
    SCOPED_TRACE(family);
    GenerateOptions wanted;
    wanted.family = family;
    wanted.buffers = 201'000;
    wanted.seed = 3;
    Problem problem = std::get<Generated>(generate(wanted)).problem;
    const Plan plan = std::get<Plan>(solve(problem, {}));
    EXPECT_EQ(plan.winner, "end-matching");
    EXPECT_EQ(plan.proof, Proof::LimitHit);
    const int64_t used = plan.pools[0].usedBytes,
                  bound = plan.pools[0].lowerBoundBytes;
    EXPECT_GT(used, bound);
    EXPECT_LE(used, bound + bound / 100);
    if (family == std::string_view("interleaved"))
      continue;
    problem.pools[0].capacityBytes = bound;
    const SolveResult result = solve(problem, {});
    ASSERT_TRUE(std::holds_alternative<Infeasible>(result));
    EXPECT_FALSE(std::get<Infeasible>(result).isCertain());
    EXPECT_LT(std::get<Infeasible>(result).needBytes, used);
  }
}

/// Above the live sum, on average over some seeds.
double meanGap(const char *strategy, const char *family = "micro-batches",
               int64_t buffers = 30'000) {
  constexpr int kSeeds = 5;
  double gaps = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    GenerateOptions wanted;
    wanted.family = family;
    wanted.buffers = buffers;
    wanted.seed = seed;
    const Generated made = std::get<Generated>(generate(wanted));
    SolveOptions options;
    options.strategy = strategy;
    const Plan plan = std::get<Plan>(solve(made.problem, options));
    EXPECT_TRUE(validate(made.problem, plan).empty());
    gaps += double(plan.pools[0].usedBytes) /
                double(plan.pools[0].lowerBoundBytes) -
            1;
  }
  return gaps / kSeeds;
}

/// What is kept is stacked in the order in which it ends. By size, or by life
/// alone, the holes are too small for what comes and goes.
TEST(MicroBatches, LongLivedFirstIsNearTheLiveSum) {
  EXPECT_LE(meanGap("long-lived-first"), 0.0125);
  EXPECT_GE(meanGap("skyline"), 0.03);
  EXPECT_GE(meanGap("first-fit-decreasing"), 0.1);
}

/// Passes that are woven into each other: no two activations have the same
/// size, and none ends in the order in which it began.
TEST(MicroBatches, EndMatchingIsNearTheLiveSumOfWovenOnes) {
  EXPECT_LE(meanGap("end-matching", "interleaved", 100'000), 0.025);
  EXPECT_GE(meanGap("long-lived-first", "interleaved", 100'000), 0.05);
}

INSTANTIATE_TEST_SUITE_P(
    Strips, KnownOptimum,
    testing::Values(Strip{"guillotine", 64}, Strip{"guillotine", 256},
                    Strip{"pinwheel", 64}, Strip{"pinwheel", 256}),
    [](const auto &info) {
      return info.param.family + std::to_string(info.param.buffers);
    });

} // namespace

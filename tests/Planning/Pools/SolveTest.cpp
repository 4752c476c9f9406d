//===- SolveTest.cpp - check, fold, pack, put together, validate ----------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

Problem chain() {
  return problemOf({buffer("a", {{0, 2}}, 100), buffer("b", {{1, 3}}, 50),
                    buffer("c", {{2, 4}}, 100)});
}

TEST(Solve, EveryStrategySolvesAChain) {
  for (const Strategy *strategy : StrategyRegistry::all()) {
    SCOPED_TRACE(std::string(strategy->name));
    const SolveResult result = solveWith(chain(), std::string(strategy->name));
    const Plan *plan = std::get_if<Plan>(&result);
    ASSERT_NE(plan, nullptr);
    EXPECT_TRUE(validate(chain(), *plan).empty());
    EXPECT_EQ(plan->pools[0].lowerBoundBytes, 150);
    EXPECT_EQ(plan->strategy, strategy->name);
  }
}

TEST(Solve, AutoMeetsTheBoundOfAChainAndNamesItsWinner) {
  const SolveResult result = solve(chain());
  const Plan *plan = std::get_if<Plan>(&result);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->pools[0].usedBytes, 150);
  EXPECT_EQ(plan->proof, Proof::LowerBound);
  EXPECT_EQ(plan->strategy, "auto");
  EXPECT_EQ(plan->winner, "skyline");
}

TEST(ClassicUse, IsWhatTheStrategyItselfUses) {
  // A slot is not split: d finds a's, and e opens a new one.
  Problem p = problemOf({buffer("a", {{0, 2}}, 100), buffer("b", {{1, 5}}, 50),
                         buffer("d", {{2, 5}}, 50), buffer("e", {{3, 5}}, 50)},
                        /*capacity=*/150);
  Plan plan = std::get<Plan>(solve(p));
  EXPECT_EQ(plan.pools[0].usedBytes, 150);
  EXPECT_EQ(plan.pools[0].classicBytes, std::nullopt);
  addClassicUse(p, plan);
  EXPECT_EQ(plan.pools[0].classicBytes, 200);

  Problem wide = p;
  wide.pools[0].capacityBytes.reset();
  const SolveResult classic = solveWith(wide, kClassicStrategy);
  EXPECT_EQ(std::get<Plan>(classic).pools[0].usedBytes, 200);
}

TEST(ClassicUse, CountsForEachPoolWhatThePlanPutsThere) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 100), buffer("b", {{1, 3}}, 60),
                         buffer("in b", {{2, 3}}, 8)});
  p.pools = {{"fast", 0, 64, 1, 1}, {"slow", 0, std::nullopt, 1, 9}};
  for (Buffer &one : p.buffers)
    one.pools = {0, 1};
  p.aliases = {{2, 1, 16}};
  Plan plan = std::get<Plan>(solve(p));
  const Problem before = p;
  addClassicUse(p, plan);
  EXPECT_TRUE(p == before);
  EXPECT_EQ(plan.placements[1].pool, 0);
  EXPECT_EQ(plan.pools[0].classicBytes, 60);
  EXPECT_EQ(plan.pools[1].classicBytes, 100);
}

TEST(ClassicUse, NoFigureWhereTheStrategyHasNoPlan) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(classicUse(problemOf({buffer("a", {{0, 2}}, most),
                                    buffer("b", {{0, 2}}, most)}))
                  .empty());
}

TEST(Solve, NonsenseIsReturnedAsErrors) {
  Problem p = chain();
  p.buffers[1].sizeBytes = -1;
  const SolveResult result = solve(p);
  ASSERT_TRUE(std::holds_alternative<InvalidProblem>(result));
  EXPECT_EQ(std::get<InvalidProblem>(result).errors[0].buffer, 1);

  const SolveResult unknown = solveWith(chain(), "worst-fit");
  ASSERT_TRUE(std::holds_alternative<InvalidProblem>(unknown));
  EXPECT_THAT(std::get<InvalidProblem>(unknown).errors[0].message,
              HasSubstr("unknown strategy 'worst-fit'; there are auto, best"));
}

TEST(Solve, AliasesSitInTheirRoot) {
  Problem p = problemOf({buffer("root", {{0, 4}}, 64), buffer("m", {{1, 3}}, 8),
                         buffer("other", {{0, 4}}, 64)});
  p.aliases = {{1, 0, 24}};
  const std::vector<int64_t> at = offsetsOf(solve(p));
  ASSERT_EQ(at.size(), 3u);
  EXPECT_EQ(at[1], at[0] + 24);
}

TEST(Solve, TheBoundAloneIsOver) {
  Problem p = chain();
  p.pools[0].capacityBytes = 149;
  const SolveResult result = solve(p);
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->boundExceeds);
  EXPECT_EQ(failure->needBytes, 150);
  EXPECT_EQ(failure->haveBytes, 149);
  EXPECT_EQ(failure->peakStep, 1);
  EXPECT_THAT(failure->witness, ElementsAre(0, 1));
  EXPECT_EQ(failure->strategy, "auto");
}

TEST(Solve, OnlyThePackingIsOver) {
  Problem p = chain();
  p.pools[0].capacityBytes = 200;
  const SolveResult result = solveWith(p, "sequential");
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_FALSE(failure->boundExceeds);
  EXPECT_EQ(failure->needBytes, 250);
  EXPECT_EQ(failure->haveBytes, 200);
  EXPECT_FALSE(failure->witness.empty());
  EXPECT_TRUE(std::holds_alternative<Plan>(solveWith(p, "best-fit")));
}

/// "sram" of 100 bytes before "ddr".
Problem twoPools(std::vector<Buffer> buffers) {
  Problem p;
  p.pools = {{"sram", 0, 100, 1, 0}, {"ddr", 1 << 20, std::nullopt, 1, 0}};
  p.buffers = std::move(buffers);
  for (Buffer &b : p.buffers)
    b.pools = {0, 1};
  return p;
}

std::vector<PoolId> poolsOf(const SolveResult &result) {
  std::vector<PoolId> pools;
  if (const auto *plan = std::get_if<Plan>(&result))
    for (const Placement &at : plan->placements)
      pools.push_back(at.pool);
  return pools;
}

TEST(Solve, WhatFitsStaysInTheFirstPool) {
  EXPECT_THAT(poolsOf(solve(twoPools(
                  {buffer("a", {{0, 2}}, 60), buffer("b", {{2, 4}}, 60)}))),
              ElementsAre(0, 0));
}

TEST(Solve, TheLargestOfThePeakMovesOn) {
  const Problem p =
      twoPools({buffer("a", {{0, 4}}, 30), buffer("b", {{1, 3}}, 50),
                buffer("c", {{1, 3}}, 40), buffer("d", {{3, 4}}, 70)});
  EXPECT_THAT(poolsOf(solve(p)), ElementsAre(0, 1, 0, 0));
}

TEST(Solve, PinnedBuffersStayWhereTheyAre) {
  Problem p = twoPools({buffer("a", {{0, 2}}, 60), buffer("b", {{0, 2}}, 50)});
  p.buffers[0].pin = Pin{0, 10};
  EXPECT_THAT(poolsOf(solve(p)), ElementsAre(0, 1));
  p.buffers[0].pin = Pin{1, 10};
  EXPECT_THAT(poolsOf(solve(p)), ElementsAre(1, 0));
}

TEST(Solve, WithoutAFurtherCandidateItDoesNotFit) {
  Problem p = twoPools({buffer("a", {{0, 2}}, 60), buffer("b", {{0, 2}}, 50)});
  p.buffers[0].pools = {0};
  p.buffers[1].pools = {0};
  const SolveResult result = solve(p);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(result));
  EXPECT_EQ(std::get<Infeasible>(result).pool, 0);
  EXPECT_EQ(std::get<Infeasible>(result).needBytes, 110);
}

TEST(Solve, AliasClassesMoveTogether) {
  Problem p = twoPools({buffer("a", {{0, 4}}, 80), buffer("m", {{1, 2}}, 8),
                        buffer("b", {{0, 4}}, 30)});
  p.aliases = {{1, 0, 8}};
  EXPECT_THAT(poolsOf(solve(p)), ElementsAre(1, 1, 0));
}

/// Offsets of coarse alignments leave 62 bits long before sizes do.
TEST(Solve, ProvesWhatIsAbove62Bits) {
  const int64_t coarse = int64_t(1) << 61;
  Problem p = problemOf(
      {buffer("a", {{0, 1}}, 1, coarse), buffer("b", {{0, 2}}, 1),
       buffer("c", {{0, 1}}, 1, coarse), buffer("d", {{0, 1}}, 1, coarse)});
  for (const char *strategy : {"auto", "exact"}) {
    const SolveResult result = solveWith(p, strategy);
    const Plan *plan = std::get_if<Plan>(&result);
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->pools[0].usedBytes, 2 * coarse + 1);
    EXPECT_EQ(plan->proof, Proof::Optimal);
  }
  SolveOptions fit;
  fit.fitIsEnough = true;
  p.pools[0].capacityBytes = 2 * coarse + 1;
  EXPECT_TRUE(std::holds_alternative<Plan>(solve(p, fit)));
  p.pools[0].capacityBytes = 2 * coarse;
  const SolveResult over = solve(p, fit);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(over));
  EXPECT_TRUE(std::get<Infeasible>(over).isCertain());
}

TEST(Solve, EndsWhereNothingDoesWithin63Bits) {
  const int64_t coarse = int64_t(1) << 62;
  const Problem p = problemOf(
      {buffer("a", {{0, 1}}, 1, coarse), buffer("b", {{0, 1}}, 1, coarse),
       buffer("c", {{0, 1}}, 1, coarse), buffer("d", {{0, 1}}, 1)});
  for (const char *strategy : {"auto", "exact"})
    EXPECT_TRUE(std::holds_alternative<Infeasible>(solveWith(p, strategy)))
        << strategy;
}

TEST(Solve, ManyBuffersThatDoNotFitAreMovedInReasonableTime) {
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < 20000; ++i)
    buffers.push_back(buffer("", {{i, i + 3}}, 1 + i % 90));
  const SolveResult result = solve(twoPools(std::move(buffers)));
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  const Plan &plan = std::get<Plan>(result);
  EXPECT_LE(plan.pools[0].usedBytes, 100);
  EXPECT_GT(plan.pools[0].usedBytes, 80);
}

TEST(Solve, WinnersOfSeveralPoolsAreAllNamed) {
  Problem p = twoPools({buffer("a", {{0, 2}}, 60), buffer("b", {{0, 2}}, 90)});
  const SolveResult result = solve(p);
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  EXPECT_EQ(std::get<Plan>(result).winner, "skyline");
}

} // namespace

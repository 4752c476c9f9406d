//===- StrategiesPropertyTest.cpp - What holds for every strategy ---------===//
//
// Random problems of every family, solved by every strategy of the registry:
// a strategy that registers itself is tested without a change here.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/RandomProblems.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr uint64_t kSeeds = 25;

SolveOptions optionsFor(const Strategy *strategy) {
  SolveOptions options;
  options.strategy = std::string(strategy->name);
  // The properties hold at any limit; a small one keeps the test short.
  options.nodeLimit = 2000;
  return options;
}

int64_t totalUsed(const Plan &plan) {
  int64_t sum = 0;
  for (const PoolUse &use : plan.pools)
    sum += use.usedBytes;
  return sum;
}

std::string describe(const SolveResult &result) {
  if (const auto *bad = std::get_if<InvalidProblem>(&result))
    return "invalid problem: " + bad->errors.front().message;
  if (const auto *bad = std::get_if<InvalidPlan>(&result))
    return "invalid plan: " + bad->violations.front();
  return std::holds_alternative<Plan>(result) ? "plan" : "infeasible";
}

/// A legal problem has a plan or does not fit; nothing else may come out.
void expectSoundPlan(const Problem &problem, const Plan &plan) {
  EXPECT_EQ(brokenInvariants(problem, plan), std::set<int>());
  for (size_t pool = 0; pool < plan.pools.size(); ++pool) {
    const LiveBound bound = liveBound(problem, PoolId(pool));
    EXPECT_EQ(plan.pools[pool].lowerBoundBytes, bound.bytes);
    EXPECT_GE(plan.pools[pool].usedBytes, bound.bytes);
    EXPECT_GE(bound.bytes, plainLiveSum(problem, PoolId(pool)));
  }
}

void expectSoundFailure(const Problem &problem, const Infeasible &failure) {
  const Pool &pool = problem.pools[failure.pool];
  ASSERT_TRUE(pool.capacityBytes);
  EXPECT_EQ(failure.haveBytes, *pool.capacityBytes);
  EXPECT_GT(failure.needBytes, failure.haveBytes);
  EXPECT_FALSE(failure.witness.empty());
  if (failure.boundExceeds) {
    EXPECT_GT(liveBound(problem, failure.pool).bytes, failure.haveBytes);
  }
}

class EveryStrategy : public testing::TestWithParam<Family> {};

TEST_P(EveryStrategy, IsValidBoundedAndDeterministic) {
  int64_t plans = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Problem problem = randomProblem(GetParam(), seed);
    ASSERT_TRUE(check(problem).empty()) << check(problem).front().message;
    for (const Strategy *strategy : StrategyRegistry::all()) {
      SCOPED_TRACE(std::string(strategy->name) + ", seed " +
                   std::to_string(seed));
      const SolveOptions options = optionsFor(strategy);
      const SolveResult result = solve(problem, options);
      const SolveResult again = solve(problem, options);
      ASSERT_EQ(result.index(), again.index());
      if (const auto *plan = std::get_if<Plan>(&result)) {
        ++plans;
        expectSoundPlan(problem, *plan);
        EXPECT_EQ(printPlanJson(problem, *plan),
                  printPlanJson(problem, std::get<Plan>(again)));
      } else if (const auto *failure = std::get_if<Infeasible>(&result)) {
        expectSoundFailure(problem, *failure);
      } else {
        FAIL() << describe(result);
      }
      if (HasFailure())
        FAIL() << printProblemJson(problem);
    }
  }
  EXPECT_GT(plans, int64_t(kSeeds));
}

TEST_P(EveryStrategy, IsNeverBetterThanAuto) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Problem problem = randomProblem(GetParam(), seed);
    // With a choice of pools, a better packing of one may worsen another.
    const bool hasChoice = std::any_of(
        problem.buffers.begin(), problem.buffers.end(),
        [](const Buffer &buffer) { return buffer.pools.size() > 1; });
    if (hasChoice)
      continue;
    const SolveResult best =
        solve(problem, optionsFor(StrategyRegistry::find("auto")));
    for (const Strategy *strategy : StrategyRegistry::all()) {
      if (!strategy->inAuto)
        continue;
      SCOPED_TRACE(std::string(strategy->name) + ", seed " +
                   std::to_string(seed));
      const SolveResult result = solve(problem, optionsFor(strategy));
      const Plan *plan = std::get_if<Plan>(&result);
      if (!plan)
        continue;
      ASSERT_TRUE(std::holds_alternative<Plan>(best));
      EXPECT_LE(totalUsed(std::get<Plan>(best)), totalUsed(*plan));
    }
  }
}

TEST_P(EveryStrategy, LargerProblemsToo) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Problem problem = randomProblem(GetParam(), seed, 200);
    ASSERT_TRUE(check(problem).empty());
    for (const Strategy *strategy : StrategyRegistry::all()) {
      SCOPED_TRACE(std::string(strategy->name) + ", seed " +
                   std::to_string(seed));
      const SolveResult result = solve(problem, optionsFor(strategy));
      if (const auto *plan = std::get_if<Plan>(&result))
        EXPECT_EQ(brokenInvariants(problem, *plan), std::set<int>());
      else if (const auto *failure = std::get_if<Infeasible>(&result))
        expectSoundFailure(problem, *failure);
      else
        FAIL() << describe(result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryStrategy,
                         testing::ValuesIn(allFamilies()),
                         [](const auto &info) {
                           return familyName(info.param);
                         });

} // namespace

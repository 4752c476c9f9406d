//===- PoolsPropertyTest.cpp - Random problems with several tight pools ---===//
//
// Whatever the policy, a plan is valid, by the validator and by the oracle, or
// there is a refusal. On small problems all choices are tried by brute force.
//
//===----------------------------------------------------------------------===//

#include "lib/Planning/Pools/PoolChoice.h"
#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/PoolBruteForce.h"
#include "tests/property/planning/RandomProblems.h"

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

SolveResult solved(const Problem &problem, PoolPolicy policy,
                   const std::string &strategy = "skyline",
                   int64_t nodeLimit = 20'000) {
  SolveOptions options;
  options.strategy = strategy;
  options.poolPolicy = policy;
  options.nodeLimit = nodeLimit;
  return solve(problem, options);
}

const Plan *planOf(const SolveResult &result) {
  return std::get_if<Plan>(&result);
}

/// A plan that everybody accepts, or a refusal; never a broken plan.
void expectSound(const Problem &problem, const SolveResult &result) {
  EXPECT_FALSE(std::holds_alternative<InvalidProblem>(result));
  EXPECT_FALSE(std::holds_alternative<InvalidPlan>(result));
  const Plan *plan = planOf(result);
  if (!plan)
    return;
  EXPECT_TRUE(validate(problem, *plan).empty());
  EXPECT_EQ(brokenInvariants(problem, *plan), std::set<int>());
}

TEST(Pools, EveryPolicyIsSoundAndValueNeverDearerThanOrder) {
  int numPlans = 0, numRefused = 0, numCheaper = 0, numReserved = 0;
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = randomProblem(Family::Memories, seed, 12);
    ASSERT_TRUE(check(problem).empty()) << check(problem)[0].message;
    const SolveResult byOrder = solved(problem, PoolPolicy::Order);
    const SolveResult byValue = solved(problem, PoolPolicy::Value);
    expectSound(problem, byOrder);
    expectSound(problem, byValue);
    if (seed % 10 == 0) {
      expectSound(problem, solved(problem, PoolPolicy::Auto, "auto"));
      expectSound(problem, solved(problem, PoolPolicy::Exact, "best-fit"));
    }
    const Plan *order = planOf(byOrder), *value = planOf(byValue);
    numPlans += order != nullptr;
    numRefused += order == nullptr;
    ASSERT_TRUE(value || !order);
    if (!order)
      continue;
    for (const Pool &pool : problem.pools)
      numReserved += !pool.reserved.empty();
    const int64_t before = accessCostOf(problem, *order);
    const int64_t after = accessCostOf(problem, *value);
    EXPECT_LE(after, before);
    numCheaper += after < before;
  }
  EXPECT_GT(numPlans, 1000);
  EXPECT_GT(numRefused, 300);
  EXPECT_GT(numCheaper, 200);
  EXPECT_GT(numReserved, 300);
}

TEST(Pools, EveryStrategyIsSound) {
  for (const Strategy *strategy : StrategyRegistry::all())
    for (uint64_t seed = 5000; seed <= 5120; ++seed) {
      SCOPED_TRACE(std::string(strategy->name) + " " + std::to_string(seed));
      const Problem problem = randomProblem(Family::Memories, seed, 16);
      for (PoolPolicy policy : {PoolPolicy::Order, PoolPolicy::Value})
        expectSound(problem,
                    solved(problem, policy, std::string(strategy->name), 2000));
    }
}

TEST(Pools, AfterOrderNothingCouldMoveUp) {
  int numMoved = 0;
  for (uint64_t seed = 1; seed <= 5000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem = randomProblem(Family::Memories, seed, 10);
    const SolveResult result = solved(problem, PoolPolicy::Order);
    const Plan *plan = planOf(result);
    if (!plan)
      continue;
    EXPECT_EQ(whoCouldMoveUp(problem, *plan), -1);
    for (size_t id = 0; id < problem.buffers.size(); ++id)
      numMoved += plan->placements[id].pool != problem.buffers[id].pools[0];
  }
  EXPECT_GT(numMoved, 500);
}

TEST(Pools, ExactAgreesWithBruteForce) {
  int numFit = 0, numNot = 0, numBetter = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        randomProblem(Family::Memories, seed, 3 + int64_t(seed % 5));
    const std::optional<int64_t> least = leastAccessCost(problem);
    const SolveResult result =
        solved(problem, PoolPolicy::Exact, "exact", 10'000'000);
    expectSound(problem, result);
    const Plan *plan = planOf(result);
    ASSERT_EQ(plan != nullptr, least.has_value());
    if (!plan) {
      ++numNot;
      const auto &failure = std::get<Infeasible>(result);
      EXPECT_TRUE(failure.boundExceeds || failure.isProved ||
                  namesMembers(problem));
      continue;
    }
    ++numFit;
    EXPECT_EQ(accessCostOf(problem, *plan), *least);
    if (!plan->poolPolicy.empty() && !namesMembers(problem)) {
      EXPECT_TRUE(plan->costProof == Proof::Optimal ||
                  plan->costProof == Proof::LowerBound);
    }
    const SolveResult byValue = solved(problem, PoolPolicy::Value);
    if (const Plan *value = planOf(byValue)) {
      EXPECT_GE(accessCostOf(problem, *value), *least);
    }
    const SolveResult byOrder = solved(problem, PoolPolicy::Order);
    if (const Plan *order = planOf(byOrder))
      numBetter += accessCostOf(problem, *order) > *least;
  }
  EXPECT_GT(numFit, 700);
  EXPECT_GT(numNot, 300);
  // Else the search has nothing to do.
  EXPECT_GT(numBetter, 100);
}

/// Without what other policies have found, so that its own bounds decide what
/// it never looks at.
TEST(Pools, ExactAloneAgreesWithBruteForce) {
  int numFit = 0;
  for (uint64_t seed = 20'001; seed <= 24'000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        randomProblem(Family::Memories, seed, 4 + int64_t(seed % 4));
    SolveOptions options;
    options.nodeLimit = 10'000'000;
    PoolChoice choice({problem, *StrategyRegistry::find("skyline"), options});
    if (choice.choosers.empty())
      continue;
    const ExactChoice found = chooseExactly(choice, nullptr);
    const std::optional<int64_t> least = leastAccessCost(problem);
    if (!namesMembers(problem)) {
      ASSERT_EQ(found.proof, Proof::Optimal);
    }
    ASSERT_EQ(found.best.has_value(), least.has_value());
    if (!least)
      continue;
    EXPECT_EQ(choice.costOf(*found.best), *least);
    ++numFit;
  }
  EXPECT_GT(numFit, 700);
}

/// The default finds a plan for a small problem whenever there is one.
TEST(Pools, AutoMissesNoSmallProblemThatFits) {
  int numFound = 0;
  for (uint64_t seed = 10'001; seed <= 15'000; ++seed) {
    SCOPED_TRACE(seed);
    const Problem problem =
        randomProblem(Family::Memories, seed, 3 + int64_t(seed % 5));
    const SolveResult result =
        solved(problem, PoolPolicy::Auto, "auto", 10'000'000);
    expectSound(problem, result);
    EXPECT_EQ(planOf(result) != nullptr, leastAccessCost(problem).has_value());
    if (const Plan *plan = planOf(result))
      numFound += plan->poolPolicy == "exact";
  }
  EXPECT_GT(numFound, 0);
}

} // namespace

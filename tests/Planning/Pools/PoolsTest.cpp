//===- PoolsTest.cpp - Several pools with limits, costs and rights --------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// "tcm" of 100 bytes at cost 1, "sram" of 200 at 4, "ddr" without limit at 20.
Problem threePools(std::vector<Buffer> buffers) {
  Problem p;
  p.pools.resize(3);
  p.pools[0].name = "tcm";
  p.pools[0].capacityBytes = 100;
  p.pools[0].accessCost = 1;
  p.pools[1].name = "sram";
  p.pools[1].capacityBytes = 200;
  p.pools[1].accessCost = 4;
  p.pools[2].name = "ddr";
  p.pools[2].accessCost = 20;
  p.buffers = std::move(buffers);
  for (Buffer &b : p.buffers)
    b.pools = {0, 1, 2};
  return p;
}

Buffer accessed(std::string name, Interval life, int64_t size,
                int64_t accesses) {
  Buffer b = buffer(std::move(name), {life}, size);
  b.accesses = accesses;
  return b;
}

Plan planBy(const Problem &problem, PoolPolicy policy) {
  SolveOptions options;
  options.poolPolicy = policy;
  const SolveResult result = solve(problem, options);
  if (const Plan *plan = std::get_if<Plan>(&result)) {
    EXPECT_TRUE(validate(problem, *plan).empty());
    return *plan;
  }
  ADD_FAILURE() << "no plan by " << poolPolicyName(policy);
  Plan none;
  none.placements.resize(problem.buffers.size());
  none.pools.resize(problem.pools.size());
  return none;
}

Infeasible failureOf(const Problem &problem,
                     PoolPolicy policy = PoolPolicy::Auto) {
  SolveOptions options;
  options.poolPolicy = policy;
  const SolveResult result = solve(problem, options);
  if (const auto *failure = std::get_if<Infeasible>(&result))
    return *failure;
  ADD_FAILURE() << "not infeasible";
  return {};
}

std::vector<PoolId> poolsOf(const Plan &plan) {
  std::vector<PoolId> pools;
  for (const Placement &at : plan.placements)
    pools.push_back(at.pool);
  return pools;
}

TEST(Accesses, ByDefaultEachReadAndOneWrite) {
  Buffer b = buffer("b", {{0, 4}}, 10);
  EXPECT_EQ(accessesOf(b), 2);
  b.readSteps = {1, 2, 3};
  EXPECT_EQ(accessesOf(b), 4);
  b.kind = BufferKind::Weight;
  EXPECT_EQ(accessesOf(b), 3);
  EXPECT_EQ(servedBytes(b), 30);
  b.accesses = 0;
  EXPECT_EQ(servedBytes(b), 0);
  b.accesses = int64_t(1) << 40;
  b.sizeBytes = int64_t(1) << 40;
  EXPECT_EQ(servedBytes(b), INT64_MAX);
}

TEST(PoolPolicy, NamesComeBack) {
  for (PoolPolicy policy : {PoolPolicy::Auto, PoolPolicy::Order,
                            PoolPolicy::Value, PoolPolicy::Exact})
    EXPECT_EQ(poolPolicyOfName(poolPolicyName(policy)), policy);
  EXPECT_EQ(poolPolicyOfName("fastest"), std::nullopt);
}

TEST(PoolPolicy, TheMostAccessedIsInTheFastPool) {
  // Order moves the largest on, which is what is accessed most.
  const Problem p = threePools({accessed("hot", {0, 2}, 90, 50),
                                accessed("cold", {0, 2}, 80, 1),
                                accessed("warm", {0, 2}, 70, 10)});
  const Plan order = planBy(p, PoolPolicy::Order);
  EXPECT_THAT(poolsOf(order), ElementsAre(1, 1, 0));
  EXPECT_EQ(order.poolPolicy, "order");
  EXPECT_EQ(order.accessCost, 90 * 50 * 4 + 80 * 4 + 70 * 10);
  for (PoolPolicy policy :
       {PoolPolicy::Auto, PoolPolicy::Value, PoolPolicy::Exact}) {
    const Plan plan = planBy(p, policy);
    EXPECT_THAT(poolsOf(plan), ElementsAre(0, 1, 1));
    EXPECT_EQ(plan.accessCost, 90 * 50 + 80 * 4 + 70 * 10 * 4);
  }
  EXPECT_EQ(planBy(p, PoolPolicy::Auto).poolPolicy, "value");
  EXPECT_EQ(planBy(p, PoolPolicy::Exact).costProof, Proof::Optimal);
}

TEST(PoolPolicy, CostCountsAndNotTheOrderOfCandidates) {
  Problem p = threePools({accessed("a", {0, 2}, 50, 5)});
  p.buffers[0].pools = {2, 0};
  EXPECT_THAT(poolsOf(planBy(p, PoolPolicy::Order)), ElementsAre(2));
  const Plan value = planBy(p, PoolPolicy::Auto);
  EXPECT_THAT(poolsOf(value), ElementsAre(0));
  EXPECT_EQ(value.costProof, Proof::LowerBound);
}

TEST(PoolPolicy, WithoutCostsTheOrderCounts) {
  Problem p = threePools(
      {accessed("hot", {0, 2}, 90, 50), accessed("cold", {0, 2}, 80, 1)});
  for (Pool &pool : p.pools)
    pool.accessCost = 7;
  EXPECT_EQ(planBy(p, PoolPolicy::Auto).poolPolicy, "order");
  // Asked for, value makes the sum of bytes times places small.
  EXPECT_THAT(poolsOf(planBy(p, PoolPolicy::Value)), ElementsAre(0, 1));
}

TEST(PoolPolicy, NothingToChooseIsNoPolicy) {
  const Plan plan =
      planBy(problemOf({buffer("a", {{0, 1}}, 8)}), PoolPolicy::Value);
  EXPECT_EQ(plan.poolPolicy, "");
  EXPECT_EQ(plan.costProof, Proof::None);
}

/// x alone fills the fast pool; a and b together are worth more.
TEST(PoolPolicy, TwoSmallOnesMayBeWorthMoreThanOne) {
  const Problem p =
      threePools({accessed("x", {0, 4}, 100, 9), accessed("a", {0, 4}, 50, 10),
                  accessed("b", {0, 4}, 50, 10)});
  EXPECT_THAT(poolsOf(planBy(p, PoolPolicy::Value)), ElementsAre(1, 0, 0));
}

/// The densest leaves no room for two others that are worth more together; a
/// search finds out.
TEST(PoolPolicy, ExactLooksBeyondDensity) {
  const Problem p = threePools({accessed("dense", {0, 4}, 60, 11),
                                accessed("a", {0, 4}, 50, 10),
                                accessed("b", {0, 4}, 50, 10)});
  const Plan plan = planBy(p, PoolPolicy::Exact);
  EXPECT_THAT(poolsOf(plan), ElementsAre(1, 0, 0));
  EXPECT_EQ(plan.costProof, Proof::Optimal);
}

TEST(PoolPolicy, HugeCostsStopAt63Bits) {
  Problem p = threePools({accessed("a", {0, 2}, 60, INT64_MAX),
                          accessed("b", {0, 2}, 60, INT64_MAX)});
  p.pools[2].accessCost = INT64_MAX;
  for (PoolPolicy policy : {PoolPolicy::Value, PoolPolicy::Exact})
    EXPECT_EQ(planBy(p, policy).accessCost, INT64_MAX);
}

/// b goes on because a and b are too much at step 1; c, which is too large
/// beside a, leaves a hole that b fits into once c is gone.
TEST(MovingBack, WhatFitsAGapComesBack) {
  Problem p = threePools({buffer("a", {{0, 4}}, 40), buffer("b", {{1, 3}}, 50),
                          buffer("c", {{1, 3}}, 60)});
  EXPECT_THAT(poolsOf(planBy(p, PoolPolicy::Order)), ElementsAre(0, 0, 1));
}

TEST(Reserved, NobodyUsesThem) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 30), buffer("b", {{0, 2}}, 30),
                         buffer("c", {{1, 3}}, 20)},
                        100);
  p.pools[0].reserved = {{0, 10}, {40, 50}};
  for (const Strategy *strategy : StrategyRegistry::all()) {
    SCOPED_TRACE(std::string(strategy->name));
    const SolveResult result = solveWith(p, std::string(strategy->name));
    ASSERT_TRUE(std::holds_alternative<Plan>(result));
    const Plan &plan = std::get<Plan>(result);
    EXPECT_TRUE(validate(p, plan).empty());
    // 10 + 30 + 10 + 30 + 20: the reserved bytes below are part of the bound.
    EXPECT_EQ(plan.pools[0].usedBytes, 100);
    EXPECT_EQ(plan.pools[0].lowerBoundBytes, 100);
  }
  p.pools[0].capacityBytes = 99;
  const SolveResult over = solve(p);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(over));
  EXPECT_TRUE(std::get<Infeasible>(over).boundExceeds);
  EXPECT_THAT(std::get<Infeasible>(over).witness, ElementsAre(0, 1, 2));
}

/// A range far above what is needed is no reason to be content with less.
TEST(Reserved, ThoseThatNobodyReachesDoNotCount) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 30), buffer("b", {{1, 3}}, 30),
                         buffer("c", {{2, 4}}, 30)},
                        1000);
  p.pools[0].reserved = {{900, 1000}};
  const SolveResult result = solve(p);
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  EXPECT_EQ(std::get<Plan>(result).pools[0].usedBytes, 60);
  EXPECT_EQ(std::get<Plan>(result).proof, Proof::LowerBound);
  // What reaches the end of the pool is its end.
  p.buffers[0].sizeBytes = 880;
  const SolveResult over = solve(p);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(over));
  EXPECT_EQ(std::get<Infeasible>(over).haveBytes, 1000);
}

/// However far a capacity reaches: what is asked of strategies then has the
/// ranges above the plan, too.
TEST(Reserved, BelowACapacityFarAboveThem) {
  for (int64_t capacity : {13, 14, 17, 19, 20, 1000}) {
    Problem p = problemOf({buffer("a", {{0, 2}}, 6), buffer("b", {{1, 3}}, 5)},
                          capacity);
    p.pools[0].reserved = {{7, 9}, {17, 19}};
    for (const Strategy *strategy : StrategyRegistry::all()) {
      SCOPED_TRACE(std::string(strategy->name) + " " +
                   std::to_string(capacity));
      SolveOptions options;
      options.strategy = std::string(strategy->name);
      options.fitIsEnough = true;
      const SolveResult result = solve(p, options);
      ASSERT_EQ(std::holds_alternative<Plan>(result), capacity >= 14);
      if (capacity >= 14) {
        EXPECT_EQ(std::get<Plan>(result).pools[0].usedBytes, 14);
      }
    }
  }
}

TEST(Reserved, APackingThatReachesThemIsProvedToHaveTo) {
  // 60 bytes do not fit below 50 in one piece with b, so all end above 70.
  Problem p = problemOf({buffer("a", {{0, 2}}, 40), buffer("b", {{0, 2}}, 20)});
  p.pools[0].reserved = {{50, 70}};
  const SolveResult result = solveWith(p, "exact");
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  EXPECT_EQ(std::get<Plan>(result).pools[0].usedBytes, 90);
}

TEST(ReadOnly, OnlyWeightsGoThere) {
  Problem p = threePools({buffer("w", {{0, 4}}, 60), buffer("x", {{0, 2}}, 60),
                          buffer("in", {{0, 2}}, 10)});
  p.pools[0].access = PoolAccess::ReadOnly;
  p.buffers[0].kind = BufferKind::Weight;
  p.buffers[2].kind = BufferKind::Input;
  for (PoolPolicy policy :
       {PoolPolicy::Order, PoolPolicy::Value, PoolPolicy::Exact})
    EXPECT_THAT(poolsOf(planBy(p, policy)), ElementsAre(0, 1, 1));
}

TEST(ReadOnly, WhatIsWrittenMustNotBeTiedToIt) {
  auto errorOf = [](const Problem &p) {
    const auto errors = check(p);
    return errors.size() == 1 ? errors[0].message
                              : std::to_string(errors.size()) + " errors";
  };
  Problem p = threePools({buffer("x", {{0, 2}}, 60), buffer("m", {{0, 1}}, 8)});
  p.pools[0].access = PoolAccess::ReadOnly;
  p.buffers[0].pools = {0};
  EXPECT_THAT(errorOf(p), HasSubstr("buffer 'x' is no weight, but may only "
                                    "live in the read-only pool 'tcm'"));
  p.buffers[0].pools = {0, 1};
  EXPECT_EQ(errorOf(p), "0 errors");
  p.buffers[0].pin = Pin{0, 8};
  EXPECT_THAT(errorOf(p), HasSubstr("buffer 'x' is pinned to the read-only "
                                    "pool 'tcm', but is no weight"));
  // A weight with something inside it that is written is written.
  p.buffers[0].pin.reset();
  p.buffers[0].kind = BufferKind::Weight;
  p.aliases = {{1, 0, 8}};
  EXPECT_THAT(poolsOf(planBy(p, PoolPolicy::Order)), ElementsAre(1, 1));
  p.buffers[0].pools = {0};
  EXPECT_THAT(errorOf(p), HasSubstr("no pool in common where all may be"));
}

TEST(Pools, CheckOfReservedRangesAndAccesses) {
  auto errorAfter = [](auto change) {
    Problem p = threePools({buffer("x", {{0, 2}}, 60)});
    change(p);
    const auto errors = check(p);
    return errors.size() == 1 ? errors[0].message
                              : std::to_string(errors.size()) + " errors";
  };
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].reserved = {{4, 4}}; }),
              HasSubstr("pool 'tcm' has the empty reserved range [4,4)"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.pools[0].reserved = {{-4, 4}}; }),
              HasSubstr("negative reserved range [-4,4)"));
  EXPECT_THAT(
      errorAfter([](Problem &p) { p.pools[0].reserved = {{4, 9}, {8, 10}}; }),
      HasSubstr("unsorted or overlap: [4,9) and [8,10)"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[0].accesses = -1; }),
              HasSubstr("buffer 'x' has the negative number of accesses -1"));
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.pools[0].reserved = {{50, 60}};
                p.buffers[0].pin = Pin{0, 0};
              }),
              HasSubstr("buffer 'x' is pinned onto the reserved bytes [50,60) "
                        "of pool 'tcm'"));
  EXPECT_EQ(errorAfter([](Problem &p) {
              p.pools[0].reserved = {{60, 80}, {80, 5000}};
              p.buffers[0].pin = Pin{0, 0};
            }),
            "0 errors");
  // What has no bytes may be at the border of reserved ones, not inside: not
  // between two of them either, nor between them and the pool's end.
  const auto errorOfPin = [&](int64_t offset) {
    return errorAfter([&](Problem &p) {
      p.pools[0].capacityBytes = 100;
      p.pools[0].reserved = {{50, 60}, {60, 70}, {90, 100}};
      p.buffers[0].sizeBytes = 0;
      p.buffers[0].pin = Pin{0, offset};
    });
  };
  for (int64_t offset : {0, 50, 70, 90})
    EXPECT_EQ(errorOfPin(offset), "0 errors") << offset;
  EXPECT_THAT(errorOfPin(55), HasSubstr("onto the reserved bytes [50,60)"));
  EXPECT_THAT(errorOfPin(60), HasSubstr("onto the reserved bytes [50,60)"));
  EXPECT_THAT(errorOfPin(100), HasSubstr("onto the reserved bytes [90,100)"));
}

TEST(Pools, TheRefereeKnowsRightsAndReservedRanges) {
  Problem p = threePools({buffer("x", {{0, 2}}, 60)});
  Plan plan;
  plan.placements = {{0, 10}};
  plan.pools = {{70, 0}, {0, 0}, {0, 0}};
  EXPECT_TRUE(validate(p, plan).empty());
  p.pools[0].reserved = {{0, 10}, {70, 80}};
  EXPECT_TRUE(validate(p, plan).empty());
  p.pools[0].reserved = {{69, 80}};
  ASSERT_EQ(validate(p, plan).size(), 1u);
  EXPECT_EQ(validate(p, plan)[0].invariant, 2);
  EXPECT_THAT(validate(p, plan)[0].message,
              HasSubstr("'x' at [10,70) has reserved bytes of pool 'tcm'"));
  p.pools[0].reserved.clear();
  p.pools[0].access = PoolAccess::ReadOnly;
  ASSERT_EQ(validate(p, plan).size(), 1u);
  EXPECT_EQ(validate(p, plan)[0].invariant, 1);
  p.buffers[0].kind = BufferKind::Weight;
  EXPECT_TRUE(validate(p, plan).empty());
}

/// a has to be in the first pool, b in the second, c in one of them: only where
/// b leaves room. First come finds it by moving on; a tie to the first does
/// not.
TEST(Pools, AutoTriesAllChoicesBeforeItGivesUp) {
  // First come keeps c, as the largest x moves on; but x fits nowhere else.
  Problem p =
      threePools({buffer("x", {{0, 2}}, 60), buffer("c", {{0, 2}}, 55)});
  p.pools.resize(2);
  p.pools[0].accessCost = p.pools[1].accessCost = 0;
  p.pools[1].capacityBytes = 55;
  p.buffers[0].pools = p.buffers[1].pools = {0, 1};
  EXPECT_FALSE(failureOf(p, PoolPolicy::Order).isProved);
  const Plan plan = planBy(p, PoolPolicy::Auto);
  EXPECT_THAT(poolsOf(plan), ElementsAre(0, 1));
  EXPECT_EQ(plan.poolPolicy, "exact");
  p.pools[1].capacityBytes = 54;
  EXPECT_TRUE(failureOf(p).isProved);
}

TEST(Remedies, WhatEachPoolWouldNeed) {
  Problem p = threePools({buffer("a", {{0, 2}}, 90), buffer("b", {{0, 2}}, 80),
                          buffer("c", {{0, 2}}, 70)});
  p.pools.resize(2);
  p.pools[1].capacityBytes = 100;
  for (Buffer &b : p.buffers)
    b.pools = {0, 1};
  const Infeasible failure = failureOf(p);
  EXPECT_TRUE(failure.isProved);
  const Remedies help = remedies(p, failure);
  ASSERT_EQ(help.capacities.size(), 2u);
  for (const PoolRequirement &one : help.capacities) {
    // Two of the three side by side, the smallest two.
    EXPECT_EQ(one.worksWithBytes, 150);
    EXPECT_EQ(one.haveBytes, 100);
    Problem larger = p;
    larger.pools[one.pool].capacityBytes = one.worksWithBytes;
    EXPECT_TRUE(std::holds_alternative<Plan>(solve(larger)));
    --*larger.pools[one.pool].capacityBytes;
    EXPECT_TRUE(std::holds_alternative<Infeasible>(solve(larger)));
  }
  ASSERT_EQ(help.toMove.size(), 1u);
  EXPECT_TRUE(help.isMovingEnough);
}

TEST(Remedies, OnePoolNeedsItsBound) {
  const Problem p =
      problemOf({buffer("a", {{0, 2}}, 60), buffer("b", {{1, 3}}, 50),
                 buffer("c", {{2, 4}}, 20)},
                100);
  const Remedies help = remedies(p, failureOf(p));
  ASSERT_EQ(help.capacities.size(), 1u);
  EXPECT_EQ(help.capacities[0].worksWithBytes, 110);
  EXPECT_EQ(help.capacities[0].atLeastBytes, 110);
  EXPECT_THAT(help.toMove, ElementsAre(0));
  EXPECT_TRUE(help.isMovingEnough);
}

TEST(Remedies, OnePoolMayNotHelpWhereTwoAreTooSmall) {
  Problem p =
      threePools({buffer("a", {{0, 2}}, 150), buffer("b", {{0, 2}}, 300)});
  p.buffers[0].pools = {0};
  p.buffers[1].pools = {1};
  const Remedies help = remedies(p, failureOf(p));
  ASSERT_EQ(help.capacities.size(), 2u);
  EXPECT_EQ(help.capacities[0].worksWithBytes, std::nullopt);
  EXPECT_EQ(help.capacities[1].worksWithBytes, std::nullopt);
  EXPECT_EQ(help.capacities[1].atLeastBytes, 300);
}

TEST(Explain, WhatEachPoolServes) {
  const Problem p = threePools(
      {accessed("hot", {0, 2}, 90, 50), accessed("cold", {0, 2}, 80, 1)});
  const Explanation why = explain(p);
  ASSERT_EQ(why.pools.size(), 3u);
  EXPECT_EQ(why.pools[0].packing->servedBytes, 4500);
  EXPECT_EQ(why.pools[1].packing->servedBytes, 80);
  EXPECT_EQ(why.pools[2].packing->servedBytes, 0);
  EXPECT_THAT(servedByPools(p, planBy(p, PoolPolicy::Value)),
              ElementsAre(4500, 80, 0));
}

TEST(Pools, ManyBuffersInThreePools) {
  std::vector<Buffer> buffers;
  for (int64_t i = 0; i < 20'000; ++i)
    buffers.push_back(
        accessed("", {i, i + 2 + i % 5}, 1 + i * 37 % 90, 1 + i * 11 % 17));
  const Problem p = threePools(std::move(buffers));
  SolveOptions options;
  options.strategy = "skyline";
  int64_t costs[2];
  for (PoolPolicy policy : {PoolPolicy::Order, PoolPolicy::Value}) {
    options.poolPolicy = policy;
    const SolveResult result = solve(p, options);
    ASSERT_TRUE(std::holds_alternative<Plan>(result));
    costs[policy == PoolPolicy::Value] = std::get<Plan>(result).accessCost;
  }
  EXPECT_LT(costs[1], costs[0] * 9 / 10);
}

} // namespace

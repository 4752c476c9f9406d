//===- OverlapsPropertyTest.cpp - Overlaps against all packings -----------===//
//
// Chains of a few buffers, each of which may overlap the one before from below,
// with others that are alive for longer: small enough to try every byte for
// every buffer.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/BruteForce.h"
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

constexpr uint64_t kSeeds = 600;

void addBuffer(Problem &problem, Draw &draw, const Interval &life) {
  Buffer buffer;
  buffer.name = "b" + std::to_string(problem.buffers.size());
  buffer.sizeBytes = draw.between(1, 5);
  buffer.alignment = draw.chance(25) ? draw.between(2, 3) : 1;
  buffer.lifespans = {life};
  problem.buffers.push_back(buffer);
}

Problem chain(uint64_t seed) {
  Draw draw(seed);
  Problem problem;
  problem.pools = {{"pool", 0, std::nullopt, 1, 0}};
  const int64_t links = draw.between(2, 3);
  for (int64_t i = 0; i < links; ++i)
    addBuffer(problem, draw, {i, i + 2});
  // A second result of the last step, or what waits beside the chain.
  if (draw.chance(60))
    addBuffer(problem, draw, {draw.between(0, links), links + 1});
  for (int64_t i = 1; i < links; ++i)
    if (draw.chance(80))
      problem.overlaps.push_back(
          {i, i - 1,
           draw.between(0, problem.buffers[size_t(i)].sizeBytes + 1)});
  if (draw.chance(15))
    problem.forbiddenSharing = {{0, links - 1}};
  return problem;
}

int64_t leastOf(const Problem &problem) {
  int64_t height = 0;
  while (!fitsAtSomeOffsets(problem, height))
    ++height;
  return height;
}

std::optional<Plan> planOf(const Problem &problem, std::string_view strategy) {
  SolveOptions options;
  options.strategy = std::string(strategy);
  options.nodeLimit = 10'000;
  SolveResult result = solve(problem, options);
  EXPECT_FALSE(std::holds_alternative<InvalidProblem>(result));
  EXPECT_FALSE(std::holds_alternative<InvalidPlan>(result));
  if (const auto *plan = std::get_if<Plan>(&result))
    return *plan;
  return std::nullopt;
}

TEST(Overlaps, EveryStrategyIsSoundAndTheLeastIsFound) {
  int64_t helped = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Problem problem = chain(seed);
    SCOPED_TRACE(printProblemJson(problem));
    const int64_t least = leastOf(problem);
    EXPECT_LE(liveBound(problem, 0).bytes, least);
    Problem apart = problem;
    apart.overlaps.clear();
    helped += least < leastOf(apart);
    for (const Strategy *strategy : StrategyRegistry::all()) {
      SCOPED_TRACE(std::string(strategy->name));
      const std::optional<Plan> plan = planOf(problem, strategy->name);
      ASSERT_TRUE(plan);
      EXPECT_TRUE(brokenInvariants(problem, *plan).empty());
      EXPECT_GE(plan->pools[0].usedBytes, least);
      const bool isProved =
          plan->proof == Proof::LowerBound || plan->proof == Proof::Optimal;
      EXPECT_TRUE(!isProved || plan->pools[0].usedBytes == least);
      if (strategy->sharesNothing || problem.overlaps.empty())
        continue;
      EXPECT_EQ(plan->pools[0].usedBytes, least);
      EXPECT_TRUE(isProved);
    }
    if (HasFailure())
      return;
  }
  EXPECT_GE(helped, int64_t(kSeeds) / 4);
}

TEST(Overlaps, CapacityDecides) {
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Problem problem = chain(seed);
    const int64_t least = leastOf(problem);
    problem.pools[0].capacityBytes = least;
    EXPECT_TRUE(planOf(problem, "auto")) << printProblemJson(problem);
    // So few are tried in all orders: nobody may say that more work helps.
    problem.pools[0].capacityBytes = least - 1;
    SolveOptions options;
    options.fitIsEnough = true;
    const SolveResult result = solve(problem, options);
    ASSERT_TRUE(std::holds_alternative<Infeasible>(result))
        << printProblemJson(problem);
    EXPECT_TRUE(std::get<Infeasible>(result).isCertain())
        << printProblemJson(problem);
  }
}

/// What a strategy that knows nothing of overlaps has shown not to fit may fit.
TEST(Overlaps, NothingIsProvedOverThatFits) {
  int64_t certain = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Problem problem = chain(seed);
    const int64_t least = leastOf(problem);
    for (int64_t capacity = 1; capacity <= least; ++capacity)
      for (const Strategy *strategy : StrategyRegistry::all()) {
        problem.pools[0].capacityBytes = capacity;
        SolveOptions options;
        options.strategy = std::string(strategy->name);
        const SolveResult result = solve(problem, options);
        const auto *failure = std::get_if<Infeasible>(&result);
        if (!failure || !failure->isCertain())
          continue;
        ++certain;
        EXPECT_LT(capacity, least)
            << strategy->name << printProblemJson(problem);
      }
  }
  EXPECT_GT(certain, 0);
}

/// The distance of an overlap that a plan makes use of to the byte, one larger.
TEST(Overlaps, OneByteTooNearIsRejected) {
  int64_t rejected = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Problem problem = chain(seed);
    const std::optional<Plan> plan = planOf(problem, "auto");
    ASSERT_TRUE(plan);
    EXPECT_TRUE(validate(problem, *plan).empty());
    for (size_t i = 0; i < problem.overlaps.size(); ++i) {
      const Overlap &pair = problem.overlaps[i];
      const int64_t lower = plan->placements[size_t(pair.lower)].offsetBytes;
      const int64_t upper = plan->placements[size_t(pair.upper)].offsetBytes;
      const int64_t size = problem.buffers[size_t(pair.lower)].sizeBytes;
      if (upper - lower != pair.distanceBytes || pair.distanceBytes >= size)
        continue;
      Problem further = problem;
      ++further.overlaps[i].distanceBytes;
      const std::vector<Violation> broken = validate(further, *plan);
      ASSERT_EQ(broken.size(), 1u) << printProblemJson(further);
      EXPECT_EQ(broken[0].invariant, 5);
      EXPECT_EQ(brokenInvariants(further, *plan), std::set<int>{5});
      ++rejected;
    }
  }
  EXPECT_GE(rejected, int64_t(kSeeds) / 4);
}

/// Longer chains: the bound holds, nobody is unsound, and a plan with overlaps
/// is never above the one without.
TEST(Overlaps, LongChains) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Draw draw(seed);
    Problem problem;
    problem.pools = {{"pool", 0, std::nullopt, 4, 0}};
    const int64_t links = draw.between(10, 60);
    for (int64_t i = 0; i < links; ++i) {
      addBuffer(problem, draw, {i, i + 2});
      problem.buffers.back().sizeBytes *= draw.between(1, 1000);
    }
    for (int64_t i = 1; i < links; ++i)
      problem.overlaps.push_back({i, i - 1, draw.between(0, 500)});
    Problem apart = problem;
    apart.overlaps.clear();
    for (const Strategy *strategy : StrategyRegistry::all()) {
      const std::optional<Plan> plan = planOf(problem, strategy->name);
      const std::optional<Plan> before = planOf(apart, strategy->name);
      ASSERT_TRUE(plan && before);
      EXPECT_TRUE(brokenInvariants(problem, *plan).empty()) << strategy->name;
      EXPECT_GE(plan->pools[0].usedBytes, liveBound(problem, 0).bytes);
      EXPECT_EQ(*plan, *planOf(problem, strategy->name));
      if (strategy->sharesNothing) {
        EXPECT_EQ(plan->placements, before->placements);
      }
    }
    EXPECT_LT(planOf(problem, "auto")->pools[0].usedBytes,
              planOf(apart, "auto")->pools[0].usedBytes);
  }
}

} // namespace

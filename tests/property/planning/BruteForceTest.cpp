//===- BruteForceTest.cpp - Every strategy against all packings -----------===//
//
// Tiny problems with every combination of alignments, gaps, pins, aliases,
// forbidden pairs and cyclic lives, small enough to try all packings.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/BruteForce.h"
#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/RandomProblems.h"
#include "tests/property/planning/SmallProblems.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// Of each of 64 combinations: 10,112 problems.
constexpr unsigned kAny = 79, kMissed = 79;
/// With reserved ranges: 1,920 more.
constexpr unsigned kReserved = 30;
/// So many seeds without what is looked for mean that the family is no good.
constexpr uint64_t kMostSeeds = 50'000;

void expectLeast(const Problem &problem, const Plan &plan, int64_t least) {
  EXPECT_EQ(plan.pools[0].usedBytes, least);
  if (least == plan.pools[0].lowerBoundBytes) {
    EXPECT_EQ(plan.proof, Proof::LowerBound);
  } else if (!namesMembers(problem)) {
    EXPECT_EQ(plan.proof, Proof::Optimal);
  }
}

/// Whatever is asked for by a capacity is found where minimising finds it, and
/// nowhere else; what is proved is true.
void expectFitAgrees(const Problem &problem, int64_t least) {
  for (const char *strategy : {"exact", "auto"})
    for (int64_t capacity : {least - 1, least, least + 1, 10 * least + 10}) {
      Problem limited = problem;
      limited.pools[0].capacityBytes = capacity;
      // A pin beyond it makes no sense.
      if (capacity < 0 || !check(limited).empty())
        continue;
      SolveOptions options;
      options.strategy = strategy;
      options.fitIsEnough = true;
      const SolveResult result = solve(limited, options);
      SCOPED_TRACE(std::string(strategy) + ", capacity " +
                   std::to_string(capacity));
      EXPECT_EQ(std::holds_alternative<Plan>(result), capacity >= least);
      const auto *failure = std::get_if<Infeasible>(&result);
      if (failure && !namesMembers(problem)) {
        EXPECT_TRUE(failure->isCertain());
      }
    }
}

void expectNoneBelow(const Problem &problem, int64_t least) {
  for (const Strategy *strategy : StrategyRegistry::all()) {
    SCOPED_TRACE(std::string(strategy->name));
    const bool isExact = strategy->name == "exact";
    SolveOptions options;
    options.strategy = std::string(strategy->name);
    options.nodeLimit = isExact ? options.nodeLimit : 2000;
    const SolveResult result = solve(problem, options);
    const Plan *plan = std::get_if<Plan>(&result);
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(brokenInvariants(problem, *plan), std::set<int>());
    EXPECT_GE(plan->pools[0].usedBytes, least);
    const bool isProved = plan->proof == Proof::Optimal;
    if (isExact || isProved || plan->proof == Proof::LowerBound)
      expectLeast(problem, *plan, least);
  }
}

void expectRight(const Problem &problem, int64_t least) {
  ASSERT_TRUE(check(problem).empty()) << check(problem).front().message;
  EXPECT_LE(liveBound(problem, 0).bytes, least);
  expectNoneBelow(problem, least);
  expectFitAgrees(problem, least);
  if (testing::Test::HasFailure())
    FAIL() << "least " << least << "\n" << printProblemJson(problem);
}

/// Only to choose problems: the search itself says so.
bool missesBound(const Problem &problem) {
  SolveOptions options;
  options.strategy = "exact";
  const SolveResult result = solve(problem, options);
  const Plan *plan = std::get_if<Plan>(&result);
  return !plan || plan->pools[0].usedBytes > plan->pools[0].lowerBoundBytes;
}

class BruteForce : public testing::TestWithParam<unsigned> {};

/// Where the bound is met, a search has little to get wrong: half of the
/// problems are such that it is not.
TEST_P(BruteForce, ExactIsTheLeastAndNothingIsBelow) {
  unsigned any = 0, missed = 0;
  for (uint64_t seed = 1; missed < kMissed; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LE(seed, kMostSeeds);
    const Problem problem =
        smallProblem(Features::fromBits(GetParam()), seed, 4 + seed % 5);
    const bool isMissed = missesBound(problem);
    if (!isMissed && any == kAny)
      continue;
    (isMissed ? missed : any) += 1;
    expectRight(problem, leastBytes(problem));
    if (HasFailure())
      return;
  }
}

TEST_P(BruteForce, AllOrdersFindWhatAllOffsetsDo) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Problem problem =
        smallProblem(Features::fromBits(GetParam()), seed, seed % 2 ? 3 : 4);
    if (seed > 4)
      problem.pools[0].reserved = {{2, 4}, {50, 60}};
    if (!check(problem).empty())
      continue;
    const int64_t least = leastBytes(problem);
    EXPECT_TRUE(fitsAtSomeOffsets(problem, least)) << printProblemJson(problem);
    EXPECT_FALSE(fitsAtSomeOffsets(problem, least - 1))
        << printProblemJson(problem);
  }
}

/// With ranges that nobody may use, at any height: below the plan, in its way,
/// and far above it, where a capacity may still reach them.
TEST_P(BruteForce, ReservedRanges) {
  unsigned count = 0;
  for (uint64_t seed = 1; count < kReserved; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ASSERT_LE(seed, kMostSeeds);
    Problem problem =
        smallProblem(Features::fromBits(GetParam()), seed, 3 + seed % 3);
    const int64_t free = leastBytes(problem);
    Draw draw(seed);
    std::vector<Interval> &reserved = problem.pools[0].reserved;
    for (int64_t i = draw.between(1, 3); i > 0; --i) {
      const int64_t begin = draw.between(0, 2 * free + 2);
      reserved.push_back({begin, begin + draw.between(1, free / 3 + 1)});
    }
    reserved = normalize(std::move(reserved));
    // A pin on reserved bytes makes no sense.
    if (!check(problem).empty())
      continue;
    ++count;
    expectNoneBelow(problem, leastBytes(problem));
    expectFitAgrees(problem, leastBytes(problem));
    if (HasFailure())
      FAIL() << "least " << leastBytes(problem) << "\n"
             << printProblemJson(problem);
  }
}

/// What has no bytes may be alone at its steps, and where it is pinned counts.
TEST(BruteForceOfFew, NothingButBuffersWithoutBytes) {
  Problem problem;
  problem.pools = {{"pool", 0, std::nullopt, 1, 0}};
  problem.buffers.resize(3);
  problem.buffers[0].sizeBytes = 8;
  problem.buffers[0].lifespans = {{0, 2}};
  problem.buffers[1].lifespans = {{2, 3}};
  problem.buffers[2].lifespans = {{4, 5}};
  expectRight(problem, 8);
  problem.buffers[2].pin = Pin{0, 40};
  expectRight(problem, 40);
  problem.buffers.erase(problem.buffers.begin());
  expectRight(problem, 40);
}

INSTANTIATE_TEST_SUITE_P(Features, BruteForce,
                         testing::Range(0u, Features::kCombinations),
                         [](const auto &info) {
                           std::string name =
                               Features::fromBits(info.param).name();
                           std::replace(name.begin(), name.end(), '+', '_');
                           return name;
                         });

} // namespace

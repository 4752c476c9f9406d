//===- CachePropertyTest.cpp - Random problems out of a cache -------------===//
//
// What comes out of a cache is what solve() says, and what a stranger put into
// it is a valid plan or not used.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/RandomProblems.h"
#include "tpu_mlir/Planning/PlanCache.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr Family kFamilies[] = {
    Family::Random, Family::Network, Family::Gaps,  Family::Cyclic,
    Family::Pins,   Family::Aliases, Family::Pools, Family::Memories};

SolveOptions quick() {
  SolveOptions options;
  options.nodeLimit = 20'000;
  return options;
}

void expectSame(const Plan &a, const Plan &b) {
  EXPECT_TRUE(a == b);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.winner, b.winner);
}

TEST(CacheProperty, WarmIsCold) {
  int numPlans = 0;
  for (Family family : kFamilies)
    for (uint64_t seed = 1; seed <= 60; ++seed) {
      const Problem problem = randomProblem(family, seed, 14);
      PlanCache cache;
      const SolveResult plain = solve(problem, quick());
      const SolveResult cold = solveCached(problem, quick(), cache);
      const SolveResult warm = solveCached(problem, quick(), cache);
      ASSERT_EQ(plain.index(), cold.index());
      ASSERT_EQ(plain.index(), warm.index());
      const Plan *plan = std::get_if<Plan>(&plain);
      EXPECT_EQ(cache.numFound(), plan ? 1 : 0);
      if (!plan)
        continue;
      ++numPlans;
      expectSame(*plan, std::get<Plan>(cold));
      expectSame(*plan, std::get<Plan>(warm));
    }
  EXPECT_GT(numPlans, 350);
}

/// Answers with right sums that somebody has changed.
TEST(CacheProperty, StrangersDoNoHarm) {
  std::mt19937 random(5);
  int numRejected = 0, numTaken = 0;
  for (Family family : kFamilies)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Problem problem = randomProblem(family, seed, 10);
      const std::string key = cacheKey(problem, quick());
      PlanCache first;
      if (!std::holds_alternative<Plan>(solveCached(problem, quick(), first)))
        continue;
      const std::string value = *first.find(key);
      for (int i = 0; i < 40; ++i) {
        std::string changed = value;
        for (int more = i % 3; more >= 0; --more)
          changed[random() % changed.size()] = char(random());
        if (i % 10 == 9)
          changed.resize(random() % changed.size());
        PlanCache cache;
        cache.add(key, changed);
        const SolveResult result = solveCached(problem, quick(), cache);
        const Plan *plan = std::get_if<Plan>(&result);
        ASSERT_TRUE(plan);
        ASSERT_TRUE(validate(problem, *plan).empty());
        numRejected += cache.numMissed() > 0;
        numTaken += cache.numFound() > 0;
      }
    }
  EXPECT_GT(numRejected, 3000);
  // Other words of how it was made, or no change at all.
  EXPECT_GT(numTaken, 10);
}

} // namespace

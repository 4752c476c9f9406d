//===- SolveTest.cpp - check, fold, pack, put together, validate ----------===//

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

Buffer buffer(std::string name, Interval life, int64_t size) {
  Buffer b;
  b.name = std::move(name);
  b.lifespans = {life};
  b.sizeBytes = size;
  return b;
}

Problem chain() {
  Problem p;
  p.pools = {{"ddr", 0, std::nullopt, 1, 0}};
  p.buffers = {buffer("a", {0, 2}, 100), buffer("b", {1, 3}, 50),
               buffer("c", {2, 4}, 100)};
  return p;
}

TEST(Solve, EveryStrategySolvesAChain) {
  for (const Strategy *strategy : StrategyRegistry::all()) {
    SCOPED_TRACE(std::string(strategy->name()));
    SolveOptions options;
    options.strategy = std::string(strategy->name());
    const SolveResult result = solve(chain(), options);
    const Plan *plan = std::get_if<Plan>(&result);
    ASSERT_NE(plan, nullptr);
    EXPECT_TRUE(validate(chain(), *plan).empty());
    EXPECT_EQ(plan->pools[0].lowerBoundBytes, 150);
  }
}

TEST(Solve, AutoMeetsTheBoundOfAChainAndNamesItsWinner) {
  const SolveResult result = solve(chain());
  const Plan *plan = std::get_if<Plan>(&result);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->pools[0].usedBytes, 150);
  EXPECT_EQ(plan->proof, Proof::LowerBound);
  EXPECT_EQ(plan->strategy, "auto");
  EXPECT_EQ(plan->winner, "best-fit");
}

} // namespace

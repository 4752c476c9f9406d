//===- LooksTest.cpp - Nobody works long without a look at the clock ------===//
//
// A token that is asked after so many looks ends the same search at its first,
// second, third ... look. What more a search has done by the next look is what
// it does without one: counted in nodes, never in time.
//
//===----------------------------------------------------------------------===//

#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr int64_t kMostNodes = 50'000;
/// More looks than any search here has.
constexpr int64_t kManyLooks = int64_t(1) << 40;
/// Pairs of looks that are compared.
constexpr int64_t kPairs = 12;

struct Kind {
  const char *name;
  const char *family;
  int64_t buffers;
  int64_t gapPercent = 0;
};

Problem problemOf(const Kind &kind) {
  GenerateOptions options;
  options.family = kind.family;
  options.buffers = kind.buffers;
  options.gapPercent = kind.gapPercent;
  // The bound is out of reach, so that nothing ends early.
  options.jitter = true;
  auto generated = generate(options);
  return std::get<Generated>(std::move(generated)).problem;
}

struct Work {
  int64_t nodes = 0;
  int64_t looks = 0;
};

/// Ends at look number `looks`, counted from 0.
Work runUntil(const Problem &problem, const Strategy &strategy, int64_t looks) {
  StopToken token;
  token.requestAfter(looks);
  SolveOptions options;
  options.strategy = std::string(strategy.name);
  options.nodeLimit = 1'000'000;
  options.deadline.stopWhen(&token);
  const SolveResult result = solve(problem, options);
  const Plan *plan = std::get_if<Plan>(&result);
  EXPECT_NE(plan, nullptr) << strategy.name << ", look " << looks;
  if (!plan)
    return {};
  EXPECT_TRUE(validate(problem, *plan, 1).empty());
  return {plan->nodes, looks - token.unusedLooks()};
}

class Looks : public testing::TestWithParam<Kind> {};

TEST_P(Looks, AreNeverFarApart) {
  const Problem problem = problemOf(GetParam());
  for (const Strategy *strategy : StrategyRegistry::all()) {
    const Work all = runUntil(problem, *strategy, kManyLooks);
    EXPECT_LE(runUntil(problem, *strategy, 0).nodes, kMostNodes)
        << strategy->name << " before the first look";
    const int64_t pairs = std::min(kPairs, all.looks);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const int64_t look = pair * all.looks / pairs;
      const int64_t before = runUntil(problem, *strategy, look).nodes;
      const int64_t after = look + 1 < all.looks
                                ? runUntil(problem, *strategy, look + 1).nodes
                                : all.nodes;
      EXPECT_LE(after - before, kMostNodes)
          << strategy->name << ": " << before << " nodes at look " << look
          << " of " << all.looks << ", " << after << " at the next";
    }
  }
}

/// When the time is over already, and there is a packing, nothing is begun
/// again and again in other orders: of a million items each would take half a
/// second.
TEST_P(Looks, AreFewWhenItIsLate) {
  const Problem problem = problemOf(GetParam());
  PackingProblem packing;
  for (const Buffer &buffer : problem.buffers)
    packing.items.push_back(
        {buffer.sizeBytes, buffer.alignment, buffer.lifespans, {}, {}});
  const auto known = StrategyRegistry::find("best-fit")->pack(packing, {});
  ASSERT_TRUE(known);
  for (const Strategy *strategy : StrategyRegistry::all()) {
    // Each look at a clock that has run out is counted.
    StopToken token;
    token.requestAfter(kManyLooks);
    SolveOptions options;
    options.other = &known->offsets;
    options.deadline = Deadline::in(0);
    options.deadline.stopWhen(&token);
    strategy->pack(packing, options);
    // These look before each of their rounds, of which they have a dozen.
    const bool hasRounds = strategy->name == "auto" ||
                           strategy->name == "exact" ||
                           strategy->name == "squeaky-wheel";
    EXPECT_LE(kManyLooks - token.unusedLooks(), hasRounds ? 16 : 4)
        << strategy->name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Looks,
                         testing::Values(Kind{"few", "pinwheel", 60},
                                         Kind{"some", "pinwheel", 700},
                                         Kind{"gaps", "random", 1500, 20},
                                         Kind{"many", "training", 6'000}),
                         [](const auto &info) { return info.param.name; });

} // namespace

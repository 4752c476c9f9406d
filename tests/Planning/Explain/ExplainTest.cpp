//===- ExplainTest.cpp - Why a problem fits or does not -------------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;

namespace {

using Ids = std::vector<BufferId>;

/// Live sum 8 at most, but no packing below 9, and each one is needed for it.
Problem tight(int64_t capacity) {
  return problemOf({buffer("a", {{2, 5}}, 3), buffer("b", {{5, 6}}, 4),
                    buffer("c", {{2, 4}}, 3), buffer("d", {{3, 5}}, 1),
                    buffer("e", {{1, 3}}, 2), buffer("f", {{4, 6}}, 4),
                    buffer("g", {{0, 2}}, 5)},
                   capacity);
}

InfeasibleSubset subsetOf(const Problem &problem,
                          const SolveOptions &options = {}) {
  const auto result = infeasibleSubset(problem, 0, options);
  if (const auto *subset = std::get_if<InfeasibleSubset>(&result))
    return *subset;
  ADD_FAILURE() << "no subset, reason " << int(std::get<NoSubset>(result));
  return {};
}

NoSubset reasonOf(const Problem &problem, const SolveOptions &options = {}) {
  const auto result = infeasibleSubset(problem, 0, options);
  EXPECT_TRUE(std::holds_alternative<NoSubset>(result));
  const auto *reason = std::get_if<NoSubset>(&result);
  return reason ? *reason : NoSubset::BadProblem;
}

SolveOptions named(std::string strategy) {
  SolveOptions options;
  options.strategy = std::move(strategy);
  return options;
}

TEST(Explain, PeakWithLivesAndFragmentation) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 4), buffer("b", {{1, 3}}, 6),
                         buffer("c", {{2, 4}}, 4), buffer("d", {{1, 2}}, 2)},
                        20);
  p.aliases = {{3, 0, 1}};
  ExplainOptions options;
  Plan plan;
  plan.placements = {{0, 0}, {0, 4}, {0, 12}, {0, 1}};
  plan.pools = {{16, 10}};
  options.plan = &plan;
  const Explanation why = explain(p, options);
  EXPECT_TRUE(why.errors.empty());
  ASSERT_EQ(why.pools.size(), 1u);
  const PoolExplanation &pool = why.pools[0];
  EXPECT_EQ(pool.lowerBoundBytes, 10);
  EXPECT_EQ(pool.capacityBytes, 20);
  EXPECT_EQ(pool.peakStep, 1);
  EXPECT_EQ(pool.liveBytes, 10);
  ASSERT_EQ(pool.peakSet.size(), 2u);
  EXPECT_EQ(pool.peakSet[0].root, 1);
  EXPECT_EQ(pool.peakSet[0].sizeBytes, 6);
  EXPECT_EQ(pool.peakSet[0].lifespans, (std::vector<Interval>{{1, 3}}));
  EXPECT_EQ(pool.peakSet[1].root, 0);
  EXPECT_EQ(pool.fit, Fit::Fits);
  ASSERT_TRUE(pool.packing);
  EXPECT_EQ(pool.packing->usedBytes, 16);
  EXPECT_EQ(pool.packing->boundBytes, 10);
  EXPECT_EQ(pool.packing->fragmentationBytes, 6);
  EXPECT_EQ(pool.packing->topmost, Ids{2});
}

TEST(Explain, SolvesWhenNoPlanIsGiven) {
  const Explanation why = explain(tight(9));
  ASSERT_EQ(why.pools.size(), 1u);
  EXPECT_EQ(why.pools[0].fit, Fit::Fits);
  EXPECT_EQ(why.pools[0].lowerBoundBytes, 8);
  ASSERT_TRUE(why.pools[0].packing);
  EXPECT_EQ(why.pools[0].packing->usedBytes, 9);
  EXPECT_EQ(why.pools[0].packing->fragmentationBytes, 1);
}

TEST(Explain, ThreeWaysToBeTooLarge) {
  const PoolExplanation bound = explain(tight(7)).pools[0];
  EXPECT_EQ(bound.fit, Fit::BoundOver);
  EXPECT_FALSE(bound.packing);
  ExplainOptions options;
  options.solve = named("best-fit");
  const PoolExplanation failed = explain(tight(8), options).pools[0];
  EXPECT_EQ(failed.fit, Fit::PackingFailed);
  EXPECT_GT(failed.bestBytes.value_or(0), 8);
  options.solve = named("exact");
  options.solve.fitIsEnough = true;
  EXPECT_EQ(explain(tight(8), options).pools[0].fit, Fit::ProvedOver);
  EXPECT_EQ(fitName(Fit::ProvedOver), "proved-over");
}

TEST(Explain, PoolsBehindTheFailureAreNotKnown) {
  Problem p =
      problemOf({buffer("a", {{0, 1}}, 9), buffer("b", {{0, 1}}, 3)}, 8);
  p.pools.push_back({"sram", 0, 64, 1, 0});
  p.buffers[1].pools = {1};
  const Explanation why = explain(p);
  ASSERT_EQ(why.pools.size(), 2u);
  EXPECT_EQ(why.pools[0].fit, Fit::BoundOver);
  EXPECT_EQ(why.pools[1].fit, Fit::NotKnown);
  EXPECT_EQ(why.pools[1].lowerBoundBytes, 3);
}

TEST(Explain, ErrorsAreValues) {
  Problem p = tight(8);
  p.buffers[2].sizeBytes = -1;
  EXPECT_EQ(explain(p).errors.size(), 1u);
  ExplainOptions options;
  options.solve = named("nobody");
  EXPECT_EQ(explain(tight(8), options).errors.size(), 1u);
  Plan plan;
  options.plan = &plan;
  EXPECT_EQ(explain(tight(8), options).errors.size(), 1u);
}

TEST(InfeasibleSubset, FewestOfALiveSum) {
  Problem p = problemOf({buffer("a", {{0, 9}}, 2), buffer("b", {{1, 4}}, 7),
                         buffer("c", {{2, 3}}, 5), buffer("d", {{2, 5}}, 1),
                         buffer("e", {{6, 9}}, 8)},
                        10);
  const InfeasibleSubset subset = subsetOf(p);
  EXPECT_TRUE(subset.isLiveSum);
  EXPECT_TRUE(subset.isIrreducible);
  EXPECT_EQ(subset.buffers, (Ids{1, 2}));
  EXPECT_EQ(subset.boundBytes, 12);
  EXPECT_EQ(subset.haveBytes, 10);
  EXPECT_EQ(subset.peakStep, 2);
}

TEST(InfeasibleSubset, PaddingCounts) {
  // 5 + 5 bytes, but the second one starts at 8.
  Problem p =
      problemOf({buffer("a", {{0, 1}}, 5, 8), buffer("b", {{0, 1}}, 5, 8),
                 buffer("c", {{3, 4}}, 12, 8)},
                12);
  const InfeasibleSubset subset = subsetOf(p);
  EXPECT_EQ(subset.buffers, (Ids{0, 1}));
  EXPECT_EQ(subset.boundBytes, 13);
  EXPECT_TRUE(subset.isIrreducible);
  EXPECT_EQ(relaxations(p, 0).alignment, Relaxed::Fits);
  EXPECT_EQ(relaxations(p, 0).pins, Relaxed::NotThere);
}

TEST(InfeasibleSubset, AliasesStandForTheirRoots) {
  Problem p = problemOf({buffer("view", {{1, 2}}, 2), buffer("a", {{0, 3}}, 6),
                         buffer("b", {{1, 2}}, 6)},
                        10);
  p.aliases = {{0, 1, 0}};
  EXPECT_EQ(subsetOf(p).buffers, (Ids{1, 2}));
}

TEST(InfeasibleSubset, DeletionFilterFindsWhatMatters) {
  Problem p = tight(8);
  EXPECT_EQ(subsetOf(p).buffers.size(), 7u);
  // The same among others that do no harm.
  const std::vector<Buffer> core = p.buffers;
  p.buffers.clear();
  Ids expected;
  for (int64_t i = 0; i < 7; ++i) {
    p.buffers.push_back(buffer("before", {{10 + i, 20}}, 1));
    expected.push_back(BufferId(p.buffers.size()));
    p.buffers.push_back(core[size_t(i)]);
    p.buffers.push_back(buffer("behind", {{30, 31 + i}}, 1));
  }
  const InfeasibleSubset subset = subsetOf(p, named("exact"));
  EXPECT_FALSE(subset.isLiveSum);
  EXPECT_TRUE(subset.isIrreducible);
  EXPECT_EQ(subset.buffers, expected);
  EXPECT_EQ(subset.boundBytes, 8);
  EXPECT_EQ(subset.haveBytes, 8);
}

TEST(InfeasibleSubset, Constraints) {
  // A pinned piece in the middle leaves two gaps of 4, but 6 are needed.
  Problem p =
      problemOf({buffer("pinned", {{0, 2}}, 2), buffer("b", {{0, 2}}, 6),
                 buffer("c", {{1, 2}}, 1, 1), buffer("d", {{2, 3}}, 9)},
                10);
  p.buffers[0].pin = Pin{0, 4};
  InfeasibleSubset subset = subsetOf(p);
  EXPECT_EQ(subset.buffers, (Ids{0, 1}));
  EXPECT_TRUE(subset.isIrreducible);
  Relaxations which = relaxations(p, 0);
  EXPECT_EQ(which.pins, Relaxed::Fits);
  EXPECT_EQ(which.forbiddenSharing, Relaxed::NotThere);
  EXPECT_EQ(which.alignment, Relaxed::NotThere);

  // Never alive together, but kept apart.
  p = problemOf({buffer("a", {{0, 1}}, 6), buffer("b", {{1, 2}}, 6),
                 buffer("c", {{4, 5}}, 6, 2)},
                10);
  p.forbiddenSharing = {{0, 1}};
  subset = subsetOf(p);
  EXPECT_FALSE(subset.isLiveSum);
  EXPECT_EQ(subset.buffers, (Ids{0, 1}));
  which = relaxations(p, 0);
  EXPECT_EQ(which.forbiddenSharing, Relaxed::Fits);
  EXPECT_EQ(which.alignment, Relaxed::StillOver);
  EXPECT_EQ(which.pins, Relaxed::NotThere);
}

/// The live sum is over, but for other reasons fewer do not fit either.
TEST(InfeasibleSubset, FewerThanALiveSumTakes) {
  Problem p =
      problemOf({buffer("a", {{2, 3}}, 3), buffer("b", {{2, 3}}, 6)}, 9);
  p.pools[0].reserved = {{3, 4}};
  InfeasibleSubset subset = subsetOf(p);
  EXPECT_EQ(subset.buffers, (Ids{1}));
  EXPECT_TRUE(subset.isIrreducible);
  // 3 + 3 with a pin that leaves 2 and 3, beside one that is not needed.
  p = problemOf({buffer("pinned", {{0, 2}}, 2), buffer("b", {{0, 2}}, 4),
                 buffer("c", {{0, 2}}, 3)},
                8);
  p.buffers[0].pin = Pin{0, 3};
  subset = subsetOf(p);
  EXPECT_EQ(subset.buffers, (Ids{0, 1}));
  EXPECT_TRUE(subset.isIrreducible);
}

TEST(InfeasibleSubset, APinBeyondTheEnd) {
  Problem p =
      problemOf({buffer("a", {{0, 2}}, 3), buffer("b", {{2, 5}}, 36)}, 49);
  p.buffers[1].pin = Pin{0, 169};
  EXPECT_FALSE(check(p).empty());
  const InfeasibleSubset subset = subsetOf(p);
  EXPECT_EQ(subset.buffers, (Ids{1}));
  EXPECT_EQ(subset.boundBytes, 205);
  EXPECT_EQ(subset.haveBytes, 49);
  const Explanation explanation = explain(p);
  EXPECT_TRUE(explanation.errors.empty());
  ASSERT_EQ(explanation.pools.size(), 1u);
  EXPECT_EQ(explanation.pools[0].fit, Fit::BoundOver);
  EXPECT_EQ(explanation.pools[0].lowerBoundBytes, 205);
  EXPECT_EQ(explanation.pools[0].capacityBytes, 49);
  EXPECT_EQ(explanation.pools[0].bestBytes, 205);
  EXPECT_FALSE(explanation.pools[0].packing);
  // What makes no sense for other reasons is still an error.
  p.buffers[0].sizeBytes = -1;
  EXPECT_FALSE(explain(p).errors.empty());
  EXPECT_EQ(reasonOf(p), NoSubset::BadProblem);
}

TEST(InfeasibleSubset, OtherPoolsDoNotCount) {
  Problem p = tight(8);
  p.pools.push_back({"sram", 0, 64, 1, 0});
  p.buffers[3].pools = {0, 1}; // Has a choice, so it does not have to be here.
  EXPECT_EQ(reasonOf(p), NoSubset::Fits);
}

TEST(InfeasibleSubset, ReasonsForNone) {
  EXPECT_EQ(reasonOf(tight(9)), NoSubset::Fits);
  EXPECT_EQ(reasonOf(problemOf({})), NoSubset::Fits);
  EXPECT_EQ(reasonOf(tight(8), named("nobody")), NoSubset::BadProblem);
  EXPECT_EQ(std::get<NoSubset>(infeasibleSubset(tight(8), 1)),
            NoSubset::BadProblem);
  // A packing without a free byte, in one byte less at every step but few:
  // nobody settles this within some steps.
  GenerateOptions options;
  options.family = "pinwheel";
  options.buffers = 500;
  Problem hard = std::get<Generated>(generate(options)).problem;
  hard.pools[0].capacityBytes = int64_t(1) << 20;
  SolveOptions brief = named("exact");
  brief.nodeLimit = 100;
  EXPECT_EQ(reasonOf(hard, brief), NoSubset::NotProved);
}

} // namespace

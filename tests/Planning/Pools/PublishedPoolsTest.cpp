//===- PublishedPoolsTest.cpp - Never above what others have published ----===//

#include "tests/Planning/Builders.h"
#include "tests/Planning/StackedGreedy.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;

namespace {

constexpr StackedOrder kOrders[] = {StackedOrder::BySize,
                                    StackedOrder::ByConflicts};

Problem read(const char *text) {
  auto parsed = parseProblemJson(text);
  if (auto *problem = std::get_if<Problem>(&parsed))
    return std::move(*problem);
  ADD_FAILURE() << std::get<ParseError>(parsed).message;
  return {};
}

/// All strategies that are meant for good plans, by all policies.
std::vector<Plan> plansOf(const Problem &problem) {
  std::vector<Plan> plans;
  for (const char *strategy : {"auto", "exact", "skyline", "squeaky-wheel",
                               "greedy-by-size", "hill-climb"})
    for (PoolPolicy policy : {PoolPolicy::Auto, PoolPolicy::Order,
                              PoolPolicy::Value, PoolPolicy::Exact}) {
      SolveOptions options;
      options.strategy = strategy;
      options.poolPolicy = policy;
      options.nodeLimit = 100'000;
      const SolveResult result = solve(problem, options);
      const Plan *plan = std::get_if<Plan>(&result);
      EXPECT_NE(plan, nullptr) << strategy;
      if (!plan)
        continue;
      EXPECT_TRUE(validate(problem, *plan).empty());
      plans.push_back(*plan);
    }
  return plans;
}

/// A chain of six: each lives until the next one has read it.
constexpr const char *kLinear = R"({"version": 1, "name": "linear",
  "buffers": [
    {"name": "s0", "sizeBytes": 10, "lifespans": [[0, 2]]},
    {"name": "s1", "sizeBytes": 20, "lifespans": [[1, 3]]},
    {"name": "s2", "sizeBytes": 100, "lifespans": [[2, 4]]},
    {"name": "s3", "sizeBytes": 40, "lifespans": [[3, 5]]},
    {"name": "s4", "sizeBytes": 50, "lifespans": [[4, 6]]},
    {"name": "s5", "sizeBytes": 50, "lifespans": [[5, 7]]}]})";

TEST(Published, Linear) {
  const Problem p = read(kLinear);
  for (StackedOrder order : kOrders) {
    const auto stacked = StackedGreedy(p, order).run();
    ASSERT_TRUE(stacked);
    EXPECT_EQ(stacked->pools[0].usedBytes, 140);
  }
  for (const Plan &plan : plansOf(p))
    EXPECT_EQ(plan.pools[0].usedBytes, 140);
}

/// The first ops of a MobileNet. Sizes follow from the published offsets and
/// totals: sid_8 slow@0, PaddedInput slow@802816, sid_9 slow@1117472, the other
/// two at 0 of a fast pool of 200704 bytes; 1418528 slow bytes by either greedy
/// order, 1117462 by hill climbing. Lives are the shortest with which these
/// come out.
constexpr const char *kMobilenet = R"({"version": 1, "name": "mobilenet part",
  "pools": [{"name": "fast", "capacityBytes": 200704}, {"name": "slow"}],
  "buffers": [
    {"name": "sid_9", "sizeBytes": 301056, "alignment": 16,
     "lifespans": [[0, 2]], "pools": ["fast", "slow"]},
    {"name": "PaddedInput", "sizeBytes": 314646, "alignment": 16,
     "lifespans": [[1, 3]], "pools": ["fast", "slow"]},
    {"name": "Conv2dOutput", "sizeBytes": 256, "alignment": 16,
     "lifespans": [[2, 3]], "pools": ["fast", "slow"]},
    {"name": "sid_8", "sizeBytes": 802816, "alignment": 16,
     "lifespans": [[2, 4]], "pools": ["fast", "slow"]},
    {"name": "tensor_2", "sizeBytes": 200704, "alignment": 16,
     "lifespans": [[3, 5]], "pools": ["fast", "slow"]}]})";

TEST(Published, PartOfAMobilenet) {
  const Problem p = read(kMobilenet);
  const auto stacked = StackedGreedy(p, StackedOrder::BySize).run();
  ASSERT_TRUE(stacked);
  EXPECT_THAT(stacked->placements,
              ElementsAre(Placement{1, 1117472}, Placement{1, 802816},
                          Placement{0, 0}, Placement{1, 0}, Placement{0, 0}));
  EXPECT_EQ(stacked->pools[1].usedBytes, 1418528);
  for (const Plan &plan : plansOf(p)) {
    EXPECT_EQ(plan.pools[0].usedBytes, 200704);
    EXPECT_EQ(plan.pools[1].usedBytes, 1117462);
  }
}

TEST(Published, ThreeTensDoNotFitIntoTen) {
  const Problem p = read(R"({"version": 1,
    "pools": [{"name": "p", "capacityBytes": 10}], "buffers": [
    {"name": "a", "sizeBytes": 10, "lifespans": [[0, 1]]},
    {"name": "b", "sizeBytes": 10, "lifespans": [[0, 1]]},
    {"name": "c", "sizeBytes": 10, "lifespans": [[0, 1]]}]})");
  for (StackedOrder order : kOrders)
    EXPECT_FALSE(StackedGreedy(p, order).run());
  const SolveResult result = solve(p);
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->boundExceeds);
  EXPECT_EQ(failure->needBytes, 30);
}

/// The originals put c over b.
TEST(Published, ThePoolThatIsSoldTwice) {
  Problem p = read(R"({"version": 1,
    "pools": [{"name": "p", "capacityBytes": 100}], "buffers": [
    {"name": "a", "sizeBytes": 50, "lifespans": [[0, 1]]},
    {"name": "b", "sizeBytes": 40, "lifespans": [[0, 1]]},
    {"name": "c", "sizeBytes": 30, "lifespans": [[0, 1]]}]})");
  EXPECT_TRUE(std::holds_alternative<Infeasible>(solve(p)));
  p.pools[0].capacityBytes = 120;
  for (const Plan &plan : plansOf(p))
    EXPECT_EQ(plan.pools[0].usedBytes, 120);
}

TEST(Published, NoSpaceAlthoughAGapFits) {
  const Problem p = read(R"({"version": 1,
    "pools": [{"name": "p", "capacityBytes": 100}], "buffers": [
    {"name": "y", "sizeBytes": 60, "lifespans": [[0, 2]]},
    {"name": "z", "sizeBytes": 30, "lifespans": [[1, 4]]},
    {"name": "w", "sizeBytes": 30, "lifespans": [[3, 5]]}]})");
  EXPECT_FALSE(StackedGreedy(p, StackedOrder::BySize).run());
  for (const Plan &plan : plansOf(p))
    EXPECT_EQ(plan.pools[0].usedBytes, 90);
}

/// Whenever stacking finds a plan in limited pools so does the default, and in
/// an unlimited one it needs no more bytes.
TEST(Published, NeverWorseThanStacking) {
  std::mt19937_64 random(3);
  auto draw = [&](int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  };
  int numStacked = 0, numLower = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    std::vector<Buffer> buffers;
    for (int64_t i = 0; i < 12; ++i) {
      const int64_t begin = draw(0, 9);
      buffers.push_back(buffer("b" + std::to_string(i),
                               {{begin, begin + draw(1, 4)}}, 16 * draw(1, 20),
                               16));
    }
    Problem p = problemOf(std::move(buffers));
    SolveOptions options;
    options.nodeLimit = 20'000;
    for (StackedOrder order : kOrders) {
      const int64_t stacked = StackedGreedy(p, order).run()->pools[0].usedBytes;
      const int64_t used = std::get<Plan>(solve(p, options)).pools[0].usedBytes;
      EXPECT_LE(used, stacked);
      numLower += used < stacked;
    }
    Problem two = p;
    two.pools[0].capacityBytes = draw(100, 700);
    two.pools.push_back({"slow", 0, draw(100, 700), 1, 0});
    for (Buffer &b : two.buffers)
      b.pools = {0, 1};
    const SolveResult result = solve(two, options);
    if (const Plan *plan = std::get_if<Plan>(&result)) {
      EXPECT_TRUE(validate(two, *plan).empty());
    }
    for (StackedOrder order : kOrders)
      if (const auto stacked = StackedGreedy(two, order).run()) {
        EXPECT_TRUE(validate(two, *stacked).empty());
        EXPECT_TRUE(std::holds_alternative<Plan>(result));
        ++numStacked;
      }
  }
  EXPECT_GT(numStacked, 100);
  EXPECT_GT(numLower, 100);
}

} // namespace

//===- DeadlineTest.cpp - Every search ends with the time -----------------===//
//
// A deadline that is over from the start leaves the least work a strategy can
// do: what is compared is work in nodes, never time.
//
//===----------------------------------------------------------------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Explain.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr double kNoTime = 1e-9;

/// Lives without any pattern: no strategy meets the bound at once.
Problem hard() {
  std::mt19937_64 random(7);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 120; ++i) {
    const int64_t begin = int64_t(random() % 100);
    buffers.push_back(buffer("b" + std::to_string(i),
                             {{begin, begin + 1 + int64_t(random() % 40)}},
                             1 + int64_t(random() % 1000)));
  }
  return problemOf(std::move(buffers));
}

Plan planned(const Problem &problem, const std::string &strategy,
             std::optional<double> seconds) {
  SolveOptions options;
  options.strategy = strategy;
  options.timeLimitSeconds = seconds;
  SolveResult result = solve(problem, options);
  EXPECT_TRUE(std::holds_alternative<Plan>(result)) << strategy;
  return std::holds_alternative<Plan>(result) ? std::get<Plan>(result) : Plan();
}

class Searches : public testing::TestWithParam<const char *> {};

TEST_P(Searches, EndWithTheTime) {
  const Problem problem = hard();
  const Plan free = planned(problem, GetParam(), std::nullopt);
  const Plan cut = planned(problem, GetParam(), kNoTime);
  EXPECT_TRUE(validate(problem, cut, 1).empty());
  EXPECT_FALSE(free.isCutByTime);
  EXPECT_TRUE(cut.isCutByTime);
  EXPECT_EQ(cut.proof, Proof::LimitHit);
  EXPECT_LT(cut.nodes, free.nodes / 2);
}

TEST_P(Searches, CountTheirWork) {
  EXPECT_GT(planned(hard(), GetParam(), std::nullopt).nodes, 0);
}

TEST_P(Searches, EndWhenTheyAreAsked) {
  const Problem problem = hard();
  const Plan free = planned(problem, GetParam(), std::nullopt);
  StopToken token;
  token.request();
  SolveOptions options;
  options.strategy = GetParam();
  options.deadline.stopWhen(&token);
  // A limit beside it takes nothing away from the wish.
  for (std::optional<double> seconds : {std::optional<double>(), {1e6}}) {
    options.timeLimitSeconds = seconds;
    const SolveResult result = solve(problem, options);
    const Plan *cut = std::get_if<Plan>(&result);
    ASSERT_NE(cut, nullptr);
    EXPECT_TRUE(validate(problem, *cut, 1).empty());
    EXPECT_TRUE(cut->isInterrupted);
    EXPECT_FALSE(cut->isCutByTime);
    EXPECT_FALSE(free.isInterrupted);
    EXPECT_LT(cut->nodes, free.nodes / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Searches,
                         testing::Values("auto", "exact", "hill-climb",
                                         "skyline", "squeaky-wheel"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Deadline, EveryStrategyHasAPlanWhenTheTimeIsOver) {
  const Problem problem = hard();
  for (const Strategy *strategy : StrategyRegistry::all())
    EXPECT_TRUE(validate(problem,
                         planned(problem, std::string(strategy->name), kNoTime),
                         1)
                    .empty())
        << strategy->name;
}

TEST(Deadline, OnePassIsNotCut) {
  for (const char *strategy : {"best-fit", "first-fit-decreasing"}) {
    const Plan free = planned(hard(), strategy, std::nullopt);
    const Plan late = planned(hard(), strategy, kNoTime);
    EXPECT_EQ(late, free) << strategy;
    EXPECT_FALSE(late.isCutByTime) << strategy;
  }
}

/// What there was no time for lies on top of everything: pins, neighbours that
/// must not be near, and alignments count as ever.
TEST(Deadline, ALongPassEndsWithAPlan) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Buffer> buffers;
    for (int i = 0; i < 3000; ++i) {
      const int64_t begin = int64_t(random() % 100);
      buffers.push_back(buffer("b" + std::to_string(i),
                               {{begin, begin + 1 + int64_t(random() % 40)}},
                               int64_t(random() % 1000)));
      buffers.back().alignment = int64_t(1) << random() % 8;
    }
    Problem problem = problemOf(std::move(buffers));
    problem.buffers[7].pin = Pin{0, int64_t(1) << 20};
    // Above that one there is no room.
    if (seed == 7)
      problem.buffers[8].pin = Pin{0, INT64_MAX - 4095};
    for (const char *strategy :
         {"end-matching", "first-fit-decreasing", "greedy-by-size",
          "greedy-by-conflicts", "hill-climb", "long-lived-first", "skyline",
          "squeaky-wheel"}) {
      const Plan free = planned(problem, strategy, std::nullopt);
      const Plan cut = planned(problem, strategy, kNoTime);
      EXPECT_TRUE(validate(problem, cut, 1).empty()) << strategy;
      if (seed == 7)
        continue;
      EXPECT_TRUE(cut.isCutByTime) << strategy;
      EXPECT_GT(cut.pools[0].usedBytes, free.pools[0].usedBytes) << strategy;
    }
  }
}

TEST(Deadline, MuchTimeChangesNothing) {
  const Problem problem = hard();
  for (double seconds : {1e6, 1e300})
    EXPECT_EQ(planned(problem, "squeaky-wheel", seconds),
              planned(problem, "squeaky-wheel", std::nullopt));
}

TEST(Deadline, IsOneForAllPools) {
  // Two hard pools: the second one has no time of its own.
  Problem problem = hard();
  problem.pools.push_back(problem.pools[0]);
  problem.pools[1].name = "second";
  for (size_t id = 0; id < problem.buffers.size(); id += 2)
    problem.buffers[id].pools = {1};
  const Plan free = planned(problem, "squeaky-wheel", std::nullopt);
  const Plan cut = planned(problem, "squeaky-wheel", kNoTime);
  EXPECT_LT(cut.nodes, free.nodes / 2);
}

/// What the strategy "wasteful" was asked, and whom it stops in the end.
struct Asked {
  size_t items;
  int64_t nodeLimit;
  uint64_t seed;
};
std::vector<Asked> asked;
StopToken enough;

/// Items upon each other, above bytes that it leaves free.
std::optional<Packing> packWastefully(const PackingProblem &problem,
                                      const SolveOptions &options) {
  constexpr int64_t kFree[] = {5, 4, 1, 6, 3, 2};
  Packing packing;
  packing.proof = Proof::LimitHit;
  int64_t top = kFree[asked.size() % std::size(kFree)];
  for (const Item &item : problem.items) {
    packing.offsets.push_back(top);
    top += item.sizeBytes;
  }
  asked.push_back({problem.items.size(), options.nodeLimit, options.seed});
  if (asked.size() == std::size(kFree))
    enough.request();
  return packing;
}

const RegisterStrategy wasteful(
    {"wasteful", "for a test", packWastefully, {false, true, false, false}});

/// None waits until the first one has spent all the time, and the lowest
/// packing of each counts.
TEST(Deadline, EveryPoolHasItsShare) {
  Problem problem =
      problemOf({buffer("a", {{0, 2}}, 10), buffer("b", {{0, 2}}, 10),
                 buffer("c", {{0, 2}}, 10)});
  problem.pools.push_back({"sram", 0, std::nullopt, 1, 0});
  problem.buffers[2].pools = {1};
  SolveOptions options;
  options.strategy = "wasteful";
  options.nodeLimit = 10'000'000;
  options.timeLimitSeconds = 1e6;
  options.deadline.stopWhen(&enough);
  asked.clear();
  const SolveResult result = solve(problem, options);
  const Plan &plan = std::get<Plan>(result);
  std::vector<std::pair<size_t, int64_t>> limits;
  std::set<uint64_t> seeds;
  for (const Asked &one : asked) {
    limits.emplace_back(one.items, one.nodeLimit);
    seeds.insert(one.seed);
  }
  EXPECT_THAT(limits,
              testing::ElementsAre(
                  testing::Pair(2, 1'000'000), testing::Pair(1, 1'000'000),
                  testing::Pair(2, 4'000'000), testing::Pair(1, 4'000'000),
                  testing::Pair(2, 10'000'000), testing::Pair(1, 10'000'000)));
  EXPECT_EQ(seeds.size(), 3u);
  EXPECT_EQ(plan.pools[0].usedBytes, 21);
  EXPECT_EQ(plan.pools[1].usedBytes, 12);
  EXPECT_TRUE(plan.isInterrupted);
}

/// More buffers than the first pass packs before it looks at the clock: they
/// are swept, not piled up.
TEST(Deadline, WhoIsLateHasASweep) {
  std::mt19937_64 random(11);
  std::vector<Buffer> buffers;
  for (int i = 0; i < 5000; ++i) {
    const int64_t begin = int64_t(random() % 4000);
    buffers.push_back(buffer("b" + std::to_string(i),
                             {{begin, begin + 1 + int64_t(random() % 100)}},
                             1 + int64_t(random() % 1000)));
  }
  const Problem problem = problemOf(std::move(buffers));
  const Plan swept = planned(problem, "best-fit", std::nullopt);
  EXPECT_LE(planned(problem, "auto", kNoTime).pools[0].usedBytes,
            swept.pools[0].usedBytes);
  StopToken token;
  token.request();
  SolveOptions options;
  options.deadline.stopWhen(&token);
  const SolveResult stopped = solve(problem, options);
  EXPECT_LE(std::get<Plan>(stopped).pools[0].usedBytes,
            swept.pools[0].usedBytes);
}

/// Without a clock the limit is one search's, and there is one round.
TEST(Deadline, LimitsOfNodesAreNotShared) {
  SolveOptions options;
  options.strategy = "wasteful";
  options.nodeLimit = 10'000'000;
  asked.clear();
  const SolveResult result =
      solve(problemOf({buffer("a", {{0, 2}}, 10)}), options);
  EXPECT_TRUE(std::holds_alternative<Plan>(result));
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].nodeLimit, 10'000'000);
}

TEST(Deadline, SaysThatNothingIsProved) {
  Problem problem = hard();
  const Plan best = planned(problem, "auto", std::nullopt);
  problem.pools[0].capacityBytes = best.pools[0].lowerBoundBytes;
  SolveOptions options;
  options.strategy = "squeaky-wheel";
  options.timeLimitSeconds = kNoTime;
  const SolveResult result = solve(problem, options);
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->isCutByTime);
  EXPECT_FALSE(failure->isCertain());
  StopToken token;
  token.request();
  options.timeLimitSeconds.reset();
  options.deadline.stopWhen(&token);
  const SolveResult stopped = solve(problem, options);
  failure = std::get_if<Infeasible>(&stopped);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->isInterrupted);
  EXPECT_FALSE(failure->isCutByTime);
  EXPECT_FALSE(failure->isCertain());
}

} // namespace

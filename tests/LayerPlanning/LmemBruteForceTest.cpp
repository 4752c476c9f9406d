//===- LmemBruteForceTest.cpp - Every placement of small problems ---------===//

#include "tests/LayerPlanning/LmemProblems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

/// What trying all addresses says.
struct Truth {
  int64_t leastCost = kNone; ///< kNone: nothing fits.
  int64_t leastPeak = kNone;
  int64_t leastCostAtLeastPeak = kNone;
};

/// Knows the problem's words and no algorithm: buffer by buffer, address by
/// address.
class BruteForce {
public:
  explicit BruteForce(const LmemProblem &problem)
      : problem(problem), rootOf(problem.buffers.size(), -1),
        addresses(problem.buffers.size(), 0) {
    for (const planning::Alias &alias : problem.aliases)
      rootOf[alias.member] = alias.root;
  }

  Truth run() {
    place(0, 0);
    return truth;
  }

private:
  void place(size_t id, int64_t peak) {
    if (id == problem.buffers.size()) {
      const int64_t cost = countConflicts(problem, addresses).cost;
      truth.leastCost = std::min(truth.leastCost, cost);
      if (peak < truth.leastPeak)
        truth.leastCostAtLeastPeak = kNone;
      truth.leastPeak = std::min(truth.leastPeak, peak);
      if (peak == truth.leastPeak)
        truth.leastCostAtLeastPeak = std::min(truth.leastCostAtLeastPeak, cost);
      return;
    }
    const planning::Buffer &buffer = problem.buffers[id];
    const int64_t last = problem.laneBytes() - buffer.sizeBytes;
    for (int64_t at = 0; at <= last; at += problem.euBytes()) {
      // In problems of randomProblem the operand comes first.
      if (rootOf[id] >= 0 && at != addresses[rootOf[id]])
        continue;
      addresses[id] = at;
      if (fitsWithThoseBefore(id))
        place(id + 1, std::max(peak, at + buffer.sizeBytes));
    }
  }

  bool fitsWithThoseBefore(size_t id) const {
    const planning::Buffer &buffer = problem.buffers[id];
    for (size_t other = 0; other < id; ++other) {
      const planning::Buffer &before = problem.buffers[other];
      const bool isInPlace = rootOf[id] == int64_t(other);
      const Interval bytes = {addresses[id], addresses[id] + buffer.sizeBytes};
      const Interval taken = {addresses[other],
                              addresses[other] + before.sizeBytes};
      if (!isInPlace && bytes.overlaps(taken) &&
          anyOverlap(buffer.lifespans, before.lifespans))
        return false;
    }
    return true;
  }

  const LmemProblem &problem;
  std::vector<int64_t> rootOf; ///< -1: none.
  std::vector<int64_t> addresses;
  Truth truth;
};

/// Enough for every search on problems of this size to end by itself.
LmemOptions thorough() {
  LmemOptions options;
  options.nodeLimit = 20'000'000;
  return options;
}

void expectInfeasible(const LmemResult &result) {
  const auto *infeasible = std::get_if<LmemInfeasible>(&result);
  ASSERT_NE(infeasible, nullptr);
  EXPECT_TRUE(infeasible->isProved);
  EXPECT_GT(infeasible->overBytes(), 0);
  EXPECT_FALSE(infeasible->alive.empty());
}

void expectTrue(const LmemProblem &problem, const Truth &truth) {
  const LmemResult byCost = placeLmem(problem, thorough());
  LmemOptions options = thorough();
  options.minimizePeak = true;
  const LmemResult byPeak = placeLmem(problem, options);
  if (truth.leastCost == kNone) {
    expectInfeasible(byCost);
    expectInfeasible(byPeak);
    return;
  }
  const auto *cheap = std::get_if<LmemPlacement>(&byCost);
  const auto *low = std::get_if<LmemPlacement>(&byPeak);
  ASSERT_TRUE(cheap && low);
  EXPECT_TRUE(checkAddresses(problem, cheap->addresses).empty());
  EXPECT_TRUE(checkAddresses(problem, low->addresses).empty());
  EXPECT_TRUE(cheap->isCostProved);
  EXPECT_EQ(cheap->conflicts.cost, truth.leastCost);
  EXPECT_LE(cheap->lowerBoundBytes, truth.leastPeak);
  EXPECT_TRUE(low->isPeakProved && low->isCostProved);
  EXPECT_EQ(low->highWaterBytes, truth.leastPeak);
  EXPECT_EQ(low->conflicts.cost, truth.leastCostAtLeastPeak);
  if (cheap->isPeakProved) {
    EXPECT_EQ(cheap->highWaterBytes, truth.leastPeak);
  }
}

/// A problem in words, for a message: enough to write it as a test of its own.
std::string text(const LmemProblem &problem) {
  std::string text = "lane " + std::to_string(problem.laneBytes()) + " banks " +
                     std::to_string(problem.banks) + " eu " +
                     std::to_string(problem.euBytes()) +
                     (problem.period ? " cyclic" : " linear");
  for (const planning::Buffer &buffer : problem.buffers) {
    text += "\n  " + buffer.name + " " + std::to_string(buffer.sizeBytes);
    for (const Interval &life : buffer.lifespans)
      text += " [" + std::to_string(life.begin) + "," +
              std::to_string(life.end) + ")";
  }
  for (const planning::Alias &alias : problem.aliases)
    text += "\n  " + std::to_string(alias.member) + " in place of " +
            std::to_string(alias.root);
  for (const BankPair &pair : problem.bankPairs)
    text += "\n  pair " + std::to_string(pair.first) + " " +
            std::to_string(pair.second) + " " + std::to_string(pair.cost);
  return text;
}

void testMany(const RandomShape &shape, uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  int feasible = 0, withConflicts = 0;
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    const LmemProblem problem = randomProblem(shape, random);
    SCOPED_TRACE(text(problem));
    ASSERT_EQ(checkProblem(problem), std::vector<std::string>{});
    const Truth truth = BruteForce(problem).run();
    feasible += truth.leastCost != kNone;
    withConflicts += truth.leastCost != kNone && truth.leastCost > 0;
    expectTrue(problem, truth);
  }
  // The problems are worth it: some fit, some do not, some have to pay.
  EXPECT_GT(feasible, count / 4);
  EXPECT_LT(feasible, count);
  EXPECT_GT(withConflicts, count / 20);
}

TEST(LmemBruteForce, LinearTime) { testMany({}, 1, 250); }

TEST(LmemBruteForce, CyclicTime) {
  RandomShape shape;
  shape.isCyclic = true;
  testMany(shape, 2, 250);
}

TEST(LmemBruteForce, AddressesOfSingleBytes) {
  RandomShape shape;
  shape.euBytes = 1;
  shape.banks = 3;
  shape.laneUnits = 9;
  shape.isCyclic = true;
  testMany(shape, 3, 250);
}

TEST(LmemBruteForce, FewBuffersInALongLane) {
  RandomShape shape;
  shape.buffers = 4;
  shape.laneUnits = 24;
  shape.banks = 8;
  shape.period = 3;
  testMany(shape, 4, 250);
}

} // namespace

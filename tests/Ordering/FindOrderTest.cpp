//===- FindOrderTest.cpp - Against all orders, and known optima -----------===//

#include "tpu_mlir/Ordering/FindOrder.h"

#include "tests/Ordering/BruteForce.h"
#include "tests/Ordering/Cells.h"
#include "tests/Ordering/RandomProblems.h"
#include "tests/Ordering/SwiftNet.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <numeric>
#include <random>
#include <tuple>

namespace tpu_mlir::ordering {
namespace {

void checkResult(const OrderProblem &problem, const OrderResult &result) {
  Order text(problem.ops.size());
  std::iota(text.begin(), text.end(), 0);
  bool hasText = false;
  for (const FoundOrder &found : result.orders) {
    ASSERT_TRUE(isAllowed(problem, found.order)) << found.method;
    EXPECT_EQ(found.peak, peakOf(problem, found.order)) << found.method;
    EXPECT_GE(found.peak, result.orders.front().peak);
    hasText |= found.order == text;
  }
  EXPECT_TRUE(hasText);
  EXPECT_LE(result.bound, result.orders.front().peak);
}

TEST(FindOrder, IsTheBestOfAllOrders) {
  const char *more = std::getenv("ORDER_CASES");
  const int cases = more ? std::atoi(more) : 20000;
  int better = 0;
  for (int seed = 0; seed < cases; ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomProblem(random, 10);
    ASSERT_EQ(checkProblem(problem), "") << seed;
    Ledger ledger(problem);
    const OrderResult result = findOrder(problem);
    checkResult(problem, result);
    ASSERT_EQ(result.orders.front().peak, ledger.best()) << seed;
    EXPECT_TRUE(result.isOptimal()) << seed;
    EXPECT_LE(lowerBound(problem, {}), ledger.best()) << seed;
    Order text(problem.ops.size());
    std::iota(text.begin(), text.end(), 0);
    better += result.orders.front().peak < peakOf(problem, text);
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(better, cases / 10);
}

TEST(FindOrder, CountsWhatIsAliveAsTheDefinitionSays) {
  for (int seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomProblem(random, 12);
    const Ledger ledger(problem);
    // Any order that is allowed.
    Order order;
    uint32_t ran = 0;
    int64_t peak = ledger.level(0);
    while (order.size() < problem.ops.size()) {
      const int op = below(random, static_cast<int>(problem.ops.size()));
      if ((ran >> op & 1) || !ledger.mayRun(op, ran))
        continue;
      peak = std::max(peak, ledger.during(op, ran));
      ran |= uint32_t(1) << op;
      order.push_back(op);
    }
    ASSERT_EQ(peakOf(problem, order), peak) << seed;
  }
}

TEST(FindOrder, StopsAtItsLimitWithWhatItHas) {
  for (int seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomProblem(random, 60);
    OrderOptions options;
    options.maxSets = 1 + seed % 7;
    const OrderResult few = findOrder(problem, options);
    checkResult(problem, few);
    options.maxSets = 1000;
    const OrderResult more = findOrder(problem, options);
    checkResult(problem, more);
    EXPECT_LE(more.orders.front().peak, few.orders.front().peak) << seed;
    EXPECT_LE(few.bound, more.orders.front().peak) << seed;
  }
}

TEST(FindOrder, AnEdgeMoreIsNeverBetterAndAChanceInPlaceNeverWorse) {
  for (int seed = 0; seed < 1000; ++seed) {
    std::mt19937 random(seed);
    OrderProblem problem = randomProblem(random, 9);
    const int64_t best = Ledger(problem).best();
    OrderProblem bound = problem, free = problem;
    const int op = below(random, static_cast<int>(problem.ops.size()));
    if (op > 0)
      bound.ops[op].after.push_back(below(random, op));
    EXPECT_GE(findOrder(bound).orders.front().peak, best) << seed;
    for (Op &each : free.ops)
      each.inPlace.clear();
    EXPECT_GE(findOrder(free).orders.front().peak, best) << seed;
  }
}

//===----------------------------------------------------------------------===//
// Published networks
//===----------------------------------------------------------------------===//

int64_t textPeak(const OrderProblem &problem) {
  Order text(problem.ops.size());
  std::iota(text.begin(), text.end(), 0);
  return peakOf(problem, text);
}

/// Found and proved by looking at no more than so many sets of ops.
void expectOptimum(const OrderProblem &problem, int64_t text, int64_t optimum,
                   int64_t sets = 20000) {
  EXPECT_EQ(textPeak(problem), text);
  const OrderResult result = findOrder(problem);
  checkResult(problem, result);
  EXPECT_EQ(result.orders.front().peak, optimum);
  EXPECT_TRUE(result.isOptimal()) << result.bound;
  EXPECT_LE(result.sets, sets);
}

TEST(FindOrder, StacksOfCells) {
  const OrderProblem darts = stack(graphs::kDartsV2.normal, 4),
                     nasnet = stack(graphs::kNasNetA.normal, 4),
                     amoeba = stack(graphs::kAmoebaNetA.normal, 4),
                     pnas = stack(graphs::kPnasNet5.normal, 4);
  EXPECT_EQ(darts.ops.size(), 116u);
  EXPECT_EQ(nasnet.ops.size(), 124u);
  EXPECT_EQ(amoeba.ops.size(), 112u);
  EXPECT_EQ(pnas.ops.size(), 140u);
  expectOptimum(darts, 12, 9);
  expectOptimum(nasnet, 18, 13);
  expectOptimum(amoeba, 10, 7);
  expectOptimum(pnas, 15, 11);
}

TEST(FindOrder, RandomWiring) {
  const OrderProblem first = randWire(1), second = randWire(2),
                     third = randWire(3);
  EXPECT_EQ(first.ops.size(), 83u);
  EXPECT_EQ(second.ops.size(), 81u);
  EXPECT_EQ(third.ops.size(), 80u);
  expectOptimum(first, 15, 14, 100000);
  expectOptimum(second, 19, 16, 100000);
  expectOptimum(third, 20, 19, 100000);
}

/// Without the branch past the cell where that is not joined.
TEST(FindOrder, CellsOfSwiftNet) {
  expectOptimum(SwiftProblem('A', 32).asWritten(), 351232, 275968);
  expectOptimum(SwiftProblem('A', 29).asWritten(), 351232, 250880);
  expectOptimum(SwiftProblem('B', 56).asWritten(), 147392, 122304);
  expectOptimum(SwiftProblem('B', 54, 38).asWritten(), 131712, 112896);
  expectOptimum(SwiftProblem('C', 81).asWritten(), 53900, 53900);
  expectOptimum(SwiftProblem('C', 79, 59).asWritten(), 50176, 50176);
}

TEST(FindOrder, CellsOfSwiftNetWithConcatsTakenApart) {
  const std::tuple<char, int, int64_t> kOptima[] = {
      {'A', 32, 213248}, {'B', 56, 65856}, {'C', 81, 23128}};
  for (auto [cell, last, optimum] : kOptima) {
    const OrderProblem problem = SwiftProblem(cell, last).rewritten();
    expectOptimum(problem, textPeak(problem), optimum);
  }
}

TEST(FindOrder, ProvesMostGraphsOfUpToAHundredOps) {
  int proved = 0, cases = 0;
  for (int ops : {20, 40, 60, 100})
    for (int span : {3, 10, 30})
      for (int seed = 0; seed < 5; ++seed) {
        std::mt19937 random(seed);
        const OrderProblem problem = sparseProblem(random, ops, span);
        const OrderResult result = findOrder(problem);
        checkResult(problem, result);
        proved += result.isOptimal();
        ++cases;
      }
  EXPECT_GE(proved * 10, cases * 9);
}

TEST(FindOrder, OrdersTenThousandOps) {
  std::mt19937 random(1);
  const OrderProblem wide = sparseProblem(random, 10000, 20);
  OrderOptions options;
  options.maxSets = 100000;
  const OrderResult result = findOrder(wide, options);
  checkResult(wide, result);
  EXPECT_LT(result.orders.front().peak, textPeak(wide));
  expectOptimum(stack(graphs::kNasNetA.normal, 330), 18, 13, 100000);
}

} // namespace
} // namespace tpu_mlir::ordering

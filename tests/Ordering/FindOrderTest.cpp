//===- FindOrderTest.cpp - Against all orders, and known optima -----------===//

#include "tpu_mlir/Ordering/FindOrder.h"

#include "tests/Ordering/BruteForce.h"
#include "tests/Ordering/Cells.h"
#include "tests/Ordering/SwiftNet.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <numeric>
#include <random>

namespace tpu_mlir::ordering {
namespace {

int below(std::mt19937 &random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

/// Ops that read what others or nobody has made, with pins, several writers of
/// one tensor, results that nobody reads, scratch and chances in place.
OrderProblem randomProblem(std::mt19937 &random, int most) {
  OrderProblem problem;
  const int ops = 1 + below(random, most), reads = 1 + below(random, 3);
  const auto size = [&] { return 1 + below(random, 9); };
  const auto addRead = [&](int op, int tensor) {
    problem.tensors[tensor].readers.push_back(op);
    for (int writer : problem.tensors[tensor].writers)
      problem.ops[op].after.push_back(writer);
  };
  for (int i = below(random, 3); i >= 0; --i)
    problem.tensors.push_back({size(), {}, {}, true, below(random, 4) == 0});
  for (int op = 0; op < ops; ++op) {
    problem.ops.emplace_back();
    const int known = static_cast<int>(problem.tensors.size());
    std::vector<int> read;
    for (int i = below(random, reads + 1); i > 0; --i)
      read.push_back(known - 1 - below(random, std::min(known, 6)));
    for (int tensor : read)
      addRead(op, tensor);
    for (int results = 1 + (below(random, 5) == 0); results > 0; --results) {
      // A piece of what another op writes, too.
      const int joined = below(random, known);
      Tensor &other = problem.tensors[joined];
      if (below(random, 6) == 0 && !other.fromStart && other.readers.empty()) {
        other.writers.push_back(op);
        continue;
      }
      problem.tensors.push_back(
          {size(), {op}, {}, false, below(random, 8) == 0});
      for (int tensor : read)
        if (below(random, 3) == 0)
          problem.ops[op].inPlace.push_back(
              {tensor, static_cast<int>(problem.tensors.size()) - 1});
    }
    if (below(random, 5) == 0)
      problem.ops[op].scratch = size();
    // An effect.
    if (op > 0 && below(random, 6) == 0)
      problem.ops[op].after.push_back(below(random, op));
  }
  return problem;
}

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

void expectOptimum(const OrderProblem &problem, int64_t text, int64_t optimum) {
  EXPECT_EQ(textPeak(problem), text);
  const OrderResult result = findOrder(problem);
  checkResult(problem, result);
  EXPECT_EQ(result.orders.front().peak, optimum);
  EXPECT_TRUE(result.isOptimal()) << result.bound;
}

TEST(FindOrder, StacksOfCells) {
  EXPECT_EQ(stack(kDartsV2, 4).ops.size(), 116u);
  EXPECT_EQ(stack(kNasNetA, 4).ops.size(), 124u);
  EXPECT_EQ(stack(kAmoebaNetA, 4).ops.size(), 112u);
  EXPECT_EQ(stack(kPnasNet5, 4).ops.size(), 140u);
  expectOptimum(stack(kDartsV2, 4), 12, 9);
  expectOptimum(stack(kNasNetA, 4), 18, 13);
  expectOptimum(stack(kAmoebaNetA, 4), 9, 7);
  expectOptimum(stack(kPnasNet5, 4), 15, 11);
}

/// Without the branch past the cell where that is not joined.
TEST(FindOrder, CellsOfSwiftNet) {
  expectOptimum(swiftProblem(kSwiftA, 32), 351232, 275968);
  expectOptimum(swiftProblem(kSwiftA, 29), 351232, 250880);
  expectOptimum(swiftProblem(kSwiftB, 56), 147392, 122304);
  expectOptimum(swiftProblem(kSwiftB, 54, 38), 131712, 112896);
  expectOptimum(swiftProblem(kSwiftC, 81), 53900, 53900);
  expectOptimum(swiftProblem(kSwiftC, 79, 59), 50176, 50176);
}

/// Each op reads some of the last tensors.
OrderProblem sparseProblem(std::mt19937 &random, int ops, int span) {
  GraphBuilder graph;
  std::vector<int> tensors = {graph.input(10)};
  for (int op = 0; op < ops; ++op) {
    const int known = static_cast<int>(tensors.size());
    std::vector<int> inputs;
    for (int i = below(random, 2); i >= 0; --i)
      inputs.push_back(
          tensors[known - 1 - below(random, std::min(known, span))]);
    tensors.push_back(graph.op(inputs, 1 + below(random, 100)));
  }
  graph.result(tensors.back());
  return std::move(graph.problem);
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
  expectOptimum(stack(kNasNetA, 330), 18, 13);
}

} // namespace
} // namespace tpu_mlir::ordering

//===- GroupsTest.cpp - Groups and trees against all orders ---------------===//

#include "lib/Ordering/Groups.h"
#include "lib/Ordering/Trees.h"

#include "tests/Ordering/BruteForce.h"
#include "tests/Ordering/RandomProblems.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <numeric>

namespace tpu_mlir::ordering {
namespace {

int numberOfCases() {
  const char *more = std::getenv("ORDER_CASES");
  return more ? std::atoi(more) : 20000;
}

Order textOf(const OrderProblem &problem) {
  Order text(problem.ops.size());
  std::iota(text.begin(), text.end(), 0);
  return text;
}

/// The best peak of all orders of groups, by sets of groups.
class BestOfGroups {
public:
  BestOfGroups(const Ledger &ledger, const Groups &groups)
      : ledger(ledger), groups(groups) {}
  int64_t best(uint32_t groupsRun = 0, uint32_t ran = 0) {
    if (auto found = known.find(groupsRun); found != known.end())
      return found->second;
    const size_t count = groups.groups.size();
    int64_t result =
        groupsRun + 1 == uint32_t(1) << count ? ledger.level(ran) : INT64_MAX;
    for (size_t group = 0; group < count; ++group) {
      if ((groupsRun >> group & 1) || !mayRun(group, groupsRun))
        continue;
      int64_t peak = ledger.level(ran);
      uint32_t then = ran;
      for (int op : groups.groups[group]) {
        peak = std::max(peak, ledger.during(op, then));
        then |= uint32_t(1) << op;
      }
      result = std::min(
          result, std::max(peak, best(groupsRun | uint32_t(1) << group, then)));
    }
    return known[groupsRun] = result;
  }

private:
  bool mayRun(size_t group, uint32_t groupsRun) const {
    for (int before : groups.after[group])
      if (!(groupsRun >> before & 1))
        return false;
    return true;
  }
  const Ledger &ledger;
  const Groups &groups;
  std::map<uint32_t, int64_t> known;
};

void expectOrdersOf(const OrderProblem &problem, const Groups &groups) {
  Order all;
  for (const Order &group : groups.groups)
    all.insert(all.end(), group.begin(), group.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, textOf(problem));
}

TEST(Groups, LeaveAnOrderThatIsAsGoodAsAny) {
  int64_t ops = 0, groups = 0, edges = 0;
  for (int seed = 0; seed < numberOfCases(); ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomProblem(random, 9);
    const Uses uses(problem);
    LiveSet alive(uses);
    const Groups grouped = groupOps(uses, alive, textOf(problem));
    expectOrdersOf(problem, grouped);
    Ledger ledger(problem);
    ASSERT_EQ(BestOfGroups(ledger, grouped).best(), ledger.best()) << seed;
    ops += static_cast<int64_t>(problem.ops.size());
    groups += static_cast<int64_t>(grouped.groups.size());
    for (const std::vector<int> &after : grouped.after)
      edges += static_cast<int64_t>(after.size());
  }
  // The rules are used.
  EXPECT_LT(groups * 5, ops * 4);
  EXPECT_GT(edges, 0);
}

void expectAsGoodAsAny(const OrderProblem &problem, int seed) {
  const Uses uses(problem);
  LiveSet alive(uses);
  const Groups grouped = groupOps(uses, alive, textOf(problem));
  Ledger ledger(problem);
  ASSERT_EQ(BestOfGroups(ledger, grouped).best(), ledger.best()) << seed;
}

/// Tensors with several readers, but nothing else that is not the same in all
/// orders: rules find most there.
TEST(Groups, OfPlainProblemsLeaveAnOrderThatIsAsGoodAsAny) {
  for (int seed = 0; seed < numberOfCases(); ++seed) {
    std::mt19937 random(seed);
    expectAsGoodAsAny(sparseProblem(random, 2 + seed % 8, 2 + seed % 5), seed);
  }
}

TEST(Groups, OfTwinsLeaveAnOrderThatIsAsGoodAsAny) {
  for (int seed = 0; seed < numberOfCases(); ++seed) {
    std::mt19937 random(seed);
    expectAsGoodAsAny(bundledProblem(random), seed);
  }
}

TEST(Groups, MakeOneOfAChain) {
  GraphBuilder graph;
  int at = graph.input(5);
  for (int op = 0; op < 30; ++op)
    at = graph.op({at}, 1 + op % 7);
  graph.result(at);
  const Uses uses(graph.problem);
  LiveSet alive(uses);
  const Groups grouped = groupOps(uses, alive, textOf(graph.problem));
  EXPECT_LT(grouped.groups.size(), 8u);
  EXPECT_EQ(alive.level(), 5);
}

/// Each op is read by one other; inputs are there from the beginning only where
/// an op makes them.
OrderProblem randomTree(std::mt19937 &random, int ops) {
  GraphBuilder graph;
  std::vector<int> roots;
  for (int op = 0; op < ops; ++op) {
    std::vector<int> read;
    for (int i = below(random, 4); i > 0 && !roots.empty(); --i) {
      const int which = below(random, static_cast<int>(roots.size()));
      read.push_back(roots[which]);
      roots.erase(roots.begin() + which);
    }
    roots.push_back(graph.op(read, 1 + below(random, 20)));
    graph.problem.ops.back().scratch = below(random, 10);
  }
  return std::move(graph.problem);
}

TEST(Trees, AreSolved) {
  for (int seed = 0; seed < numberOfCases() / 4; ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomTree(random, 1 + seed % 10);
    const Uses uses(problem);
    const int64_t best = Ledger(problem).best();
    for (const TreeOrder &tree : treeOrders(uses)) {
      ASSERT_EQ(tree.bound, best) << seed;
      ASSERT_TRUE(isAllowed(problem, tree.order));
      ASSERT_EQ(peakOf(problem, tree.order), best) << seed;
    }
  }
}

TEST(Trees, AreABoundOfAnyProblem) {
  int64_t tight = 0;
  for (int seed = 0; seed < numberOfCases(); ++seed) {
    std::mt19937 random(seed);
    const OrderProblem problem = randomProblem(random, 9);
    const Uses uses(problem);
    const int64_t best = Ledger(problem).best();
    for (const TreeOrder &tree : treeOrders(uses)) {
      ASSERT_LE(tree.bound, best) << seed;
      ASSERT_TRUE(isAllowed(problem, tree.order)) << seed;
      tight += tree.bound == best;
    }
  }
  EXPECT_GT(tight, numberOfCases() / 4);
}

} // namespace
} // namespace tpu_mlir::ordering

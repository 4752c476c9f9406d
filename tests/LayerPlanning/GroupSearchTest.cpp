//===- GroupSearchTest.cpp - Where to cut, against all ways to cut --------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"
#include "tests/LayerPlanning/Networks.h"
#include "tpu_mlir/Support/Bytes.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

/// The cheapest of all 2^(n-1) ways to cut the order.
Cost bruteForce(const LayerGraph &graph, const std::vector<LayerId> &order,
                const target::ChipSpec &chip, const SearchOptions &options) {
  const GroupPlanner planner(graph, chip, options.group);
  const size_t n = order.size();
  // Cost of every stretch; nullopt: it cannot be one piece.
  std::vector<std::vector<std::optional<Cost>>> piece(
      n, std::vector<std::optional<Cost>>(n + 1));
  for (size_t begin = 0; begin < n; ++begin) {
    piece[begin][begin + 1] = globalCost(graph, order[begin], chip);
    LayerRange range{order[begin]};
    GridHint hint;
    for (size_t end = begin + 2; end <= n; ++end) {
      range.push_back(order[end - 1]);
      const bool isLocal =
          std::all_of(range.begin(), range.end(),
                      [&](LayerId id) { return graph.layers[id].isLocal(); });
      if (!isLocal)
        break;
      auto result = planner.plan(range, hint);
      if (auto *plan = std::get_if<GroupPlan>(&result))
        piece[begin][end] = plan->cost;
      auto draft = planner.draft(range, hint);
      if (auto *found = std::get_if<GroupDraft>(&draft))
        hint = found->hint;
    }
  }
  std::optional<Cost> best;
  for (uint64_t mask = 0; mask < (uint64_t{1} << (n - 1)); ++mask) {
    Cost cost;
    bool isPossible = true;
    for (size_t begin = 0; begin < n && isPossible;) {
      size_t end = begin + 1;
      while (end < n && !(mask >> (end - 1) & 1))
        ++end;
      isPossible = piece[begin][end].has_value();
      if (isPossible)
        cost += *piece[begin][end];
      begin = end;
    }
    if (isPossible && (!best || isBetter(cost, *best, options.group.objective)))
      best = cost;
  }
  return *best;
}

void expectSame(const Cost &a, const Cost &b) {
  EXPECT_EQ(a.trafficBytes(), b.trafficBytes());
  EXPECT_EQ(a.cycles, b.cycles);
}

TEST(GroupSearchTest, OptimalIsTheBestOfAllCuts) {
  std::mt19937 random(1);
  int numGroups = 0;
  for (int i = 0; i < 100; ++i) {
    const NetworkBuilder net = randomNetwork(random, 2 + i % 8);
    const target::ChipSpec chip = smallChip();
    SearchOptions options;
    options.group.nodeLimit = i % 4 < 2 ? 0 : 2000;
    options.group.objective = i % 2 ? Objective::Cycles : Objective::Traffic;
    const Grouping optimal =
        searchGroups(net.graph, net.order(), chip, options);
    Cost best = bruteForce(net.graph, net.order(), chip, options);
    if (options.group.objective == Objective::Traffic) {
      SearchOptions cycles = options;
      cycles.group.objective = Objective::Cycles;
      const Cost other = bruteForce(net.graph, net.order(), chip, cycles);
      if (isBetter(other, best, Objective::Traffic))
        best = other;
    }
    // The groups that were chosen are looked at again, with more nodes.
    if (options.group.nodeLimit == 0)
      expectSame(optimal.cost, best);
    EXPECT_FALSE(isBetter(best, optimal.cost, options.group.objective));
    numGroups += static_cast<int>(optimal.groups.size());
    options.method = SearchOptions::Method::Greedy;
    const Grouping greedy = searchGroups(net.graph, net.order(), chip, options);
    EXPECT_FALSE(isBetter(greedy.cost, optimal.cost, options.group.objective));
  }
  EXPECT_GT(numGroups, 80);
}

/// Who asks for little traffic gets no more of it than who asks for speed.
TEST(GroupSearchTest, TrafficMovesNoMoreThanCycles) {
  using Method = SearchOptions::Method;
  std::mt19937 random(11);
  int64_t numLess = 0;
  for (int i = 0; i < 60; ++i) {
    const NetworkBuilder net = randomNetwork(random, 4 + i);
    for (Method method : {Method::Greedy, Method::Optimal}) {
      SearchOptions options;
      options.method = method;
      options.maxLayers = i % 3 == 0 ? 4 : 0;
      options.group.nodeLimit = 500;
      options.group.objective = Objective::Cycles;
      const Grouping cycles =
          searchGroups(net.graph, net.order(), smallChip(), options);
      options.group.objective = Objective::Traffic;
      const Grouping traffic =
          searchGroups(net.graph, net.order(), smallChip(), options);
      EXPECT_LE(traffic.cost.trafficBytes(), cycles.cost.trafficBytes()) << i;
      numLess += traffic.cost.trafficBytes() < cycles.cost.trafficBytes();
    }
  }
  EXPECT_GT(numLess, 10);
}

TEST(GroupSearchTest, GroupsAreLocalAndDisjoint) {
  std::mt19937 random(2);
  for (int i = 0; i < 25; ++i) {
    const NetworkBuilder net = randomNetwork(random, 30);
    const Grouping grouping =
        searchGroups(net.graph, net.order(), smallChip(), {});
    LayerId last = -1;
    for (const GroupPlan &plan : grouping.groups) {
      EXPECT_GE(plan.draft.range.size(), 2u);
      for (size_t k = 0; k < plan.draft.range.size(); ++k) {
        const LayerId layer = plan.draft.range[k];
        EXPECT_TRUE(net.graph.layers[layer].isLocal());
        EXPECT_GT(layer, last);
        if (k > 0) {
          EXPECT_EQ(layer, last + 1);
        }
        last = layer;
      }
      EXPECT_LE(plan.placement.highWaterBytes, smallChip().laneBytes);
      // The last buffer need not fill its execution unit.
      EXPECT_GE(alignUp(plan.placement.highWaterBytes, smallChip().euBytes),
                plan.draft.liveBytes);
      EXPECT_LE(plan.recomputePercent, 150);
    }
  }
}

TEST(GroupSearchTest, SaysWhyALayerStaysGlobal) {
  NetworkBuilder net;
  // A row of 64 x 1024 bytes is 16 KiB of a lane.
  const TensorId in = net.input(64, 8, 1024);
  const TensorId soft = net.softmax(in);
  net.graph.tensors[soft].isReadOutside = true;
  SearchOptions options;
  options.group.cutChannels = false;
  const Grouping grouping =
      searchGroups(net.graph, net.order(), smallChip(), options);
  EXPECT_TRUE(grouping.groups.empty());
  ASSERT_EQ(grouping.refusals.size(), 1u);
  const GroupRefusal &refusal = grouping.refusals.at(0);
  EXPECT_EQ(refusal.haveBytes, 4096);
  EXPECT_GT(refusal.needBytes, 2 * 16384);
  EXPECT_EQ(refusal.sections[H], 8);
}

TEST(GroupSearchTest, ALongChainIsFast) {
  std::mt19937 random(3);
  const NetworkBuilder net = randomNetwork(random, 1000);
  const Grouping grouping =
      searchGroups(net.graph, net.order(), smallChip(), {});
  EXPECT_FALSE(grouping.groups.empty());
  // Work that does not depend on the machine: at most one draft a stretch.
  EXPECT_LE(grouping.numDrafts, 1000 * 64);
  EXPECT_LE(grouping.numPlans, 3000);
}

/// Layers of which each writes what the next one reads.
NetworkBuilder elementwiseChain(int size) {
  NetworkBuilder net;
  TensorId at = net.input(4, 8, 8);
  for (int i = 0; i < size; ++i)
    at = net.elementwise({at});
  net.graph.tensors[at].isReadOutside = true;
  return net;
}

TEST(GroupSearchTest, GroupsAreAsLongAsTheyPay) {
  const NetworkBuilder net = elementwiseChain(300);
  SearchOptions options;
  for (auto method :
       {SearchOptions::Method::Optimal, SearchOptions::Method::Greedy}) {
    options.method = method;
    const Grouping grouping =
        searchGroups(net.graph, net.order(), smallChip(), options);
    ASSERT_EQ(grouping.groups.size(), 1u);
    EXPECT_EQ(grouping.groups[0].draft.range.size(), 300u);
  }
}

/// 1,001 is no multiple of the stride of groups that long.
TEST(GroupSearchTest, EndsMoveBetweenStrides) {
  const NetworkBuilder net = elementwiseChain(1001);
  const Grouping grouping =
      searchGroups(net.graph, net.order(), smallChip(), {});
  ASSERT_EQ(grouping.groups.size(), 1u);
  EXPECT_EQ(grouping.groups[0].draft.range.size(), 1001u);
}

TEST(GroupSearchTest, ALimitIsKeptAndNeverPays) {
  std::mt19937 random(5);
  int numLonger = 0;
  for (int i = 0; i < 6; ++i) {
    const NetworkBuilder net = randomNetwork(random, 150);
    target::ChipSpec chip = smallChip();
    chip.laneBytes = 65536;
    SearchOptions options;
    options.group.nodeLimit = 0;
    options.group.objective = i % 2 ? Objective::Cycles : Objective::Traffic;
    const Grouping free = searchGroups(net.graph, net.order(), chip, options);
    for (const GroupPlan &plan : free.groups)
      numLonger += plan.draft.range.size() > 20;
    options.maxLayers = 20;
    const Grouping limited =
        searchGroups(net.graph, net.order(), chip, options);
    for (const GroupPlan &plan : limited.groups)
      EXPECT_LE(plan.draft.range.size(), 20u);
    EXPECT_FALSE(isBetter(limited.cost, free.cost, options.group.objective));
  }
  EXPECT_GT(numLonger, 0);
}

TEST(GroupSearchTest, TwiceTheSame) {
  std::mt19937 random(4);
  const NetworkBuilder net = randomNetwork(random, 60);
  const Grouping a = searchGroups(net.graph, net.order(), smallChip(), {});
  const Grouping b = searchGroups(net.graph, net.order(), smallChip(), {});
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (size_t i = 0; i < a.groups.size(); ++i) {
    EXPECT_EQ(a.groups[i].draft.range, b.groups[i].draft.range);
    EXPECT_EQ(a.groups[i].draft.slices.sections,
              b.groups[i].draft.slices.sections);
    EXPECT_EQ(a.groups[i].placement.addresses, b.groups[i].placement.addresses);
  }
}

} // namespace

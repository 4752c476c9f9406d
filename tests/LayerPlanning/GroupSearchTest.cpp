//===- GroupSearchTest.cpp - Where to cut, against all ways to cut --------===//

#include "tpu_mlir/LayerPlanning/GroupSearch.h"
#include "tests/LayerPlanning/Networks.h"
#include "tpu_mlir/Support/Bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

/// Bit i: the i-th layer of a stretch.
using Mask = uint32_t;

/// What is asked of one stretch of local layers.
struct Question {
  const LayerGraph &graph;
  const LayerRange &stretch;
  const target::ChipSpec &chip;
  const SearchOptions &options;

  size_t size() const { return stretch.size(); }
  LayerRange layersOf(Mask mask) const {
    LayerRange layers;
    for (size_t i = 0; i < size(); ++i)
      if (mask >> i & 1)
        layers.push_back(stretch[i]);
    return layers;
  }
  /// What has to run before layer `i`.
  Mask neededBy(size_t i) const {
    Mask needed = 0;
    for (const LayerOperand &operand : graph.layers[stretch[i]].operands)
      for (size_t k = 0; k < size(); ++k)
        if (graph.layers[stretch[k]].result == operand.tensor)
          needed |= Mask(1) << k;
    return needed;
  }
};

/// The cheapest of all ways to run one convex set of layers after the other.
Cost bruteForce(const Question &ask, bool isContiguous) {
  const GroupPlanner planner(ask.graph, ask.chip, ask.options.group);
  const Mask all = (Mask(1) << ask.size()) - 1;
  std::vector<Mask> needed;
  for (size_t i = 0; i < ask.size(); ++i)
    needed.push_back(ask.neededBy(i));
  const auto isIdeal = [&](Mask mask) {
    if (isContiguous && (mask & (mask + 1)) != 0)
      return false;
    for (size_t i = 0; i < ask.size(); ++i)
      if ((mask >> i & 1) && (needed[i] & ~mask))
        return false;
    return true;
  };
  std::map<Mask, std::optional<Cost>> costs;
  const auto costOf = [&](Mask set) {
    const auto [it, isNew] = costs.try_emplace(set);
    if (!isNew)
      return it->second;
    const LayerRange layers = ask.layersOf(set);
    if (layers.size() == 1)
      it->second = globalCost(ask.graph, layers[0], ask.chip);
    if (layers.size() == 1 && ask.chip.usedCores == 1)
      return it->second;
    auto result = planner.plan(layers, {});
    if (auto *plan = std::get_if<GroupPlan>(&result))
      if (!it->second || isBetter(plan->cost, *it->second,
                                  ask.options.group.objective, ask.chip))
        it->second = plan->cost;
    return it->second;
  };
  std::map<Mask, Cost> best{{0, {}}};
  for (Mask from = 0; from < all; ++from) {
    const auto known = best.find(from);
    if (known == best.end())
      continue;
    const Mask rest = all & ~from;
    for (Mask set = rest; set != 0; set = (set - 1) & rest) {
      if (!isIdeal(from | set))
        continue;
      const std::optional<Cost> cost = costOf(set);
      if (!cost)
        continue;
      Cost sum = known->second;
      sum += *cost;
      const auto [it, isNew] = best.try_emplace(from | set, sum);
      if (!isNew &&
          isBetter(sum, it->second, ask.options.group.objective, ask.chip))
        it->second = sum;
    }
  }
  return best.at(all);
}

/// Of a whole graph, stretch by stretch. For traffic what is found for cycles
/// may be better.
Cost bruteForce(const LayerGraph &graph, const std::vector<LayerId> &order,
                const target::ChipSpec &chip, const SearchOptions &options,
                bool isContiguous = false) {
  Cost cost;
  LayerRange stretch;
  const auto finish = [&] {
    if (stretch.empty())
      return;
    Cost best =
        bruteForce(Question{graph, stretch, chip, options}, isContiguous);
    if (options.group.objective == Objective::Traffic) {
      SearchOptions cycles = options;
      cycles.group.objective = Objective::Cycles;
      const Cost other =
          bruteForce(Question{graph, stretch, chip, cycles}, isContiguous);
      if (isBetter(other, best, Objective::Traffic, chip))
        best = other;
    }
    cost += best;
    stretch.clear();
  };
  for (LayerId layer : order) {
    if (graph.layers[layer].isLocal()) {
      stretch.push_back(layer);
      continue;
    }
    finish();
    cost += globalCost(graph, layer, chip);
  }
  finish();
  return cost;
}

void expectSame(const Cost &a, const Cost &b) {
  EXPECT_EQ(a.trafficBytes(), b.trafficBytes());
  EXPECT_EQ(a.cycles, b.cycles);
}

/// Each with all other options.
Objective objectiveOf(int i) {
  if (i % 2 == 0)
    return Objective::Traffic;
  return i % 8 < 4 ? Objective::Cycles : Objective::Balanced;
}

TEST(GroupSearchTest, OptimalIsTheBestOfAllPartitions) {
  std::mt19937 random(1);
  int numGroups = 0, numBetter = 0;
  for (int i = 0; i < 200; ++i) {
    const NetworkBuilder net = randomNetwork(random, 2 + i % 7);
    const target::ChipSpec chip = smallChip();
    SearchOptions options;
    options.group.nodeLimit = i % 4 < 2 ? 0 : 2000;
    options.group.objective = objectiveOf(i);
    const Grouping optimal =
        searchGroups(net.graph, net.order(), chip, options);
    const Cost best = bruteForce(net.graph, net.order(), chip, options);
    // The groups that were chosen are looked at again, with more nodes; and
    // another order may be one within groups, too.
    if (options.group.nodeLimit == 0 && optimal.order == net.order())
      expectSame(optimal.cost, best);
    EXPECT_FALSE(isBetter(best, optimal.cost, options.group.objective, chip))
        << i;
    numBetter += isBetter(best,
                          bruteForce(net.graph, net.order(), chip, options,
                                     /*isContiguous=*/true),
                          options.group.objective, chip);
    numGroups += static_cast<int>(optimal.groups.size());
    options.method = SearchOptions::Method::Greedy;
    const Grouping greedy = searchGroups(net.graph, net.order(), chip, options);
    EXPECT_FALSE(
        isBetter(greedy.cost, optimal.cost, options.group.objective, chip));
  }
  EXPECT_GT(numGroups, 160);
  // Stretches of the order alone would not do.
  EXPECT_GT(numBetter, 10);
}

/// The cores share the sections of a layer, too, that is a group by itself.
TEST(GroupSearchTest, OptimalOnSeveralCores) {
  std::mt19937 random(5);
  int numAlone = 0;
  for (int i = 0; i < 80; ++i) {
    const NetworkBuilder net = randomNetwork(random, 2 + i % 6);
    target::ChipSpec chip = smallChip();
    chip.cores = chip.usedCores = 2 + i % 3;
    chip.sharedDmaBytesPerCycle = 2 * chip.dmaBytesPerCycle;
    chip.barrierCycles = 5;
    SearchOptions options;
    options.group.nodeLimit = 0;
    options.group.objective = objectiveOf(i);
    const Grouping grouping =
        searchGroups(net.graph, net.order(), chip, options);
    const Cost best = bruteForce(net.graph, net.order(), chip, options);
    EXPECT_FALSE(isBetter(best, grouping.cost, options.group.objective, chip))
        << i;
    if (grouping.order == net.order())
      expectSame(grouping.cost, best);
    numAlone += std::count_if(
        grouping.groups.begin(), grouping.groups.end(),
        [](const GroupPlan &plan) { return plan.draft.range.size() == 1; });
  }
  EXPECT_GT(numAlone, 10);
}

/// Each row of a product needs all of the right operand, which does not fit.
TEST(GroupSearchTest, ColumnsOfAProduct) {
  NetworkBuilder net;
  const TensorId left = net.input(4, 8, 64), right = net.input(4, 64, 256);
  const TensorId result = net.elementwise({net.product(left, right)});
  net.graph.tensors[result].isReadOutside = true;
  SearchOptions options;
  options.group.objective = Objective::Traffic;
  const Grouping grouping =
      searchGroups(net.graph, net.order(), smallChip(), options);
  ASSERT_EQ(grouping.groups.size(), 1u);
  const Sections &sections = grouping.groups[0].draft.slices.sections;
  EXPECT_EQ(sections[H], 1);
  EXPECT_GT(sections[W], 4);
  EXPECT_EQ(grouping.cost.trafficBytes(),
            net.graph.tensors[left].globalBytes +
                net.graph.tensors[right].globalBytes +
                net.graph.tensors[result].globalBytes);
}

/// Heads of branches that read the same tensor: it is loaded once, though each
/// branch goes on in the order before the next one begins.
TEST(GroupSearchTest, BranchesAreReadTogether) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 16, 16);
  std::vector<TensorId> ends;
  for (int branch = 0; branch < 3; ++branch) {
    // What comes after it has weights that fill the lanes.
    const TensorId head = net.conv(in, 4, 1, 1, 0);
    ends.push_back(net.conv(head, 140, 9, 1, 4));
  }
  for (TensorId end : ends)
    net.graph.tensors[end].isReadOutside = true;
  SearchOptions options;
  options.group.objective = Objective::Traffic;
  options.group.cutChannels = false;
  const Grouping grouping =
      searchGroups(net.graph, net.order(), smallChip(), options);
  ASSERT_EQ(grouping.groups.size(), 1u);
  EXPECT_EQ(grouping.groups[0].draft.range, (LayerRange{0, 2, 4}));
  EXPECT_EQ(grouping.order, (std::vector<LayerId>{0, 2, 4, 1, 3, 5}));
  options.reorder = false;
  const Grouping kept =
      searchGroups(net.graph, net.order(), smallChip(), options);
  EXPECT_TRUE(kept.groups.empty());
  EXPECT_EQ(kept.order, net.order());
  EXPECT_EQ(kept.cost.trafficBytes() - grouping.cost.trafficBytes(),
            2 * net.graph.tensors[in].globalBytes);
}

/// Who asks for little traffic gets no more of it than who asks for speed.
TEST(GroupSearchTest, TrafficMovesNoMoreThanCycles) {
  using Method = SearchOptions::Method;
  std::mt19937 random(11);
  int64_t numLess = 0;
  for (int i = 0; i < 30; ++i) {
    const NetworkBuilder net = randomNetwork(random, 4 + 2 * i);
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
  EXPECT_GT(numLess, 5);
}

/// The order has each layer once and runs producers first; groups are pieces of
/// it.
void expectOrder(const LayerGraph &graph, const Grouping &grouping) {
  std::vector<size_t> placeOf(graph.layers.size(), graph.layers.size());
  for (size_t i = 0; i < grouping.order.size(); ++i)
    placeOf[grouping.order[i]] = i;
  EXPECT_EQ(grouping.order.size(), graph.layers.size());
  for (size_t id = 0; id < graph.layers.size(); ++id) {
    ASSERT_LT(placeOf[id], graph.layers.size());
    for (const LayerOperand &operand : graph.layers[id].operands)
      if (const LayerId from = graph.tensors[operand.tensor].producer;
          from >= 0) {
        EXPECT_LT(placeOf[from], placeOf[id]);
      }
  }
  size_t end = 0;
  for (const GroupPlan &plan : grouping.groups) {
    const LayerRange &range = plan.draft.range;
    EXPECT_GE(placeOf[range.front()], end);
    for (size_t k = 0; k < range.size(); ++k)
      EXPECT_EQ(placeOf[range[k]], placeOf[range.front()] + k);
    end = placeOf[range.back()] + 1;
  }
}

TEST(GroupSearchTest, GroupsAreLocalAndDisjoint) {
  std::mt19937 random(2);
  int numMoved = 0;
  for (int i = 0; i < 25; ++i) {
    const NetworkBuilder net = randomNetwork(random, 30);
    const Grouping grouping =
        searchGroups(net.graph, net.order(), smallChip(), {});
    expectOrder(net.graph, grouping);
    numMoved += grouping.order != net.order();
    for (const GroupPlan &plan : grouping.groups) {
      EXPECT_GE(plan.draft.range.size(), 2u);
      for (LayerId layer : plan.draft.range)
        EXPECT_TRUE(net.graph.layers[layer].isLocal());
      EXPECT_LE(plan.placement.highWaterBytes, smallChip().laneBytes);
      // The last buffer need not fill its execution unit.
      EXPECT_GE(alignUp(plan.placement.highWaterBytes, smallChip().euBytes),
                plan.draft.liveBytes);
      EXPECT_LE(plan.recomputePercent, 150);
    }
  }
  EXPECT_GT(numMoved, 0);
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
  // Work that does not depend on the machine: at most one draft a stretch, and
  // of sets of layers.
  EXPECT_LE(grouping.numDrafts, 1000 * 96);
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
    options.group.objective = objectiveOf(i);
    const Grouping free = searchGroups(net.graph, net.order(), chip, options);
    for (const GroupPlan &plan : free.groups)
      numLonger += plan.draft.range.size() > 20;
    options.maxLayers = 20;
    const Grouping limited =
        searchGroups(net.graph, net.order(), chip, options);
    for (const GroupPlan &plan : limited.groups)
      EXPECT_LE(plan.draft.range.size(), 20u);
    EXPECT_FALSE(
        isBetter(limited.cost, free.cost, options.group.objective, chip));
  }
  EXPECT_GT(numLonger, 0);
}

/// Whenever the search has to end after as many looks at the clock as the
/// longest groups take: never worse than these.
TEST(GroupSearchTest, AnEarlyEndIsNoWorseThanGreedy) {
  std::mt19937 random(6);
  int numBetter = 0;
  for (int i = 0; i < 3; ++i) {
    const NetworkBuilder net = randomNetwork(random, 30);
    constexpr int64_t kMany = int64_t(1) << 40;
    StopToken stop;
    SearchOptions options = timed({}, 1e6);
    options.group.objective = objectiveOf(i);
    options.deadline.stopWhen(&stop);
    const auto searchFor = [&](int64_t looks) {
      stop.requestAfter(looks);
      return searchGroups(net.graph, net.order(), smallChip(), options);
    };
    options.method = SearchOptions::Method::Greedy;
    const Grouping greedy = searchFor(kMany);
    const int64_t looks = kMany - stop.unusedLooks();
    EXPECT_FALSE(greedy.groups.empty());
    options.method = SearchOptions::Method::Optimal;
    const Grouping whole = searchFor(kMany);
    EXPECT_FALSE(whole.isCutByTime);
    options.deadline = planning::Deadline();
    expectSame(whole.cost, searchFor(kMany).cost);
    for (int64_t more : {0, 10, 100, 500}) {
      StopToken other;
      options.deadline = planning::Deadline::in(1e6);
      options.deadline.stopWhen(&other);
      other.requestAfter(looks + more);
      const Grouping early =
          searchGroups(net.graph, net.order(), smallChip(), options);
      EXPECT_FALSE(isBetter(greedy.cost, early.cost, options.group.objective,
                            smallChip()))
          << i << ", " << more;
      numBetter +=
          early.isCutByTime && isBetter(early.cost, greedy.cost,
                                        options.group.objective, smallChip());
    }
  }
  EXPECT_GT(numBetter, 0);
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

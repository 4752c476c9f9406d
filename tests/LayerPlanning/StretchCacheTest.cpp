//===- StretchCacheTest.cpp - Equal stretches are searched once -----------===//

#include "lib/LayerPlanning/Cache/StretchCache.h"
#include "tests/LayerPlanning/Networks.h"

#include <gtest/gtest.h>

#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;
using planning::PlanCache;

namespace {

SearchOptions quick() {
  SearchOptions options;
  options.group.nodeLimit = 2000;
  return options;
}

/// All that becomes a group of a module.
std::vector<int64_t> wordsOf(const GroupPlan &plan) {
  const GroupDraft &draft = plan.draft;
  std::vector<int64_t> words(draft.range.begin(), draft.range.end());
  const auto add = [&](const auto &list) {
    words.push_back(int64_t(list.size()));
    words.insert(words.end(), list.begin(), list.end());
  };
  for (const InputCopy &copy : draft.changes.copies) {
    words.push_back(copy.tensor);
    add(copy.readers);
  }
  add(draft.tensors.inputs);
  add(draft.tensors.results);
  add(draft.tensors.outputs);
  for (TensorId tensor : draft.tensors.results)
    words.push_back(draft.slices.indexOf[tensor]);
  add(draft.isReloaded);
  add(draft.slices.sections);
  for (const TensorSlices &slices : draft.slices.tensors) {
    words.push_back(slices.tensor);
    for (const auto &parts : slices.parts)
      for (const Interval &part : parts)
        words.insert(words.end(), {part.begin, part.end});
  }
  words.push_back(draft.steps.numRows);
  add(draft.steps.rowOfLayer);
  for (const auto *transfers : {&draft.steps.loads, &draft.steps.stores})
    for (const Transfer &one : *transfers)
      words.insert(words.end(), {one.tensor, one.row, one.stage, one.isHeld});
  for (const LocalBuffer &one : draft.steps.buffers)
    words.insert(words.end(), {one.tensor, one.scratchOf, one.start, one.last,
                               one.isHeld, one.sizeBytes, one.overwrites});
  add(plan.placement.addresses);
  words.insert(words.end(),
               {plan.placement.highWaterBytes, plan.placement.conflicts.cost,
                plan.cost.cycles, plan.cost.loadBytes, plan.cost.storeBytes,
                plan.numPoorPackings, plan.recomputePercent, draft.liveBytes,
                draft.cost.cycles});
  return words;
}

void expectSame(const Grouping &a, const Grouping &b) {
  EXPECT_EQ(a.order, b.order);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (size_t i = 0; i < a.groups.size(); ++i)
    EXPECT_EQ(wordsOf(a.groups[i]), wordsOf(b.groups[i]));
  EXPECT_EQ(a.cost.cycles, b.cost.cycles);
  EXPECT_EQ(a.cost.loadBytes, b.cost.loadBytes);
  ASSERT_EQ(a.refusals.size(), b.refusals.size());
  for (auto one = a.refusals.begin(), other = b.refusals.begin();
       one != a.refusals.end(); ++one, ++other) {
    EXPECT_EQ(one->first, other->first);
    EXPECT_EQ(one->second.needBytes, other->second.needBytes);
    EXPECT_EQ(one->second.largest, other->second.largest);
    EXPECT_EQ(one->second.sections, other->second.sections);
  }
}

/// Blocks of a network of attention, each after a layer that stays global.
NetworkBuilder blocks(int count, bool isCutApart) {
  NetworkBuilder net;
  TensorId at = net.input(8, 24, 32);
  for (int i = 0; i < count; ++i) {
    if (isCutApart)
      at = net.globalLayer(at);
    const TensorId left = net.conv(at, 8, 3, 1, 1);
    const TensorId soft = net.softmax(net.elementwise({left}));
    const TensorId right = net.conv(soft, 8, 1, 1, 0);
    at = net.elementwise({net.elementwise({right, left}), at});
  }
  net.graph.tensors[at].isReadOutside = true;
  return net;
}

TEST(StretchCacheTest, EqualBlocksArePlannedOnce) {
  const NetworkBuilder one = blocks(3, true), many = blocks(28, true);
  const Grouping few =
      searchGroups(one.graph, one.order(), smallChip(), quick());
  const Grouping all =
      searchGroups(many.graph, many.order(), smallChip(), quick());
  EXPECT_GT(few.numPlans, 0);
  EXPECT_EQ(all.groups.size() % 28, 0u);
  // The last one differs: somebody outside reads it.
  EXPECT_EQ(all.numPlans, few.numPlans);
  EXPECT_EQ(all.numDrafts, few.numDrafts);
}

TEST(StretchCacheTest, EqualGroupsOfOneStretchArePlannedOnce) {
  const NetworkBuilder some = blocks(10, false), many = blocks(20, false);
  const Grouping few =
      searchGroups(some.graph, some.order(), smallChip(), quick());
  const Grouping all =
      searchGroups(many.graph, many.order(), smallChip(), quick());
  EXPECT_GT(few.numPlans, 0);
  EXPECT_LT(all.numPlans, few.numPlans * 5 / 4 + 4);
}

TEST(StretchCacheTest, WarmIsCold) {
  std::mt19937 random(21);
  int64_t numGroups = 0, numRefusals = 0, numCopies = 0;
  for (int i = 0; i < 120; ++i) {
    const NetworkBuilder net = randomNetwork(random, 3 + i % 40);
    target::ChipSpec chip = smallChip();
    chip.laneBytes = i % 2 ? 4096 : 256;
    SearchOptions options = quick();
    options.group.objective = i % 3 == 0   ? Objective::Traffic
                              : i % 3 == 1 ? Objective::Cycles
                                           : Objective::Balanced;
    options.group.cutChannels = i % 4 != 0;
    if (i % 5 == 0)
      options.method = SearchOptions::Method::Greedy;
    const Grouping plain = searchGroups(net.graph, net.order(), chip, options);
    PlanCache cache;
    options.cache = &cache;
    const Grouping cold = searchGroups(net.graph, net.order(), chip, options);
    const Grouping warm = searchGroups(net.graph, net.order(), chip, options);
    expectSame(plain, cold);
    expectSame(plain, warm);
    EXPECT_EQ(warm.numPlans, 0);
    EXPECT_EQ(warm.numDrafts, 0);
    numGroups += int64_t(plain.groups.size());
    numRefusals += int64_t(plain.refusals.size());
    for (const GroupPlan &plan : plain.groups)
      numCopies += !plan.draft.changes.copies.empty();
  }
  EXPECT_GT(numGroups, 200);
  EXPECT_GT(numRefusals, 20);
  EXPECT_GT(numCopies, 0);
}

/// A network behind another layer: other names, places in the graph and inputs.
NetworkBuilder shifted(const NetworkBuilder &net) {
  NetworkBuilder other;
  other.conv(other.input(4, 8, 8), 4, 3, 1, 1);
  const auto offset = static_cast<int>(other.graph.tensors.size());
  for (Tensor tensor : net.graph.tensors) {
    tensor.name = "other " + tensor.name;
    tensor.readers.clear();
    other.graph.addTensor(tensor);
  }
  for (Layer layer : net.graph.layers) {
    layer.result += offset;
    for (LayerOperand &operand : layer.operands)
      operand.tensor += operand.tensor < 0 ? 0 : offset;
    other.graph.addLayer(layer);
  }
  return other;
}

TEST(StretchCacheTest, AnotherGraphHasTheSameBlock) {
  PlanCache cache;
  StretchMemory memory;
  SearchOptions options = quick();
  const NetworkBuilder first = blocks(3, true);
  const NetworkBuilder second = shifted(blocks(2, true));
  const Grouping plain =
      searchGroups(second.graph, second.order(), smallChip(), options);
  for (bool isRenamed : {false, true}) {
    options.cache = isRenamed ? nullptr : &cache;
    options.memory = isRenamed ? &memory : nullptr;
    searchGroups(first.graph, first.order(), smallChip(), options);
    const Grouping warm =
        searchGroups(second.graph, second.order(), smallChip(), options);
    expectSame(plain, warm);
    EXPECT_LT(warm.numPlans, plain.numPlans);
  }
}

/// Every stretch is in the memory, and its layers and tensors have moved.
TEST(StretchCacheTest, RenamedIsSearched) {
  std::mt19937 random(22);
  int64_t numGroups = 0, numRefusals = 0, numCopies = 0;
  for (int i = 0; i < 100; ++i) {
    const NetworkBuilder net = randomNetwork(random, 3 + i % 40);
    const NetworkBuilder moved = shifted(net);
    std::vector<LayerId> order, apart;
    for (LayerId id = 0; id < LayerId(net.graph.layers.size()); ++id) {
      order.push_back(id);
      apart.push_back(id + 1);
    }
    target::ChipSpec chip = smallChip();
    chip.laneBytes = i % 2 ? 4096 : 256;
    SearchOptions options = quick();
    options.group.objective = i % 3 == 0   ? Objective::Traffic
                              : i % 3 == 1 ? Objective::Cycles
                                           : Objective::Balanced;
    const Grouping plain = searchGroups(moved.graph, apart, chip, options);
    StretchMemory memory;
    options.memory = &memory;
    searchGroups(net.graph, order, chip, options);
    const Grouping renamed = searchGroups(moved.graph, apart, chip, options);
    expectSame(plain, renamed);
    EXPECT_EQ(renamed.numDrafts, 0);
    numGroups += int64_t(plain.groups.size());
    numRefusals += int64_t(plain.refusals.size());
    for (const GroupPlan &plan : plain.groups)
      numCopies += !plan.draft.changes.copies.empty();
  }
  EXPECT_GT(numGroups, 150);
  EXPECT_GT(numRefusals, 10);
  EXPECT_GT(numCopies, 0);
}

TEST(StretchCacheTest, StrangersDoNoHarm) {
  std::mt19937 random(8);
  int64_t numTaken = 0, numRejected = 0;
  for (int i = 0; i < 30; ++i) {
    const NetworkBuilder net = randomNetwork(random, 6 + i);
    const target::ChipSpec chip = smallChip();
    SearchOptions options = quick();
    const GroupPlanner planner(net.graph, chip, options.group);
    RangeSignatures signatures(net.graph);
    PlanCache first;
    options.cache = &first;
    searchGroups(net.graph, net.order(), chip, options);
    for (LayerId end = 2; end <= LayerId(net.graph.layers.size()); ++end) {
      LayerRange range;
      for (LayerId id = 0; id < end; ++id)
        range.push_back(id);
      PlanCache other;
      StretchMemory memory;
      StretchCache stretches(net.graph, chip, options, signatures, other,
                             memory);
      const std::string key = stretches.keyOf(range);
      const auto value = first.find(key);
      if (!value)
        continue;
      for (int change = 0; change < 60; ++change) {
        std::string changed = *value;
        for (int more = change % 3; more >= 0; --more)
          changed[random() % changed.size()] =
              char(random() % 3 ? 2 : random());
        if (change % 10 == 9)
          changed.resize(random() % changed.size());
        other.add(key, changed);
        memory = {};
        const auto grouping = stretches.find(key, range);
        ++(grouping ? numTaken : numRejected);
        for (const GroupPlan &plan :
             grouping ? grouping->groups : std::vector<GroupPlan>())
          EXPECT_TRUE(checkAddresses(planner.lmemProblem(plan.draft),
                                     plan.placement.addresses)
                          .empty());
      }
    }
  }
  EXPECT_GT(numRejected, 500);
  EXPECT_GT(numTaken, 10);
}

TEST(StretchCacheTest, TheKeyHasSecondLevelMemoryAndWhatCoresShare) {
  const NetworkBuilder net = blocks(2, false);
  LayerGraph inL2 = net.graph;
  inL2.tensors[inL2.layers[0].result].isInL2 = true;
  target::ChipSpec fast = smallChip(), shared = smallChip();
  fast.l2BytesPerCycle += 1;
  shared.sharedDmaBytesPerCycle += 1;
  PlanCache cache;
  StretchMemory memory;
  const SearchOptions options;
  const auto keyOf = [&](const LayerGraph &graph,
                         const target::ChipSpec &chip) {
    RangeSignatures signatures(graph);
    return StretchCache(graph, chip, options, signatures, cache, memory)
        .keyOf({0, 1, 2, 3});
  };
  const std::set<std::string> keys = {
      keyOf(net.graph, smallChip()), keyOf(inL2, smallChip()),
      keyOf(net.graph, fast), keyOf(net.graph, shared)};
  EXPECT_EQ(keys.size(), 4u);
}

TEST(StretchCacheTest, TheKeyHasAllThatGroupsDependOn) {
  const NetworkBuilder net = blocks(2, false);
  const LayerRange range{0, 1, 2, 3};
  std::set<std::string> keys;
  size_t expected = 0;
  const auto add = [&](const LayerGraph &graph, const target::ChipSpec &chip,
                       const SearchOptions &options) {
    PlanCache cache;
    StretchMemory memory;
    RangeSignatures signatures(graph);
    keys.insert(StretchCache(graph, chip, options, signatures, cache, memory)
                    .keyOf(range));
    EXPECT_EQ(keys.size(), ++expected);
  };
  add(net.graph, smallChip(), {});
  int64_t target::ChipSpec::*fields[] = {
      &target::ChipSpec::lanes,          &target::ChipSpec::euBytes,
      &target::ChipSpec::laneBytes,      &target::ChipSpec::banks,
      &target::ChipSpec::macsPerCycle8,  &target::ChipSpec::macsPerCycle16,
      &target::ChipSpec::macsPerCycle32, &target::ChipSpec::dmaBytesPerCycle,
      &target::ChipSpec::dmaSetupCycles, &target::ChipSpec::computeSetupCycles};
  for (auto field : fields) {
    target::ChipSpec chip = smallChip();
    chip.*field += 1;
    add(net.graph, chip, {});
  }
  target::ChipSpec chip = smallChip();
  chip.localInPlace = false;
  add(net.graph, chip, {});
  chip = smallChip();
  chip.batchLayout = target::BatchLayout::FourN;
  add(net.graph, chip, {});
  std::vector<SearchOptions> options(7);
  options[0].method = SearchOptions::Method::Greedy;
  options[1].maxLayers = 3;
  options[2].group.objective = Objective::Traffic;
  options[3].group.maxRecomputePercent = 120;
  options[4].group.maxParts = 8;
  options[5].group.cutChannels = false;
  options[6].group.nodeLimit = 1;
  for (const SearchOptions &one : options)
    add(net.graph, smallChip(), one);
  std::vector<LayerGraph> graphs(11, net.graph);
  const TensorId result = graphs[0].layers[1].result;
  graphs[0].tensors[result].isReadOutside = true;
  graphs[1].tensors[result].price = 256;
  graphs[2].tensors[result].elementBits = 16;
  graphs[3].tensors[result].shape[H] = 12;
  graphs[4].tensors[result].globalBytes += 1;
  graphs[5].layers[1].operands[0].rules[H] = DimRule::whole();
  graphs[6].layers[1].isCuttable[H] = false;
  graphs[7].layers[1].scratch.bytes = 16;
  graphs[8].layers[1].operands[0].tensor = 0;
  graphs[9].layers[1].scratch.isOfOperand = true;
  graphs[10].layers[1].operands[0].mostBytes = 8;
  for (const LayerGraph &graph : graphs)
    add(graph, smallChip(), {});
}

TEST(StretchCacheTest, NoTimeNoGroupsAndNothingKept) {
  const NetworkBuilder net = blocks(3, false);
  PlanCache cache;
  SearchOptions options = timed(quick(), 0);
  options.cache = &cache;
  for (auto method :
       {SearchOptions::Method::Optimal, SearchOptions::Method::Greedy}) {
    options.method = method;
    const Grouping none =
        searchGroups(net.graph, net.order(), smallChip(), options);
    EXPECT_TRUE(none.groups.empty());
    EXPECT_TRUE(none.isCutByTime);
    EXPECT_EQ(none.numPlans, 0);
  }
  EXPECT_EQ(cache.numFound(), 0);
  // What is known costs no time.
  const SearchOptions unlimited = quick();
  SearchOptions filling = unlimited;
  filling.cache = &cache;
  const Grouping all =
      searchGroups(net.graph, net.order(), smallChip(), filling);
  EXPECT_FALSE(all.isCutByTime);
  options.method = SearchOptions::Method::Optimal;
  const Grouping warm =
      searchGroups(net.graph, net.order(), smallChip(), options);
  expectSame(all, warm);
  EXPECT_FALSE(warm.isCutByTime);
}

/// Who is asked to stop ends with what is planned.
TEST(StretchCacheTest, AskedToStop) {
  const NetworkBuilder net = blocks(3, false);
  StopToken stop;
  SearchOptions options = quick();
  options.deadline.stopWhen(&stop);
  const auto search = [&] {
    return searchGroups(net.graph, net.order(), smallChip(), options);
  };
  EXPECT_FALSE(search().isCutByTime);
  stop.request();
  const Grouping none = search();
  EXPECT_TRUE(none.isCutByTime);
  EXPECT_TRUE(none.groups.empty());
  EXPECT_GT(none.cost.cycles, 0);
}

/// With no time to look further, what was looked at is planned.
TEST(StretchCacheTest, HalfOfTheTimeIsForPlanning) {
  const NetworkBuilder net = blocks(3, false);
  SearchOptions options = quick();
  options.lookDeadline = planning::Deadline::in(0);
  const Grouping some =
      searchGroups(net.graph, net.order(), smallChip(), options);
  EXPECT_FALSE(some.groups.empty());
  EXPECT_TRUE(some.isCutByTime);
}

} // namespace

//===- ViewOrderTest.cpp - Views that divide no stretch -------------------===//

#include "tests/LayerPlanning/Networks.h"
#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;
using testing::ElementsAre;

namespace {

/// With results that nobody reads as outputs.
Grouping search(NetworkBuilder net, bool reorder = true) {
  for (Tensor &tensor : net.graph.tensors)
    tensor.isReadOutside |= tensor.producer >= 0 && tensor.readers.empty();
  SearchOptions options;
  options.group.objective = Objective::Traffic;
  options.reorder = reorder;
  return searchGroups(net.graph, net.order(), smallChip(), options);
}

std::vector<LayerRange> rangesOf(const Grouping &grouping) {
  std::vector<LayerRange> ranges;
  for (const GroupPlan &plan : grouping.groups)
    ranges.push_back(plan.draft.range);
  return ranges;
}

/// 0: a layer; then what `middle` makes of the input and its result; then
/// another layer.
template <typename Middle> NetworkBuilder between(Middle middle) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  middle(net, in, a);
  net.elementwise({a});
  return net;
}

TEST(ViewOrderTest, OfTheInputNobodyReadsIsInFront) {
  const NetworkBuilder net =
      between([](NetworkBuilder &net, TensorId in, TensorId) { net.view(in); });
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 2}));
  EXPECT_THAT(found.order, ElementsAre(1, 0, 2));
  // In the order of the program it divides them.
  EXPECT_THAT(rangesOf(search(net, /*reorder=*/false)), ElementsAre());
  EXPECT_THAT(search(net, false).order, ElementsAre(0, 1, 2));
}

TEST(ViewOrderTest, ThatIsReadLaterIsBehind) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  const TensorId view = net.view(in);
  net.elementwise({a});
  net.globalLayer(view);
  net.elementwise({view});
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 2}));
  EXPECT_THAT(found.order, ElementsAre(0, 2, 1, 3, 4));
}

TEST(ViewOrderTest, ThatTheStretchReadsIsInFront) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  const TensorId view = net.view(in);
  net.elementwise({a, view});
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 2}));
  EXPECT_THAT(found.order, ElementsAre(1, 0, 2));
}

TEST(ViewOrderTest, OfAViewThatGoesInFrontDoesSo) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  const TensorId view = net.view(net.view(in));
  net.elementwise({a, view});
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 3}));
  EXPECT_THAT(found.order, ElementsAre(1, 2, 0, 3));
}

TEST(ViewOrderTest, ThatTheStretchMakesAndReadsStays) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  const TensorId b = net.elementwise({a}), view = net.view(a);
  net.elementwise({net.elementwise({view}), b});
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 1}, LayerRange{3, 4}));
  EXPECT_THAT(found.order, ElementsAre(0, 1, 2, 3, 4));
}

/// Also where that one may be in a group.
TEST(ViewOrderTest, AViewOfAViewThatWaitsDoesSo) {
  for (bool isLocal : {false, true}) {
    const NetworkBuilder net =
        between([&](NetworkBuilder &net, TensorId, TensorId a) {
          net.view(net.view(a));
          if (isLocal)
            net.graph.layers.back().whyGlobal = "";
        });
    const Grouping found = search(net);
    EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 3}));
    EXPECT_THAT(found.order, ElementsAre(0, 3, 1, 2));
  }
}

/// Of three layers the first two share a group, the last one is too large.
TEST(ViewOrderTest, IsWhereItWasWhereNoGroupIs) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), a = net.elementwise({in});
  net.view(in);
  const TensorId b = net.elementwise({a});
  net.view(in);
  const TensorId wide = net.input(4, 1, 60'000);
  net.softmax(wide);
  net.view(b);
  const Grouping found = search(net);
  EXPECT_THAT(rangesOf(found), ElementsAre(LayerRange{0, 2}));
  EXPECT_THAT(found.order, ElementsAre(1, 0, 2, 3, 4, 5));
}

/// As randomNetwork() makes them, with many views; of them a few are local.
NetworkBuilder networkWithViews(std::mt19937 &random) {
  NetworkBuilder net = randomNetwork(random, 20);
  for (Layer &layer : net.graph.layers)
    if (!layer.isLocal() || random() % 5 == 0) {
      const bool isLocal = layer.isLocal() && random() % 4 == 0;
      layer.whyGlobal = isLocal ? "" : "a test says so";
      layer.isView = layer.isFreeGlobally =
          layer.operands.size() == 1 && random() % 4 != 0;
    }
  return net;
}

/// Each layer once, after what it reads; groups in one piece; layers that are
/// neither local nor views between the same layers.
void checkOrder(const LayerGraph &graph, const Grouping &found) {
  const size_t size = graph.layers.size();
  ASSERT_EQ(found.order.size(), size);
  std::vector<int> place(size, -1);
  for (size_t i = 0; i < size; ++i)
    place[found.order[i]] = static_cast<int>(i);
  for (size_t id = 0; id < size; ++id) {
    ASSERT_GE(place[id], 0);
    for (const LayerOperand &operand : graph.layers[id].operands) {
      const LayerId from = graph.tensors[operand.tensor].producer;
      EXPECT_TRUE(from < 0 || place[from] < place[id]);
    }
    const bool isFixed =
        !graph.layers[id].isLocal() && !graph.layers[id].isView;
    EXPECT_TRUE(!isFixed || place[id] == int(id));
  }
  for (const GroupPlan &plan : found.groups)
    for (size_t i = 1; i < plan.draft.range.size(); ++i)
      EXPECT_EQ(place[plan.draft.range[i]], place[plan.draft.range[i - 1]] + 1);
}

TEST(ViewOrderTest, RandomNetworks) {
  std::mt19937 random(8);
  const target::ChipSpec chip = smallChip();
  int numBetter = 0;
  for (int i = 0; i < 20; ++i) {
    SCOPED_TRACE(i);
    NetworkBuilder net = networkWithViews(random);
    const Grouping found = search(net);
    checkOrder(net.graph, found);
    for (Layer &layer : net.graph.layers)
      layer.isView = false;
    const Grouping divided = search(net);
    EXPECT_FALSE(isBetter(divided.cost, found.cost, Objective::Traffic, chip));
    numBetter += isBetter(found.cost, divided.cost, Objective::Traffic, chip);
  }
  EXPECT_GT(numBetter, 2);
}

} // namespace

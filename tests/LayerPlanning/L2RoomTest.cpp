//===- L2RoomTest.cpp - What has room in second-level memory --------------===//

#include "tpu_mlir/LayerPlanning/L2Room.h"

#include "tests/LayerPlanning/Networks.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

/// a, b of a, c of b, and d of c and a, 1,024 bytes each.
struct Diamond {
  NetworkBuilder net;
  TensorId a, b, c, d;
  std::vector<bool> isExpected;

  Diamond() {
    a = net.elementwise({net.input(4, 16, 16)});
    b = net.elementwise({a});
    c = net.elementwise({b});
    d = net.elementwise({c, a});
    for (size_t id = 0; id < net.graph.tensors.size(); ++id) {
      EXPECT_EQ(net.graph.tensors[id].globalBytes, 1024);
      isExpected.push_back(TensorId(id) == a || TensorId(id) == b ||
                           TensorId(id) == c);
    }
  }

  /// All layers global.
  L2Room roomOf(int64_t l2Bytes) {
    Grouping grouping;
    grouping.order = net.order();
    for (LayerId id : grouping.order)
      grouping.cost += globalCost(net.graph, id, smallChip());
    return findRoomInL2(net.graph, grouping, isExpected, smallChip(), l2Bytes);
  }
};

TEST(L2RoomTest, WhatMovesMostStaysWhereNotAllCan) {
  Diamond diamond;
  // Nine transfers; three of `a`, two of `b` and `c` each.
  EXPECT_EQ(diamond.roomOf(0).globalBytes, 9 * 1024);
  EXPECT_EQ(diamond.roomOf(1023).without.size(), 3u);
  const L2Room one = diamond.roomOf(1024);
  EXPECT_EQ(one.globalBytes, 6 * 1024);
  EXPECT_EQ(one.without, (std::vector<TensorId>{diamond.b, diamond.c}));
  // While `c` is made of `b`, `a` waits.
  const L2Room two = diamond.roomOf(2048);
  EXPECT_EQ(two.globalBytes, 4 * 1024);
  EXPECT_EQ(two.without, (std::vector<TensorId>{diamond.c}));
  const L2Room all = diamond.roomOf(3072);
  EXPECT_EQ(all.globalBytes, 2 * 1024);
  EXPECT_TRUE(all.without.empty());
}

TEST(L2RoomTest, WhatHasRoomIsInsideWhateverElseHasNone) {
  Diamond diamond;
  diamond.net.graph.tensors[diamond.a].globalBytes = 2049;
  const L2Room room = diamond.roomOf(2048);
  EXPECT_EQ(room.without, (std::vector<TensorId>{diamond.a}));
  EXPECT_EQ(room.globalBytes, 3 * 2049 + 2 * 1024);
}

TEST(L2RoomTest, ViewsAndPiecesAreWhatTheyArePartsOf) {
  Diamond view;
  Layer &viewed = view.net.graph.layers[1];
  viewed.isView = viewed.isFreeGlobally = true;
  const L2Room one = view.roomOf(1024);
  EXPECT_EQ(one.globalBytes, 4 * 1024);
  EXPECT_EQ(one.without, (std::vector<TensorId>{view.c}));
  EXPECT_EQ(view.roomOf(0).without,
            (std::vector<TensorId>{view.c, view.a, view.b}));

  // The last one is no copy of its operands, and not expected.
  Diamond joined;
  joined.net.graph.layers[3].isFreeGlobally = true;
  EXPECT_EQ(joined.roomOf(1024).globalBytes, 4 * 1024);
}

/// All that layers hand to each other.
std::vector<bool> expectAll(LayerGraph &graph) {
  std::vector<bool> isExpected;
  for (Tensor &tensor : graph.tensors) {
    tensor.isInL2 = tensor.producer >= 0 && !tensor.readers.empty() &&
                    !tensor.isReadOutside;
    isExpected.push_back(tensor.isInL2);
  }
  return isExpected;
}

/// What groups are said to move in L2 is found again, tensor by tensor.
TEST(L2RoomTest, CountsWhatGroupsMove) {
  std::mt19937 random(11);
  int numGroups = 0;
  for (int i = 0; i < 60; ++i) {
    NetworkBuilder net = randomNetwork(random, 3 + i % 9);
    const std::vector<bool> isExpected = expectAll(net.graph);
    target::ChipSpec chip = smallChip();
    chip.l2BytesPerCycle = 64;
    chip.cores = chip.usedCores = 1 + i % 3;
    chip.sharedDmaBytesPerCycle = 2 * chip.dmaBytesPerCycle;
    SearchOptions options;
    options.group.objective = i % 2 ? Objective::Traffic : Objective::Balanced;
    const Grouping grouping =
        searchGroups(net.graph, net.order(), chip, options);
    numGroups += int(grouping.groups.size());
    const L2Room room =
        findRoomInL2(net.graph, grouping, isExpected, chip, int64_t(1) << 40);
    EXPECT_EQ(room.globalBytes, grouping.cost.globalBytes()) << i;
    EXPECT_TRUE(room.without.empty());
  }
  EXPECT_GT(numGroups, 60);
}

/// Never worse than the first guess, nor than none.
TEST(L2RoomTest, SearchesAgainWhereRoomIsMissing) {
  std::mt19937 random(13);
  int numBetter = 0;
  for (int i = 0; i < 40; ++i) {
    NetworkBuilder net = randomNetwork(random, 6 + i % 9);
    LayerGraph plain = net.graph;
    const std::vector<bool> isExpected = expectAll(net.graph);
    target::ChipSpec chip = smallChip();
    chip.l2BytesPerCycle = 64;
    SearchOptions options;
    options.group.objective = Objective::Traffic;
    const int64_t room = 2048 << i % 3;
    const auto bytesOf = [&](const Grouping &grouping) {
      return findRoomInL2(plain, grouping, isExpected, chip, room).globalBytes;
    };
    const int64_t found = bytesOf(
        searchGroupsInRoom(net.graph, net.order(), chip, options, room));
    const int64_t guessed =
        bytesOf(searchGroups(net.graph, net.order(), chip, options));
    EXPECT_LE(found, guessed) << i;
    numBetter += found < guessed;
    if (found == guessed)
      continue;
    EXPECT_LE(found, bytesOf(searchGroups(plain, net.order(), chip, options)))
        << i;
  }
  EXPECT_GT(numBetter, 2);
}

} // namespace

//===- EndSweepTest.cpp - What ends together lies together ----------------===//

#include "lib/Planning/Strategies/EndSweep.h"
#include "lib/Planning/Strategies/LifeBreaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr int64_t kManyNodes = int64_t(1) << 40;

bool isValid(const std::vector<SweptItem> &items,
             const std::vector<int64_t> &offsets, int64_t limitBytes) {
  for (size_t a = 0; a < items.size(); ++a) {
    if (offsets[a] < 0 || offsets[a] + items[a].sizeBytes > limitBytes)
      return false;
    for (size_t b = 0; b < a; ++b)
      if (items[a].life.begin < items[b].life.end &&
          items[b].life.begin < items[a].life.end &&
          offsets[a] < offsets[b] + items[b].sizeBytes &&
          offsets[b] < offsets[a] + items[a].sizeBytes)
        return false;
  }
  return true;
}

/// Activations of training with four passes in flight, each step forward of one
/// pass followed by a step backward of the oldest; layers have all sizes.
std::vector<SweptItem> wovenPasses(int64_t layers, int64_t passes,
                                   uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<int64_t> sizes;
  for (int64_t layer = 0; layer < layers; ++layer)
    sizes.push_back(1000 + int64_t(random() % 4000));
  // A step forward at even steps, of layer 0 first, backward at odd ones.
  std::vector<SweptItem> items;
  for (int64_t pass = 0; pass < passes; ++pass)
    for (int64_t layer = 0; layer < layers; ++layer)
      items.push_back({{2 * (pass * layers + layer),
                        2 * ((pass + 4) * layers - 1 - layer) + 2},
                       sizes[size_t(layer)]});
  return items;
}

/// The first of a few limits, in per mille above the live sum, that a sweep
/// keeps; 1,000 if none.
int64_t leastOf(EndSweep &sweep, bool isReversed) {
  for (int64_t more : {0, 1, 2, 5, 10, 20, 50, 100})
    if (sweep.run(sweep.peakBytes() * (1000 + more) / 1000, {1, 1, isReversed},
                  kManyNodes, {}))
      return more;
  return 1000;
}

TEST(EndSweep, IsNearTheLiveSumOfWovenPasses) {
  constexpr int kSeeds = 10;
  int64_t sum = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<SweptItem> items = wovenPasses(40, 20, seed);
    EndSweep sweep(items);
    const int64_t least = std::min(leastOf(sweep, false), leastOf(sweep, true));
    EXPECT_LE(least, 20) << seed;
    sum += least;
    const int64_t limit = sweep.peakBytes() * (1000 + least) / 1000;
    auto offsets = sweep.run(limit, {}, kManyNodes, {});
    if (!offsets)
      offsets = sweep.run(limit, {1, 1, true}, kManyNodes, {});
    ASSERT_TRUE(offsets);
    EXPECT_TRUE(isValid(items, *offsets, limit)) << seed;
    EXPECT_FALSE(sweep.run(sweep.peakBytes() - 1, {}, kManyNodes, {})) << seed;
  }
  EXPECT_LE(sum, 10 * kSeeds);
}

TEST(EndSweep, GoesBesideWhatEndsWhenItDoes) {
  // The first four fill memory, larger ones lower. Then the first and the third
  // are free, and the last one ends with the fourth, beside the third.
  const std::vector<SweptItem> items = {
      {{0, 1}, 40}, {{0, 9}, 30}, {{0, 1}, 20}, {{0, 5}, 10}, {{1, 5}, 4}};
  EndSweep sweep(items);
  const auto offsets = sweep.run(100, {}, kManyNodes, {});
  ASSERT_TRUE(offsets);
  EXPECT_TRUE(isValid(items, *offsets, 100));
  const int64_t fourth = (*offsets)[3], fifth = (*offsets)[4];
  EXPECT_TRUE(fifth + 4 == fourth || fourth + 10 == fifth)
      << fifth << " is not beside " << fourth;
}

TEST(EndSweep, IsValidOnRandomItemsOrGivesUp) {
  std::mt19937_64 random(7);
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<SweptItem> items;
    const size_t count = 1 + random() % 60;
    for (size_t n = 0; n < count; ++n) {
      const int64_t begin = int64_t(random() % 30);
      items.push_back({{begin, begin + 1 + int64_t(random() % 12)},
                       1 + int64_t(random() % 50)});
    }
    EndSweep sweep(items);
    for (int64_t percent : {100, 105, 120, 200}) {
      const int64_t limit = sweep.peakBytes() * percent / 100;
      const EndRule rule = {1 + int64_t(random() % 4),
                            1 + int64_t(random() % 4), random() % 2 == 0};
      const auto offsets = sweep.run(limit, rule, kManyNodes, {});
      found += offsets.has_value();
      if (offsets) {
        EXPECT_TRUE(isValid(items, *offsets, limit)) << i;
        EXPECT_EQ(offsets, sweep.run(limit, rule, kManyNodes, {})) << i;
      }
    }
  }
  EXPECT_GE(found, 700);
}

TEST(EndSweep, StopsAtItsLimits) {
  EndSweep sweep(wovenPasses(40, 1'000, 1));
  const int64_t enough = 2 * sweep.peakBytes();
  EXPECT_TRUE(sweep.run(enough, {}, kManyNodes, {}));
  EXPECT_FALSE(sweep.run(enough, {}, 1'000, {}));
  EXPECT_FALSE(sweep.run(enough, {}, kManyNodes, Deadline::in(0)));
}

/// Every other one of many neighbours ends early, and leaves a block that is
/// too small for what begins then: it looks at them all.
TEST(EndSweep, LooksAtTheClockAmongFreeBlocksAndWhenAllEnds) {
  constexpr int64_t kNeighbours = 120'000, kMostNodes = 50'000;
  std::vector<SweptItem> items;
  for (int64_t i = 0; i < kNeighbours; ++i)
    items.push_back({{i, i % 2 ? kNeighbours + 2 + i : kNeighbours}, 2});
  items.push_back({{kNeighbours, kNeighbours + 1}, 3});
  EndSweep sweep(items);
  const int64_t limit = 2 * kNeighbours + 3;
  ASSERT_TRUE(sweep.run(limit, {}, kManyNodes, {}));
  const int64_t all = sweep.nodes();
  EXPECT_GE(all, 4 * kNeighbours); // Begins, ends, and both ends of the blocks.
  int64_t before = 0;
  for (int64_t look = 0; before < all; ++look) {
    StopToken token;
    token.requestAfter(look);
    Deadline deadline;
    deadline.stopWhen(&token);
    const int64_t begin = sweep.nodes();
    const bool isDone = sweep.run(limit, {}, kManyNodes, deadline).has_value();
    const int64_t nodes = sweep.nodes() - begin;
    EXPECT_LE(nodes - before, kMostNodes) << look;
    EXPECT_EQ(isDone, nodes == all) << look;
    before = nodes;
  }
}

TEST(EndSweep, TellsWhatLeaves63Bits) {
  const int64_t half = int64_t(1) << 62;
  EXPECT_EQ(EndSweep({{{0, 2}, half}, {{1, 3}, half}}).peakBytes(), INT64_MAX);
}

Item itemOfLife(int64_t steps) {
  Item item;
  item.sizeBytes = 1;
  item.lifespans = {{0, steps}};
  return item;
}

TEST(LifeBreaks, AreTheWidest) {
  const auto breaksOf = [](const std::vector<int64_t> &lives) {
    std::vector<Item> items;
    for (int64_t life : lives)
      items.push_back(itemOfLife(life));
    return lifeBreaks(items);
  };
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(breaksOf({}), IsEmpty());
  EXPECT_THAT(breaksOf({1, 2, 5, 19}), IsEmpty());
  EXPECT_THAT(breaksOf({20, 1, 2, 5}), ElementsAre(20));
  EXPECT_THAT(breaksOf({1, 2, 20, 21, 1000}), ElementsAre(1000, 20));
  EXPECT_THAT(breaksOf({1, 10, 10'000, 50'000, 400'000}),
              ElementsAre(10'000, 10, 400'000));
}

} // namespace

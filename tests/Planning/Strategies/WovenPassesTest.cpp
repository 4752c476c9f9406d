//===- WovenPassesTest.cpp - Every pass at the places of an earlier one ---===//

#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Strategies/Woven/PassPlaces.h"
#include "lib/Planning/Strategies/Woven/Passes.h"
#include "lib/Planning/Strategies/Woven/Refit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr int64_t kManyNodes = int64_t(1) << 40;

Item itemOf(Interval life, int64_t sizeBytes) {
  Item item;
  item.sizeBytes = sizeBytes;
  item.lifespans = {life};
  return item;
}

/// Steps forward are even, those backward odd: pass p is forward in period p
/// and backward in period p + inFlight, one level after the other.
std::vector<Item> wovenPasses(const std::vector<int64_t> &sizes, int64_t passes,
                              int64_t inFlight) {
  const int64_t levels = int64_t(sizes.size());
  std::vector<Item> items;
  for (int64_t pass = 0; pass < passes; ++pass)
    for (int64_t level = 0; level < levels; ++level)
      items.push_back(
          itemOf({2 * (pass * levels + level),
                  2 * ((pass + inFlight + 1) * levels - 1 - level) + 2},
                 sizes[size_t(level)]));
  return items;
}

std::vector<size_t> shuffledIds(size_t count, uint64_t seed) {
  std::vector<size_t> ids(count);
  std::iota(ids.begin(), ids.end(), size_t(0));
  std::shuffle(ids.begin(), ids.end(), std::mt19937_64(seed));
  return ids;
}

TEST(Passes, AreFoundWhateverTheOrder) {
  const std::vector<Item> items = wovenPasses({5, 3, 8, 1}, 9, 3);
  for (uint64_t seed : {1, 2, 3}) {
    const auto passes = passesOf(items, shuffledIds(items.size(), seed));
    ASSERT_TRUE(passes);
    ASSERT_EQ(passes->list.size(), 9u);
    for (size_t pass = 0; pass < 9; ++pass)
      EXPECT_THAT(passes->list[pass],
                  testing::ElementsAre(4 * pass, 4 * pass + 1, 4 * pass + 2,
                                       4 * pass + 3));
    EXPECT_TRUE(passes->rest.empty());
    EXPECT_EQ(passes->inFlight, 3u);
    // The outer half begins before the one of its track is over.
    EXPECT_EQ(passes->isLong, std::vector<bool>({true, true, false, false}));
  }
}

TEST(Passes, WhatBelongsToNoneIsLeft) {
  std::vector<Item> items = wovenPasses({5, 3, 8, 1}, 9, 3);
  items.push_back(itemOf({1, 3}, 77));
  const auto passes = passesOf(items, shuffledIds(items.size(), 1));
  ASSERT_TRUE(passes);
  // It is inside of the first pass.
  EXPECT_EQ(passes->list.size(), 8u);
  EXPECT_EQ(passes->rest.size(), 5u);
}

TEST(Passes, AreNotThereWithoutAPattern) {
  EXPECT_FALSE(passesOf({}, {}));
  // One inside the other, once.
  std::vector<Item> items;
  for (int64_t i = 0; i < 20; ++i)
    items.push_back(itemOf({i, 100 - i}, 1));
  EXPECT_FALSE(passesOf(items, shuffledIds(items.size(), 1)));
  // Gaps.
  items = wovenPasses({5, 3}, 9, 3);
  EXPECT_TRUE(passesOf(items, shuffledIds(items.size(), 1)));
  items[4].lifespans = {{8, 9}, {10, 12}};
  EXPECT_FALSE(passesOf(items, shuffledIds(items.size(), 1)));
}

/// Two levels, the outer one larger: with slots there are four of it and three
/// of the other, which is what is alive at the peak. On the stacks alone each
/// would have to hold both passes' outer level.
TEST(PassPlaces, SlotsAreForWhatIsLong) {
  PassPeriod period;
  period.inFlight = 3;
  period.levels = {{10, {0, 4}, {0, 3}, true}, {4, {2, 4}, {0, 1}, false}};
  period.temporaries = {{}, {}, {}, {}};
  PassPlacesSearch search(period);
  const PassPlaces places = search.run(kManyNodes, {}).front();
  EXPECT_EQ(places.isApart, std::vector<bool>({true, false}));
  EXPECT_EQ(places.totalBytes, 4 * 10 + 3 * 4);
  EXPECT_EQ(places.freeBytes, 0);
}

/// At step 1 nothing is in the third inner place: 4 bytes, of which a temporary
/// takes 3. At step 2 all is full.
TEST(PassPlaces, TemporariesFillHoles) {
  PassPeriod period;
  period.inFlight = 3;
  period.levels = {{10, {0, 4}, {0, 3}, true}, {4, {2, 4}, {0, 1}, false}};
  for (int64_t bytes : {3, 4, 5}) {
    period.temporaries = {{}, {bytes}, {}, {2}};
    PassPlacesSearch search(period);
    const PassPlaces places = search.run(kManyNodes, {}).front();
    EXPECT_EQ(places.freeBytes, bytes > 4 ? bytes : 0) << bytes;
    EXPECT_EQ(places.totalBytes, 52 + places.freeBytes) << bytes;
  }
}

TEST(PassPlaces, RepeatsAndEndsWhenItHasTo) {
  std::mt19937_64 random(7);
  PassPeriod period;
  period.inFlight = 3;
  constexpr int64_t kLevels = 24;
  for (int64_t level = 0; level < kLevels; ++level)
    period.levels.push_back({int64_t(100 + random() % 900),
                             {2 * level, 2 * kLevels},
                             {0, 2 * (kLevels - level) - 1},
                             level < kLevels / 2});
  for (int64_t step = 0; step < 2 * kLevels; ++step)
    period.temporaries.push_back({int64_t(500 + random() % 900)});
  PassPlacesSearch first(period), second(period), cut(period);
  const PassPlaces places = first.run(kManyNodes, {}).front();
  const PassPlaces again = second.run(kManyNodes, {}).front();
  EXPECT_EQ(places.isApart, again.isApart);
  EXPECT_EQ(places.totalBytes, again.totalBytes);
  EXPECT_EQ(first.nodes(), second.nodes());
  EXPECT_LE(first.nodes(), 200'000);
  const PassPlaces least = cut.run(0, {}).front();
  EXPECT_GE(least.totalBytes, places.totalBytes);
  EXPECT_LE(cut.nodes(), 20'000);
}

/// First fit put the small one below the large ones: there is room for all in
/// another order only.
TEST(Refit, FindsRoomInAnotherOrder) {
  const std::vector<Item> items = {itemOf({0, 9}, 10), itemOf({1, 3}, 4),
                                   itemOf({2, 4}, 4), itemOf({3, 5}, 6)};
  const std::vector<size_t> movable = {1, 2, 3};
  std::vector<int64_t> offsets = {0, 10, 16, 20};
  EXPECT_FALSE(Refit(items, movable, offsets, 19).run(3));
  EXPECT_EQ(offsets, std::vector<int64_t>({0, 10, 16, 20}));
  EXPECT_TRUE(Refit(items, movable, offsets, 20).run(3));
  EXPECT_EQ(offsets[0], 0);
  PackingProblem problem;
  problem.items = items;
  EXPECT_TRUE(isValidPacking(problem, offsets));
  EXPECT_LE(problem.highWater(offsets), 20);
}

/// All that is kept, at the live sum: its size is that of one pass more or
/// less, whatever the sizes, and no byte is lost between places.
TEST(WovenPasses, EndNearTheLiveSum) {
  const Strategy &strategy = *StrategyRegistry::find("end-matching");
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<int64_t> sizes;
    for (int level = 0; level < 40; ++level)
      sizes.push_back(1000 + int64_t(random() % 9000));
    PackingProblem problem;
    problem.items = wovenPasses(sizes, 20, 3);
    int64_t end = 0;
    for (const Item &item : problem.items)
      end = std::max(end, item.lifespans.front().end);
    for (int64_t step = 0; step < end; step += 2)
      problem.items.push_back(
          itemOf({step, step + 2}, int64_t(random() % 5000)));
    problem.lowerBoundBytes = 1;
    SolveOptions options;
    options.nodeLimit = kManyNodes;
    const auto packing = strategy.pack(problem, options);
    ASSERT_TRUE(packing);
    std::vector<int64_t> alive(size_t(end) + 1);
    for (const Item &item : problem.items)
      for (int64_t step = item.lifespans.front().begin;
           step < item.lifespans.front().end; ++step)
        alive[size_t(step)] += item.sizeBytes;
    const int64_t bound = *std::max_element(alive.begin(), alive.end());
    EXPECT_TRUE(isValidPacking(problem, packing->offsets));
    EXPECT_LE(problem.highWater(packing->offsets), bound + bound / 100) << seed;
  }
}

} // namespace

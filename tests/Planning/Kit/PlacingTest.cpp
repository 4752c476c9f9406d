//===- PlacingTest.cpp - The structures after the strategies -------------===//

#include "lib/Planning/Kit/TimeTree.h"
#include "lib/Planning/Pools/MultiPool.h"
#include "lib/Planning/Strategies/FreeList.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

TEST(ByteSet, JoinsNeighbours) {
  ByteSet set;
  set.insert({10, 20});
  set.insert({30, 40});
  set.insert({5, 5});
  EXPECT_EQ(set.ranges(), (std::vector<Interval>{{10, 20}, {30, 40}}));
  set.insert({20, 30});
  EXPECT_EQ(set.ranges(), (std::vector<Interval>{{10, 40}}));
  set.insert({0, 5});
  set.insert({3, 12});
  EXPECT_EQ(set.ranges(), (std::vector<Interval>{{0, 40}}));
}

TEST(GapFinder, FindsTheFirstGapThatIsLargeEnough) {
  ByteSet set;
  set.insert({10, 20});
  set.insert({30, 40});
  EXPECT_EQ(GapFinder(set).firstGap(0, 10), 0);
  EXPECT_EQ(GapFinder(set).firstGap(0, 11), 40);
  EXPECT_EQ(GapFinder(set).firstGap(1, 10), 20);
  EXPECT_EQ(GapFinder(set).firstGap(15, 3), 20);
  EXPECT_EQ(GapFinder(set).firstGap(21, 10), 40);
  EXPECT_EQ(GapFinder(set).firstGap(40, 1000), 40);
  GapFinder finder(set);
  EXPECT_EQ(finder.firstGap(0, 10), 0);
  EXPECT_EQ(finder.firstGap(12, 10), 20);
  EXPECT_EQ(finder.firstGap(20, 10), 20);
  EXPECT_EQ(finder.firstGap(21, 10), 40);
}

TEST(LowestFit, AgainstEveryOffset) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Interval> blocked;
    for (uint64_t i = random() % 5; i > 0; --i) {
      const int64_t begin = int64_t(random() % 40);
      blocked.push_back({begin, begin + int64_t(random() % 9)});
    }
    std::sort(blocked.begin(), blocked.end());
    const int64_t from = int64_t(random() % 20);
    const int64_t size = 1 + int64_t(random() % 9);
    const int64_t alignment = 1 + int64_t(random() % 7);
    int64_t expected = from;
    while (expected % alignment != 0 ||
           std::any_of(blocked.begin(), blocked.end(), [&](Interval b) {
             return b.overlaps({expected, expected + size});
           }))
      ++expected;
    ASSERT_EQ(lowestFit(from, size, alignment, blocked), expected);
  }
}

/// The tree against a list of all that was put in.
TEST(TimeTree, KnowsWhatIsTakenWhen) {
  std::mt19937_64 random(5);
  auto draw = [&](int64_t below) {
    return int64_t(random() % uint64_t(below));
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Item> items(12);
    std::vector<Interval> bytes;
    for (Item &item : items) {
      std::vector<Interval> life;
      for (int64_t i = 1 + draw(3); i > 0; --i) {
        const int64_t begin = draw(30);
        life.push_back({begin, begin + 1 + draw(8)});
      }
      item.lifespans = normalize(life);
      const int64_t begin = draw(50);
      bytes.push_back({begin, begin + 1 + draw(10)});
    }
    TimeTree tree(items);
    for (size_t i = 0; i < items.size(); ++i)
      tree.insert(items[i], bytes[i]);
    // Any span, not only those of the items.
    Item probe;
    const int64_t from = draw(40);
    probe.lifespans = {{from, from + 1 + draw(6)}};
    for (int64_t byte = 0; byte < 62; ++byte) {
      bool expected = false, found = false;
      for (size_t i = 0; i < items.size(); ++i)
        expected |= bytes[i].contains(byte) &&
                    anyOverlap(items[i].lifespans, probe.lifespans);
      for (const ByteSet *set : tree.query(probe))
        found |= GapFinder(*set).firstGap(byte, 1) != byte;
      ASSERT_EQ(found, expected) << "byte " << byte << ", round " << round;
    }
  }
}

TEST(FreeList, TakesSplitsAndJoins) {
  FreeList list;
  list.take({0, 10});
  list.take({16, 20});
  EXPECT_EQ(list.top(), 20);
  EXPECT_EQ(list.bestFit(6, 1), 10);
  EXPECT_EQ(list.bestFit(6, 4), std::nullopt);
  EXPECT_EQ(list.bestFit(4, 4), 12);
  list.take({12, 14});
  EXPECT_EQ(list.blocks(), (std::map<int64_t, int64_t>{{10, 12}, {14, 16}}));
  list.release({12, 14});
  EXPECT_EQ(list.blocks(), (std::map<int64_t, int64_t>{{10, 16}}));
  list.release({16, 20});
  EXPECT_EQ(list.top(), 10);
  EXPECT_TRUE(list.blocks().empty());
  list.release({0, 10});
  EXPECT_EQ(list.top(), 0);
}

/// The rule as it reads, step by step.
std::vector<size_t> overCapacityByHand(std::vector<Item> items,
                                       const std::vector<bool> &isMovable,
                                       int64_t capacity) {
  std::vector<size_t> gone;
  while (true) {
    int64_t peak = 0, peakStep = 0;
    for (int64_t step = 0; step < 40; ++step) {
      int64_t sum = 0;
      for (const Item &item : items)
        if (anyOverlap(item.lifespans, {{step, step + 1}}))
          sum += item.sizeBytes;
      if (sum > peak) {
        peak = sum;
        peakStep = step;
      }
    }
    std::optional<size_t> best;
    for (size_t id = 0; id < items.size(); ++id)
      if (isMovable[id] && !items[id].lifespans.empty() &&
          anyOverlap(items[id].lifespans, {{peakStep, peakStep + 1}}) &&
          (!best || items[id].sizeBytes > items[*best].sizeBytes))
        best = id;
    if (peak <= capacity || !best)
      break;
    gone.push_back(*best);
    items[*best].lifespans.clear();
  }
  std::sort(gone.begin(), gone.end());
  return gone;
}

TEST(MultiPool, TheLargestAtThePeakGoes) {
  std::mt19937_64 random(11);
  auto draw = [&](int64_t below) {
    return int64_t(random() % uint64_t(below));
  };
  size_t moved = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Item> items(size_t(1 + draw(15)));
    std::vector<bool> isMovable;
    for (Item &item : items) {
      const int64_t first = draw(20), second = 20 + draw(15);
      item.lifespans = {{first, first + 1 + draw(5)}};
      if (draw(3) == 0)
        item.lifespans.push_back({second, second + 1 + draw(5)});
      item.lifespans = normalize(item.lifespans);
      item.sizeBytes = 1 + draw(30);
      isMovable.push_back(draw(4) != 0);
    }
    const int64_t capacity = draw(80);
    std::vector<size_t> largestFirst(items.size());
    std::iota(largestFirst.begin(), largestFirst.end(), 0);
    std::stable_sort(largestFirst.begin(), largestFirst.end(),
                     [&](size_t a, size_t b) {
                       return items[a].sizeBytes > items[b].sizeBytes;
                     });
    const auto gone =
        itemsOverCapacity(items, isMovable, largestFirst, capacity);
    ASSERT_EQ(gone, overCapacityByHand(items, isMovable, capacity))
        << "round " << round;
    moved += gone.size();
  }
  EXPECT_GT(moved, 300u);
}

} // namespace

//===- BlocksTest.cpp - Gluing and the way back ---------------------------===//

#include "lib/Planning/Search/Blocks.h"
#include "lib/Planning/Kit/Packing.h"

#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

Item item(Interval life, int64_t sizeBytes, int64_t alignment = 1) {
  Item result;
  result.sizeBytes = sizeBytes;
  result.alignment = alignment;
  result.lifespans = {life};
  result.readSteps = {life.end - 1};
  return result;
}

PackingProblem packingOf(std::vector<Item> items) {
  PackingProblem packing;
  packing.items = std::move(items);
  packing.lowerBoundBytes =
      boundOfItems(packing.items, packing.forbiddenSharing).bytes;
  return packing;
}

PackingProblem packingOf(const Problem &problem) {
  PackingProblem packing;
  for (const StorageClass &storage : foldAliases(problem))
    packing.items.push_back(itemOf(storage, problem.pools[0]));
  packing.lowerBoundBytes =
      boundOfItems(packing.items, packing.forbiddenSharing).bytes;
  return packing;
}

PackingProblem tiling(const GenerateOptions &options) {
  return packingOf(std::get<Generated>(generate(options)).problem);
}

std::vector<std::vector<int64_t>> packings(const PackingProblem &problem) {
  std::vector<std::vector<int64_t>> all;
  for (const char *name :
       {"sequential", "best-fit", "first-fit-decreasing", "greedy-by-size"})
    if (auto packing = StrategyRegistry::find(name)->pack(problem, {}))
      all.push_back(packing->offsets);
  return all;
}

/// Every packing of the glued problem is one of the whole, as high.
void expectPackingsToHold(const PackingProblem &problem,
                          const BlockedProblem &blocked) {
  ASSERT_EQ(blocked.itemCount, problem.items.size());
  for (const std::vector<int64_t> &offsets : packings(blocked.reduced)) {
    ASSERT_TRUE(isValidPacking(blocked.reduced, offsets));
    const std::vector<int64_t> expanded = blocked.expand(offsets);
    ASSERT_TRUE(isValidPacking(problem, expanded));
    EXPECT_EQ(problem.highWater(expanded), blocked.reduced.highWater(offsets));
  }
}

/// The items that stand for themselves in the glued problem.
std::vector<bool> isAlone(const BlockedProblem &blocked) {
  std::vector<bool> result(blocked.itemCount, false);
  for (int32_t node : blocked.nodeOf)
    if (size_t(node) < blocked.itemCount)
      result[size_t(node)] = true;
  return result;
}

TEST(Blocks, StackOfOneLife) {
  const PackingProblem p = packingOf(
      {item({0, 4}, 10), item({0, 4}, 6), item({0, 4}, 1), item({2, 5}, 3)});
  const BlockedProblem blocked = BlockBuilder(p, 0).blocked();
  ASSERT_EQ(blocked.reduced.items.size(), 2u);
  expectPackingsToHold(p, blocked);
}

TEST(Blocks, JoinOfOneSize) {
  const PackingProblem p =
      packingOf({item({0, 3}, 8), item({3, 5}, 8), item({5, 9}, 8)});
  const BlockedProblem blocked = BlockBuilder(p, 0).blocked();
  ASSERT_EQ(blocked.reduced.items.size(), 1u);
  EXPECT_EQ(blocked.reduced.items[0].lifespans,
            (std::vector<Interval>{{0, 9}}));
  EXPECT_EQ(blocked.expand({16}), (std::vector<int64_t>{16, 16, 16}));
}

TEST(Blocks, WheelOfFive) {
  // In turn: bottom, right, top, left and the hub.
  const PackingProblem p =
      packingOf({item({0, 3}, 2), item({3, 4}, 4), item({1, 4}, 1),
                 item({0, 1}, 3), item({1, 3}, 2)});
  for (uint64_t seed : {0, 1, 2, 3, 4, 5, 6, 7}) {
    const BlockedProblem blocked = BlockBuilder(p, seed).blocked();
    ASSERT_EQ(blocked.reduced.items.size(), 1u) << "seed " << seed;
    EXPECT_EQ(blocked.reduced.items[0].sizeBytes, 5);
    expectPackingsToHold(p, blocked);
  }
}

TEST(Blocks, NothingFits) {
  const PackingProblem p =
      packingOf({item({0, 3}, 8), item({3, 5}, 7), item({4, 9}, 8)});
  EXPECT_EQ(BlockBuilder(p, 0).blockCount(), 3u);
}

TEST(Blocks, OnlyEqualAlignmentsAndThePaddingCounts) {
  // 5 and 6 bytes take 8 each from what is above, 8 bytes at 4 stay out.
  const PackingProblem p =
      packingOf({item({0, 4}, 5, 8), item({0, 4}, 6, 8), item({0, 4}, 8, 4)});
  const BlockedProblem blocked = BlockBuilder(p, 0).blocked();
  ASSERT_EQ(blocked.reduced.items.size(), 2u);
  expectPackingsToHold(p, blocked);
  // The last byte is the one in use, not that of the padding.
  for (const Item &whole : blocked.reduced.items)
    EXPECT_TRUE(whole.alignment == 4 || whole.sizeBytes == 13 ||
                whole.sizeBytes == 14);
}

/// All lives that touch an end of time have one of two steps in common with
/// those of the other strips, and are stacked with what is not their own.
TEST(Blocks, PilesOfSeveralStripsAreSplit) {
  PackingProblem p;
  for (uint64_t seed = 1; seed <= 21; ++seed) {
    GenerateOptions options;
    options.family = "guillotine";
    options.buffers = 1'000;
    options.seed = seed;
    for (const Item &piece : tiling(options).items)
      p.items.push_back(piece);
  }
  p.lowerBoundBytes = boundOfItems(p.items, {}).bytes;
  ASSERT_GT(int64_t(p.items.size()), kManyToGlue);
  BlockBuilder builder(p, 0);
  EXPECT_GT(builder.blockCount(), 100u);
  for (int i = 0; i < 4; ++i) {
    builder.improve(500);
    expectPackingsToHold(p, builder.blocked());
  }
  builder.improve(20'000);
  EXPECT_EQ(builder.blockCount(), 1u);
  const BlockedProblem blocked = builder.blocked();
  const std::vector<int64_t> offsets = blocked.expand({0});
  EXPECT_TRUE(isValidPacking(p, offsets));
  EXPECT_EQ(p.highWater(offsets), p.lowerBoundBytes);
}

TEST(Blocks, PinsGapsAndPartnersStayAlone) {
  PackingProblem p =
      packingOf({item({0, 4}, 8), item({0, 4}, 8), item({0, 4}, 8),
                 item({0, 4}, 8), item({0, 4}, 8), item({0, 4}, 8)});
  p.items[1].pinOffset = 64;
  p.items[2].lifespans = {{0, 1}, {3, 4}};
  p.forbiddenSharing = {{3, 4}};
  const BlockedProblem blocked = BlockBuilder(p, 0).blocked();
  EXPECT_EQ(isAlone(blocked),
            (std::vector<bool>{false, true, true, true, true, false}));
  // They are what they were, and the pair is still one.
  for (size_t i = 0; i < blocked.nodeOf.size(); ++i) {
    const int32_t node = blocked.nodeOf[i];
    if (size_t(node) >= blocked.itemCount)
      continue;
    EXPECT_EQ(blocked.reduced.items[i].pinOffset,
              p.items[size_t(node)].pinOffset);
    EXPECT_EQ(blocked.reduced.items[i].lifespans,
              p.items[size_t(node)].lifespans);
  }
  ASSERT_EQ(blocked.reduced.forbiddenSharing.size(), 1u);
  const auto [a, b] = blocked.reduced.forbiddenSharing[0];
  EXPECT_EQ(blocked.nodeOf[size_t(a)] + blocked.nodeOf[size_t(b)], 7);
  expectPackingsToHold(p, blocked);
}

struct Tiling {
  const char *family;
  int64_t buffers;
};

class Tilings : public testing::TestWithParam<Tiling> {
protected:
  GenerateOptions options(uint64_t seed) const {
    GenerateOptions result;
    result.family = GetParam().family;
    result.buffers = GetParam().buffers;
    result.seed = seed;
    return result;
  }
};

TEST_P(Tilings, PackingsOfTheGluedAreOnesOfTheWhole) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const PackingProblem p = tiling(options(seed));
    BlockBuilder builder(p, seed % 3 == 0 ? seed : 0);
    EXPECT_LT(builder.blockCount(), p.items.size() / 2);
    expectPackingsToHold(p, builder.blocked());
    for (int round = 0; round < 3; ++round) {
      const size_t before = builder.blockCount();
      builder.improve(50);
      EXPECT_LE(builder.blockCount(), before);
      const BlockedProblem blocked = builder.blocked();
      EXPECT_EQ(blocked.reduced.items.size(), builder.blockCount());
      expectPackingsToHold(p, blocked);
    }
    if (HasFailure())
      FAIL() << "seed " << seed;
  }
}

TEST_P(Tilings, GapsPinsAndAlignmentsAmongThem) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    GenerateOptions mixed = options(seed);
    mixed.gapPercent = 10;
    mixed.pinPercent = seed % 2 ? 5 : 0;
    mixed.deletePercent = 5;
    // Sizes are multiples of 64, so 96 and 256 leave padding.
    mixed.alignments = {1, 96, 256};
    PackingProblem p = tiling(mixed);
    std::mt19937_64 random(seed);
    for (Item &each : p.items)
      each.sizeBytes -= random() % 8 == 0 ? int64_t(random() % 3) : 0;
    const size_t half = p.items.size() / 2;
    p.forbiddenSharing = {{0, int64_t(half)}, {1, int64_t(half) + 1}};
    BlockBuilder builder(p, seed);
    for (int round = 0; round < 3; ++round) {
      const BlockedProblem blocked = builder.blocked();
      const std::vector<bool> alone = isAlone(blocked);
      for (size_t i = 0; i < p.items.size(); ++i) {
        const bool must =
            p.items[i].pinOffset || p.items[i].lifespans.size() > 1;
        EXPECT_TRUE(alone[i] || !must) << "item " << i;
      }
      EXPECT_TRUE(alone[0] && alone[1] && alone[half] && alone[half + 1]);
      expectPackingsToHold(p, blocked);
      builder.improve(50);
    }
    if (HasFailure())
      FAIL() << "seed " << seed;
  }
}

TEST_P(Tilings, TheSeedDecidesAndNothingElse) {
  const PackingProblem p = tiling(options(7));
  for (uint64_t seed : {0, 1, 2}) {
    BlockBuilder one(p, seed), two(p, seed);
    one.improve(100);
    two.improve(60);
    two.improve(40);
    const BlockedProblem a = one.blocked(), b = two.blocked();
    EXPECT_EQ(a.nodeOf, b.nodeOf);
    EXPECT_EQ(a.firstPart, b.firstPart);
    std::vector<int64_t> offsets(a.nodeOf.size());
    std::iota(offsets.begin(), offsets.end(), 0);
    EXPECT_EQ(a.expand(offsets), b.expand(offsets));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Families, Tilings,
    testing::Values(Tiling{"guillotine", 30}, Tiling{"guillotine", 120},
                    Tiling{"guillotine", 400}, Tiling{"pinwheel", 30},
                    Tiling{"pinwheel", 120}, Tiling{"pinwheel", 400}),
    [](const auto &info) {
      return info.param.family + std::to_string(info.param.buffers);
    });

} // namespace

//===- CompleterTest.cpp - What is missing is guessed, and glued ----------===//

#include "lib/Planning/Search/Relatives/Completer.h"
#include "lib/Planning/Kit/Packing.h"

#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gtest/gtest.h>

#include <map>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

bool never() { return false; }

Item itemOf(Interval life, int64_t bytes) {
  Item item;
  item.sizeBytes = bytes;
  item.lifespans = {life};
  return item;
}

PackingProblem strip(int64_t buffers, uint64_t seed, int64_t deletePercent) {
  GenerateOptions options;
  options.family = seed % 2 == 0 ? "guillotine" : "pinwheel";
  options.buffers = buffers;
  options.seed = seed;
  options.deletePercent = deletePercent;
  PackingProblem problem;
  const Generated made = std::get<Generated>(generate(options));
  for (const Buffer &buffer : made.problem.buffers)
    problem.items.push_back(
        {buffer.sizeBytes, buffer.alignment, buffer.lifespans, {}, {}});
  problem.lowerBoundBytes = boundOfItems(problem.items).bytes;
  return problem;
}

PackingProblem randomProblem(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  PackingProblem problem;
  for (int i = 0; i < count; ++i) {
    const int64_t begin = int64_t(random() % 20);
    problem.items.push_back(itemOf({begin, begin + 1 + int64_t(random() % 9)},
                                   int64_t(random() % 12)));
  }
  problem.lowerBoundBytes = boundOfItems(problem.items).bytes;
  return problem;
}

/// Live bytes from each step on.
std::map<int64_t, int64_t> liveSums(const std::vector<Item> &items,
                                    const std::vector<Missing> &missing) {
  std::map<int64_t, int64_t> sums;
  const auto add = [&](Interval life, int64_t bytes) {
    sums[life.begin] += bytes;
    sums[life.end] -= bytes;
  };
  for (const Item &item : items)
    add(item.lifespans.front(), item.sizeBytes);
  for (const Missing &piece : missing)
    add(piece.life, piece.bytes);
  int64_t sum = 0;
  for (auto &[step, bytes] : sums)
    bytes = sum += bytes;
  return sums;
}

std::vector<Item> sixPieces() {
  //   40 |   c    | d |
  //      |--------|   |-----
  //      |   a        |  e
  //    0 |  f: all the time
  return {itemOf({0, 8}, 20), itemOf({0, 5}, 10), itemOf({5, 8}, 10),
          itemOf({8, 12}, 30), itemOf({0, 12}, 5)};
}

TEST(Missing, OfOnePieceIsThatPiece) {
  for (size_t left = 0; left < 4; ++left) {
    std::vector<Item> items = sixPieces();
    const Item gone = items[left];
    items.erase(items.begin() + ptrdiff_t(left));
    const auto missing = missingItems(items, 35, 0, never);
    ASSERT_EQ(missing.size(), 1u);
    EXPECT_EQ(missing[0].life, gone.lifespans.front());
    EXPECT_EQ(missing[0].bytes, gone.sizeBytes);
  }
}

TEST(Missing, EndsThatAddUpAreTwoPieces) {
  // Two begin together, and end one after the other.
  std::vector<Item> items = {itemOf({0, 20}, 10), itemOf({0, 3}, 12),
                             itemOf({7, 20}, 5), itemOf({9, 20}, 7)};
  const auto missing = missingItems(items, 22, 0, never);
  ASSERT_EQ(missing.size(), 2u);
  EXPECT_EQ(missing[0].bytes + missing[1].bytes, 12);
  EXPECT_EQ(missing[0].life.begin, 3);
  EXPECT_EQ(missing[1].life.begin, 3);
}

/// Whatever it is cut into, it is all that lacks, and never more.
TEST(Missing, FillsUpToTheTotal) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const PackingProblem problem = randomProblem(seed, 1 + int(seed % 40));
    const int64_t total = problem.lowerBoundBytes + int64_t(seed % 3);
    const auto missing = missingItems(problem.items, total, seed, never);
    const auto sums = liveSums(problem.items, missing);
    for (auto sum = sums.begin(); std::next(sum) != sums.end(); ++sum)
      EXPECT_EQ(sum->second, total) << "seed " << seed;
    for (const Missing &piece : missing) {
      EXPECT_GT(piece.bytes, 0);
      EXPECT_FALSE(piece.life.empty());
    }
    // Cut anew it is still the same.
    const auto anew = cutAnew(missing, {0, 29}, seed + 1);
    EXPECT_EQ(liveSums(problem.items, anew), sums);
  }
}

TEST(Missing, WhenItIsLateItFillsUp) {
  const PackingProblem problem = strip(64, 1, 20);
  const auto missing = missingItems(problem.items, problem.lowerBoundBytes, 0,
                                    [] { return true; });
  const auto sums = liveSums(problem.items, missing);
  for (const auto &[step, sum] : sums)
    EXPECT_TRUE(sum == problem.lowerBoundBytes || sum == 0) << step;
}

TEST(Totals, AreGuessedFromTheEndsAndRoundNumbers) {
  // 64 bytes at all steps, but for two pieces in which only 60 are ever there:
  // one at the beginning, one at the end.
  std::vector<Item> items = {itemOf({0, 4}, 1), itemOf({8, 12}, 3)};
  for (int64_t i = 0; i < 10; ++i)
    items.push_back(itemOf({0, 12}, 6));
  items[2].sizeBytes = 5;
  items[0] = itemOf({4, 12}, 4);
  items[1] = itemOf({0, 8}, 4);
  items.pop_back(); // 57 of 64 at all steps.
  // From 4 to 8 all 61 are there; both ends lack 4.
  EXPECT_EQ(likelyTotals(items, never), std::vector<int64_t>({61, 64}));
  // Changes everywhere: nothing was taken from that.
  EXPECT_EQ(likelyTotals({itemOf({0, 4}, 30), itemOf({2, 8}, 10)}, never),
            std::vector<int64_t>());
}

TEST(Completer, PutsAStripTogetherAgain) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const PackingProblem problem = strip(300, seed, 4);
    int64_t total = problem.lowerBoundBytes;
    // The strips are as high as a power of two.
    while ((total & (total - 1)) != 0)
      total += total & -total;
    Completer completer(problem, total, seed, never);
    completer.improve(20'000'000, never);
    EXPECT_LE(completer.blockCount(), 30u);
    EXPECT_GT(completer.nodes(), 0);
    const PackingProblem blocks = completer.blocked().reduced;
    EXPECT_LE(boundOfItems(blocks.items).bytes, total);
  }
}

/// Items that others glue to nothing stay what they are, also when blocks were
/// taken apart and forgotten very often.
TEST(Completer, MakesPackingsOfPackings) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    PackingProblem problem =
        seed % 2 == 0 ? strip(60, seed + 1, 10) : randomProblem(seed, 60);
    if (seed % 3 == 0) {
      problem.forbiddenSharing = {{0, 7}, {3, 40}};
      problem.items[5].pinOffset = problem.items[5].alignment * 1000;
    }
    Completer completer(problem, problem.lowerBoundBytes, seed, never);
    completer.improve(200'000, never);
    const BlockedProblem blocked = completer.blocked();
    const PackingProblem &blocks = blocked.reduced;
    ASSERT_LE(blocks.items.size(), problem.items.size());
    EXPECT_EQ(blocks.forbiddenSharing.size(), problem.forbiddenSharing.size());
    const auto packing =
        StrategyRegistry::find("first-fit-decreasing")->pack(blocks, {});
    ASSERT_TRUE(packing);
    const std::vector<int64_t> offsets = blocked.expand(packing->offsets);
    ASSERT_EQ(offsets.size(), problem.items.size());
    EXPECT_TRUE(isValidPacking(problem, offsets));
    EXPECT_LE(problem.highWater(offsets), blocks.highWater(packing->offsets));
  }
}

/// One block of blocks of blocks, as deep as there are items.
TEST(Completer, GluesLongChains) {
  PackingProblem problem;
  for (int64_t i = 0; i < 50'000; ++i)
    problem.items.push_back(itemOf({i, i + 1}, 64));
  problem.items.push_back(itemOf({0, 20'000}, 8));
  problem.items.push_back(itemOf({30'000, 50'000}, 8));
  problem.lowerBoundBytes = 72;
  Completer completer(problem, 72, 0, never);
  completer.improve(1'000'000, never);
  EXPECT_EQ(completer.blockCount(), 1u);
  const std::vector<int64_t> offsets = completer.blocked().expand({0});
  EXPECT_TRUE(isValidPacking(problem, offsets));
}

TEST(Completer, RepeatsItselfAndEndsWhenItIsLate) {
  const PackingProblem problem = strip(200, 3, 15);
  std::vector<size_t> counts;
  std::vector<int64_t> nodes;
  for (int run = 0; run < 2; ++run) {
    Completer completer(problem, problem.lowerBoundBytes, 5, never);
    completer.improve(300'000, never);
    counts.push_back(completer.blockCount());
    nodes.push_back(completer.nodes());
  }
  EXPECT_EQ(counts[0], counts[1]);
  EXPECT_EQ(nodes[0], nodes[1]);
  Completer late(problem, problem.lowerBoundBytes, 5, never);
  const int64_t before = late.nodes();
  late.improve(1'000'000'000, [] { return true; });
  EXPECT_LE(late.nodes(), before + 50'000);
}

} // namespace

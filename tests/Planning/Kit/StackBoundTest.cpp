//===- StackBoundTest.cpp - What alignments cost --------------------------===//

#include "lib/Planning/Kit/StackBound.h"

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Support/Bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

/// Of all orders.
int64_t lowestOfAll(const std::vector<Aligned> &items) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t lowest = std::numeric_limits<int64_t>::max();
  do {
    int64_t top = 0;
    for (size_t i : order)
      top = alignUp(top, items[i].alignment) + items[i].sizeBytes;
    lowest = std::min(lowest, top);
  } while (std::next_permutation(order.begin(), order.end()));
  return lowest;
}

int64_t stackOf(const std::vector<Aligned> &items) {
  int64_t work = 0;
  return leastStack(items, work);
}

std::vector<Aligned> randomItems(std::mt19937_64 &random, size_t count,
                                 const std::vector<int64_t> &alignments,
                                 int64_t unit, int64_t most) {
  std::vector<Aligned> items;
  for (size_t i = 0; i < count; ++i)
    items.push_back({unit * int64_t(1 + random() % uint64_t(most)),
                     alignments[random() % alignments.size()]});
  return items;
}

TEST(StackBound, TwoThatAreAlignedNeedAPadding) {
  EXPECT_EQ(stackOf({{100, 4096}, {100, 4096}, {64, 64}}), 4196);
  // What fits between them costs nothing.
  EXPECT_EQ(stackOf({{100, 4096}, {100, 4096}, {3968, 64}}), 4196);
  // One alignment: the live sum says it.
  EXPECT_EQ(stackOf({{100, 64}, {100, 64}}), 0);
  EXPECT_EQ(stackOf({}), 0);
}

TEST(StackBound, IsTheLeastOfAllOrders) {
  const std::vector<std::vector<int64_t>> kinds = {
      {1, 16}, {1, 2, 4, 8}, {4, 6, 9}, {3, 5}, {64, 256, 4096}, {1, 12, 8}};
  std::mt19937_64 random(7);
  int above = 0;
  for (int i = 0; i < 600; ++i) {
    std::vector<Aligned> items =
        randomItems(random, 2 + random() % 6, kinds[size_t(i) % kinds.size()],
                    /*unit=*/1, /*most=*/70);
    int64_t common = 0, sum = 0;
    bool isAlike = true;
    for (const Aligned &item : items) {
      common = std::gcd(common, item.alignment);
      isAlike &= item.alignment == items.front().alignment;
    }
    // Multiples of what all offsets are multiples of: nothing is given away.
    for (Aligned &item : items)
      sum += item.sizeBytes *= common;
    const int64_t lowest = lowestOfAll(items);
    above += lowest > sum;
    EXPECT_EQ(stackOf(items), isAlike ? 0 : lowest) << i;
  }
  EXPECT_GT(above, 100);
}

TEST(StackBound, IsNoMoreThanTheLeastOfAnySizes) {
  std::mt19937_64 random(8);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Aligned> items =
        randomItems(random, 2 + random() % 6, {4, 8, 32, 48}, 1, 200);
    EXPECT_LE(stackOf(items), lowestOfAll(items)) << i;
  }
}

/// Too many kinds for all counts of them.
TEST(StackBound, WeakensAlignmentsOfManyItems) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 20; ++i) {
    std::vector<Aligned> items = randomItems(random, 60, {64, 4096}, 64, 5000);
    int64_t work = 0, sum = 0, top = 0;
    const int64_t least = leastStack(items, work);
    EXPECT_LE(work, 10 * (int64_t(1) << 14) + int64_t(64) * 60);
    std::sort(items.begin(), items.end(),
              [](const Aligned &a, const Aligned &b) {
                return a.alignment > b.alignment;
              });
    for (const Aligned &item : items) {
      sum += item.sizeBytes;
      top = alignUp(top, item.alignment) + item.sizeBytes;
    }
    EXPECT_GE(least, sum);
    EXPECT_LE(least, top);
  }
}

/// One alignment that has little in common with the others hides none.
TEST(StackBound, KnowsClassesOfManyAlignments) {
  EXPECT_EQ(
      stackOf(
          {{3, 4096}, {3, 4096}, {5, 1009}, {5, 1013}, {5, 1019}, {5, 1021}}),
      4099);
  EXPECT_EQ(
      stackOf({{3, int64_t(1) << 40}, {3, int64_t(1) << 40}, {5, 999983}}),
      (int64_t(1) << 40) + 3);
  // Both are multiples of 6.
  EXPECT_EQ(stackOf({{1, 12}, {1, 18}, {1, 1}}), 13);
}

TEST(StackBound, StandsUpToHugeNumbers) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(stackOf({{most, 1}, {most, 2}, {most, 4096}}), most);
  EXPECT_EQ(stackOf({{1, int64_t(1) << 62}, {1, 3}, {1, 1}}), 3);
  EXPECT_EQ(stackOf({{1, int64_t(1) << 62}, {1, int64_t(1) << 62}, {1, 1}}),
            (int64_t(1) << 62) + 1);
  // What all have in common is too coarse to add up: one by itself is left.
  const int64_t coarse = int64_t(1) << 61;
  std::vector<Aligned> many(7, {1, coarse});
  many.push_back({1, 2 * coarse});
  EXPECT_EQ(stackOf(many), 1);
}

TEST(StackBound, CountsWhatIsAliveAtOneStep) {
  const auto boundOf = [](std::vector<Buffer> buffers) {
    return liveBound(problemOf(std::move(buffers)), 0).bytes;
  };
  EXPECT_EQ(boundOf({buffer("a", {{0, 2}}, 100, 4096),
                     buffer("b", {{1, 3}}, 100, 4096),
                     buffer("c", {{1, 2}}, 64, 64)}),
            4196);
  EXPECT_EQ(boundOf({buffer("a", {{0, 2}}, 100, 4096),
                     buffer("b", {{2, 3}}, 100, 4096),
                     buffer("c", {{1, 3}}, 64, 64)}),
            164);
}

TEST(StackBound, APinNeedNotBeAligned) {
  Problem p = problemOf(
      {buffer("a", {{0, 2}}, 100, 1), buffer("b", {{0, 2}}, 100, 64)});
  p.buffers[0].pin = Pin{0, 0};
  EXPECT_EQ(liveBound(p, 0).bytes, 228);
  // Between them, and above the other.
  p.buffers[0].pin = Pin{0, 100};
  EXPECT_EQ(liveBound(p, 0).bytes, 200);
}

} // namespace

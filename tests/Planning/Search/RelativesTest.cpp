//===- RelativesTest.cpp - Problems that are alike ------------------------===//

#include "lib/Planning/Search/Relatives/Relatives.h"
#include "lib/Planning/Kit/Packing.h"
#include "lib/Planning/Search/Relatives/Settle.h"

#include "tpu_mlir/tools/memplan/generators/Vary.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

PackingProblem packingOf(const Problem &problem) {
  PackingProblem packing;
  for (const StorageClass &storage : foldAliases(problem))
    packing.items.push_back(itemOf(storage, problem.pools[0]));
  packing.lowerBoundBytes = boundOfItems(packing.items).bytes;
  return packing;
}

Generated strip(int64_t buffers) {
  GenerateOptions options;
  options.family = "pinwheel";
  options.buffers = buffers;
  options.seed = 5;
  return std::get<Generated>(generate(options));
}

Generated varied(const Generated &made, const char *kind, int64_t percent = 3) {
  VaryOptions options;
  options.kind = kind;
  options.percent = percent;
  return std::get<Generated>(
      vary({&made.problem, made.plan ? &*made.plan : nullptr}, {}, options));
}

/// One above the other, and where the last one ends.
std::pair<std::vector<int64_t>, int64_t>
onePerLevel(const PackingProblem &problem) {
  std::vector<int64_t> offsets;
  int64_t top = 0;
  for (const Item &item : problem.items) {
    offsets.push_back(top);
    top += item.sizeBytes;
  }
  return {offsets, top};
}

TEST(NearGluing, FindsAStripWhoseSizesLostAByte) {
  const PackingProblem problem =
      packingOf(varied(strip(64), "minus-byte").problem);
  BlockBuilder exact(problem, 0), near(problem, 0, {0, 1});
  exact.improve(2000);
  near.improve(2000);
  EXPECT_GT(exact.blockCount(), 16u);
  EXPECT_LT(near.blockCount(), 4u);
}

/// What is put together stays a packing, whatever is believed of its sizes.
TEST(NearGluing, LeavesHolesButOverlapsNothing) {
  for (const char *kind : {"minus-byte", "sizes", "grid", "primes"})
    for (Nearness nearness : {Nearness{0, 1}, {0.006, 0}, {0.02, 64}}) {
      SCOPED_TRACE(kind);
      const PackingProblem problem =
          packingOf(varied(strip(128), kind).problem);
      BlockBuilder builder(problem, 3, nearness);
      builder.improve(500);
      const BlockedProblem blocked = builder.blocked();
      const auto [offsets, top] = onePerLevel(blocked.reduced);
      const std::vector<int64_t> whole = blocked.expand(offsets);
      EXPECT_TRUE(isValidPacking(problem, whole));
      EXPECT_LE(problem.highWater(whole), top);
    }
}

/// So many rounds that what was taken apart for good is forgotten, often just
/// after a round was undone. Sanitizers look on.
TEST(NearGluing, ForgetsWhatWasTakenApart) {
  const PackingProblem problem = packingOf(varied(strip(400), "sizes").problem);
  std::vector<size_t> counts;
  for (int run = 0; run < 2; ++run) {
    BlockBuilder builder(problem, 3, {0.017, 0});
    builder.improve(20'000);
    counts.push_back(builder.blockCount());
    const BlockedProblem blocked = builder.blocked();
    EXPECT_TRUE(isValidPacking(
        problem, blocked.expand(onePerLevel(blocked.reduced).first)));
  }
  EXPECT_EQ(counts[0], counts[1]);
}

TEST(Relatives, AreManyAndEachSettlesToAPacking) {
  const PackingProblem problem = packingOf(varied(strip(64), "sizes").problem);
  const SolveOptions options;
  Settler settler(problem, options);
  Relatives relatives(problem, options);
  relatives.setNodeLimit(10'000'000);
  int count = 0;
  while (const auto relative = relatives.next()) {
    ++count;
    std::vector<std::vector<int64_t>> own;
    for (const PackingProblem &layer : relative->layers)
      own.push_back(onePerLevel(layer).first);
    const std::vector<int64_t> offsets = relative->offsetsOf(own);
    ASSERT_EQ(offsets.size(), problem.items.size());
    ASSERT_TRUE(settler.settle(offsets));
    EXPECT_TRUE(isValidPacking(problem, settler.best()));
  }
  EXPECT_GT(count, 3);
  EXPECT_GT(relatives.nodes(), 0);
}

TEST(Relatives, TwoStacksAreTwoLayers) {
  const Generated first = strip(60), second = strip(64);
  const auto both = vary({&first.problem, nullptr}, {&second.problem, nullptr},
                         {"side-by-side", 1, 3, 64});
  const PackingProblem problem = packingOf(std::get<Generated>(both).problem);
  SolveOptions options;
  Relatives relatives(problem, options);
  relatives.setNodeLimit(10'000'000);
  const auto layers = relatives.next();
  ASSERT_TRUE(layers);
  ASSERT_GE(layers->layers.size(), 2u);
  std::vector<std::vector<int64_t>> offsets;
  for (const PackingProblem &layer : layers->layers)
    offsets.push_back(
        StrategyRegistry::find("exact")->pack(layer, options)->offsets);
  Settler settler(problem, options);
  ASSERT_TRUE(settler.settle(layers->offsetsOf(offsets)));
  EXPECT_EQ(settler.bestBytes(), problem.lowerBoundBytes);
}

/// Steps that are further apart than numbers go have no distance; sanitizers
/// look on.
/// Half of the offsets that a tiling needs are wrong for half of its pieces.
TEST(Relatives, SeveralAlignmentsBecomeOne) {
  Generated made = strip(64);
  for (size_t i = 0; i < made.problem.buffers.size(); ++i)
    made.problem.buffers[i].alignment = i % 2 == 0 ? 64 : 256;
  const PackingProblem problem = packingOf(made.problem);
  const SolveOptions options;
  Relatives relatives(problem, options);
  relatives.setNodeLimit(options.nodeLimit);
  const std::optional<Relative> first = relatives.next();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->layers.size(), 1u);
  for (const Item &item : first->layers[0].items)
    EXPECT_EQ(item.alignment, 64);
  EXPECT_EQ(BlockBuilder(problem, 0).blockCount() > 8, true);
  EXPECT_LT(BlockBuilder(first->layers[0], 0).blockCount(), 8u);

  SolveOptions whole;
  whole.strategy = "exact";
  const SolveResult result = solve(made.problem, whole);
  const Plan &plan = std::get<Plan>(result);
  EXPECT_LE(plan.pools[0].usedBytes, problem.lowerBoundBytes * 103 / 100);
}

TEST(Relatives, StepsMayBeFarApart) {
  constexpr int64_t kFar = (int64_t(1) << 62) + 10;
  PackingProblem problem;
  for (int64_t i = 0; i < 10; ++i) {
    // The first one begins late, the last one ends early.
    Item &item = problem.items.emplace_back();
    item.sizeBytes = 10 + i;
    item.lifespans = {i < 5 ? Interval{i == 0 ? -kFar : -kFar - 5, 0}
                            : Interval{0, i == 9 ? kFar : kFar + 5}};
  }
  problem.items[3].pinOffset = 0; // Never are all of them one block.
  problem.lowerBoundBytes = 85;
  const SolveOptions options;
  Relatives relatives(problem, options);
  relatives.setNodeLimit(1'000); // Too few for near fits.
  EXPECT_FALSE(relatives.next());
}

TEST(Settling, ClosesHoles) {
  const Generated made = strip(100);
  const PackingProblem problem = packingOf(made.problem);
  std::vector<int64_t> offsets;
  for (const Placement &placement : made.plan->placements)
    offsets.push_back(2 * placement.offsetBytes + 4096);
  const SolveOptions options;
  Settler settler(problem, options);
  ASSERT_TRUE(settler.settle(offsets));
  EXPECT_EQ(settler.bestBytes(), problem.lowerBoundBytes);
}

TEST(Settling, ImprovesAndRepeats) {
  const Generated made = varied(strip(100), "sizes", 20);
  const PackingProblem problem = packingOf(made.problem);
  const SolveOptions options;
  std::vector<int64_t> results;
  for (int run = 0; run < 2; ++run) {
    Settler settler(problem, options);
    ASSERT_TRUE(settler.settle(std::vector<int64_t>(100, 0)));
    const int64_t before = settler.bestBytes();
    settler.improve(problem.lowerBoundBytes, 300'000);
    EXPECT_TRUE(isValidPacking(problem, settler.best()));
    EXPECT_LT(settler.bestBytes(), before);
    EXPECT_GE(settler.nodes(), 300'000);
    results.push_back(settler.bestBytes());
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(Settling, EndsWhenItIsAsked) {
  const PackingProblem problem = packingOf(varied(strip(100), "sizes").problem);
  StopToken token;
  token.request();
  SolveOptions options;
  options.deadline.stopWhen(&token);
  Settler settler(problem, options);
  ASSERT_TRUE(settler.settle(std::vector<int64_t>(100, 0)));
  const int64_t before = settler.nodes();
  settler.improve(0, 1'000'000);
  EXPECT_EQ(settler.nodes(), before);
}

} // namespace

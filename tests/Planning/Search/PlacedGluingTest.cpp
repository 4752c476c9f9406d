//===- PlacedGluingTest.cpp - Strips with pieces that cannot lie anywhere -===//

#include "lib/Planning/Search/Placed/Puzzle.h"
#include "tests/Planning/Builders.h"
#include "tpu_mlir/Planning/Validate.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

bool never() { return false; }

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

TEST(Places, OfAnAlignment) {
  const Places places = Places::multiplesOf(16);
  EXPECT_TRUE(places.contains(0));
  EXPECT_TRUE(places.contains(48));
  EXPECT_FALSE(places.contains(8));
  EXPECT_EQ(places.firstFrom(17), 32);
  EXPECT_EQ(places.firstFrom(32), 32);
  EXPECT_EQ(places.last(), std::nullopt);
  // What lies 20 above such a place begins 12 below another one.
  EXPECT_TRUE(places.moved(20).contains(12));
  EXPECT_EQ(places.moved(20).firstFrom(13), 28);
}

TEST(Places, OfAList) {
  const Places places = Places::either(Places::only(24), Places::only(16));
  EXPECT_TRUE(places.contains(16));
  EXPECT_FALSE(places.contains(20));
  EXPECT_EQ(places.firstFrom(17), 24);
  EXPECT_EQ(places.firstFrom(25), std::nullopt);
  EXPECT_EQ(places.last(), 24);
  Places clipped = places;
  clipped.clip(/*bytes=*/8, /*height=*/30);
  EXPECT_EQ(clipped.last(), 16);
}

TEST(Places, WhatIsInBoth) {
  const Places a = Places::multiplesOf(16).moved(4);
  const Places b = Places::multiplesOf(64);
  EXPECT_TRUE(Places::both(a, b).isEmpty());
  EXPECT_EQ(Places::both(a, Places()).firstFrom(0), 12);
  // 4 above a multiple of 6, and a multiple of 10.
  const Places mixed =
      Places::both(Places::multiplesOf(6).moved(2), Places::multiplesOf(10));
  EXPECT_EQ(mixed.firstFrom(0), 10);
  EXPECT_EQ(mixed.firstFrom(11), 40);
  EXPECT_EQ(Places::both(Places::only(40), mixed).last(), 40);
  EXPECT_TRUE(Places::both(Places::only(20), mixed).isEmpty());
}

/// Any number of them may be left out, but none is made up.
TEST(Places, OfVeryManyAreTrue) {
  Places many = Places::none();
  for (int64_t at = 0; at < 5'000; at += 3)
    many = Places::either(many, Places::only(at));
  EXPECT_FALSE(many.isEmpty());
  for (int64_t at = 0; at < 5'000; ++at)
    EXPECT_TRUE(at % 3 == 0 || !many.contains(at)) << at;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

PlacedBlock blockOf(Interval life, int64_t bytes, Places places = {}) {
  PlacedBlock block;
  block.spans = {life};
  block.bytes = bytes;
  block.places = std::move(places);
  return block;
}

TEST(PlacedForest, PilesLieInTheOrderThatFits) {
  PlacedForest forest(100);
  const int32_t a = forest.add(blockOf({0, 4}, 10, Places::only(30)));
  const int32_t b = forest.add(blockOf({0, 4}, 20));
  const int32_t c = forest.add(blockOf({0, 4}, 5, Places::only(25)));
  const auto pair = forest.pile(a, b);
  ASSERT_TRUE(pair);
  EXPECT_TRUE(forest[*pair].places.contains(10));
  EXPECT_TRUE(forest[*pair].places.contains(30));
  const auto all = forest.pile(*pair, c);
  ASSERT_TRUE(all);
  // c is below a: b is below both of them, or above.
  EXPECT_EQ(forest[*all].places.firstFrom(0), 5);
  EXPECT_EQ(forest[*all].places.last(), 25);
  std::vector<int64_t> offsets(size_t(forest.size()), -1);
  ASSERT_TRUE(forest.expand(*all, 5, offsets));
  EXPECT_EQ(offsets[size_t(a)], 30);
  EXPECT_EQ(offsets[size_t(b)], 5);
  EXPECT_EQ(offsets[size_t(c)], 25);
}

TEST(PlacedForest, WhatHasNoPlaceDoesNotFit) {
  PlacedForest forest(100);
  const int32_t a = forest.add(blockOf({0, 4}, 10, Places::only(30)));
  const int32_t b = forest.add(blockOf({4, 6}, 10, Places::only(40)));
  const int32_t c = forest.add(blockOf({4, 6}, 10, Places::multiplesOf(10)));
  const int32_t d = forest.add(blockOf({0, 4}, 80));
  EXPECT_FALSE(forest.join(a, b));
  EXPECT_TRUE(forest.join(a, c));
  EXPECT_FALSE(forest.pile(a, d)); // 80 bytes are neither below nor above.
}

TEST(PlacedGluer, FillsPauses) {
  PlacedForest forest(10);
  PlacedBlock pausing = blockOf({0, 3}, 10);
  pausing.spans = {{0, 3}, {7, 9}};
  const std::vector<int32_t> ids = {
      forest.add(std::move(pausing)), forest.add(blockOf({3, 7}, 4)),
      forest.add(blockOf({3, 5}, 6)), forest.add(blockOf({5, 7}, 6))};
  const std::vector<int32_t> left = PlacedGluer(forest, {0, 9}).glue(ids, 0);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_THAT(forest[left[0]].spans, testing::ElementsAre(Interval{0, 9}));
  EXPECT_EQ(forest[left[0]].bytes, 10);
}

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

enum class Kind { Pins, Alignments, Pauses, Reserved };

Generated stripOf(const char *family, uint64_t seed, Kind kind) {
  GenerateOptions options;
  options.family = family;
  options.buffers = 150;
  options.seed = seed;
  options.pinPercent = kind == Kind::Pins ? 5 : 0;
  return std::get<Generated>(generate(options));
}

/// The largest power of two up to 4,096 that the place is a multiple of.
void align(Problem &problem, const Plan &plan) {
  for (size_t id = 0; id < problem.buffers.size(); ++id) {
    const int64_t at = plan.placements[id].offsetBytes;
    int64_t alignment = 1;
    while (alignment < 4'096 && at % (2 * alignment) == 0)
      alignment *= 2;
    problem.buffers[id].alignment = alignment;
  }
}

/// One in five pauses, and another buffer has its bytes then.
void pause(Problem &problem) {
  const size_t count = problem.buffers.size();
  for (size_t id = 0; id < count; id += 5) {
    const Interval life = problem.buffers[id].lifespans.front();
    if (life.length() < 3)
      continue;
    const int64_t begin = life.begin + 1;
    const int64_t end = begin + (life.length() - 1) / 2;
    Buffer other = problem.buffers[id];
    other.name = "in " + other.name;
    other.lifespans = {{begin, end}};
    problem.buffers[id].lifespans = {{life.begin, begin}, {end, life.end}};
    problem.buffers.push_back(std::move(other));
  }
}

/// Another strip above it, and reserved bytes between.
int64_t addStripAbove(Problem &problem, int64_t height, Generated other) {
  for (Buffer &buffer : other.problem.buffers) {
    buffer.name = "above " + buffer.name;
    problem.buffers.push_back(std::move(buffer));
  }
  const Interval reserved{height, height + 12'345};
  problem.pools[0].reserved = {reserved};
  return reserved.end + *other.optimumBytes;
}

class PlacedStrips
    : public testing::TestWithParam<std::tuple<const char *, Kind>> {};

TEST_P(PlacedStrips, AreAsHighAsTheyWere) {
  const auto [family, kind] = GetParam();
  for (uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generated strip = stripOf(family, seed, kind);
    Problem &problem = strip.problem;
    int64_t height = *strip.optimumBytes;
    if (kind == Kind::Alignments)
      align(problem, *strip.plan);
    if (kind == Kind::Pauses)
      pause(problem);
    if (kind == Kind::Reserved)
      height =
          addStripAbove(problem, height, stripOf(family, seed + 100, kind));
    SolveOptions options;
    options.nodeLimit = 4'000'000;
    options.strategy = "placed-gluing";
    const SolveResult result = solve(problem, options);
    ASSERT_TRUE(std::holds_alternative<Plan>(result));
    const Plan &plan = std::get<Plan>(result);
    EXPECT_TRUE(validate(problem, plan).empty());
    EXPECT_EQ(plan.pools[0].usedBytes, height);
    EXPECT_EQ(std::get<Plan>(solve(problem, options)), plan);
    if (seed > 1)
      continue;
    options.nodeLimit = 1'000'000;
    options.strategy = "auto";
    const Plan best = std::get<Plan>(solve(problem, options));
    EXPECT_EQ(best.pools[0].usedBytes, height);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PlacedStrips,
    testing::Combine(testing::Values("guillotine", "pinwheel"),
                     testing::Values(Kind::Pins, Kind::Alignments, Kind::Pauses,
                                     Kind::Reserved)));

/// Items from which others are kept apart are glued to nothing.
TEST(Puzzle, LeavesWhatHasAPartner) {
  PackingProblem problem;
  for (int64_t begin : {0, 2, 4}) {
    Item &item = problem.items.emplace_back();
    item.sizeBytes = 8;
    item.lifespans = {{begin, begin + 2}};
  }
  EXPECT_EQ(Puzzle(problem, 8, 0, never).blocks().size(), 1u);
  problem.forbiddenSharing = {{0, 2}};
  const Puzzle puzzle(problem, 8, 0, never);
  EXPECT_EQ(puzzle.blocks().size(), 3u);
  EXPECT_EQ(puzzle.loneItemOf(puzzle.blocks()[0]), 0u);
}

/// Nothing of it concerns plain problems.
TEST(PlacedGluing, HasNoPartInPlainProblems) {
  const Strategy *strategy = StrategyRegistry::find("placed-gluing");
  ASSERT_TRUE(strategy && strategy->inAuto);
  PackingProblem problem;
  for (int64_t begin : {0, 2, 4}) {
    Item &item = problem.items.emplace_back();
    item.sizeBytes = 8;
    item.lifespans = {{begin, begin + 3}};
  }
  const std::vector<int64_t> known = {0, 8, 0};
  SolveOptions options;
  options.other = &known;
  const auto packing = strategy->pack(problem, options);
  ASSERT_TRUE(packing);
  EXPECT_TRUE(packing->offsets.empty());
  EXPECT_EQ(packing->nodes, 0);
}

} // namespace

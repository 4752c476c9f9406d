//===- PassPadsTest.cpp - Places with room for what comes and goes --------===//

#include "lib/Planning/Strategies/Woven/PassPads.h"
#include "lib/Planning/Kit/Packing.h"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr int64_t kManyNodes = int64_t(1) << 40;

void add(PassPeriod &period, int64_t sizeBytes, Interval steps) {
  period.passing.push_back({sizeBytes, steps});
  for (int64_t step = steps.begin; step < steps.end; ++step)
    period.temporaries[size_t(step)].push_back(sizeBytes);
}

/// At step 1 the inner level is in two passes only.
PassPeriod periodOfTwoLevels(int64_t temporaryBytes) {
  PassPeriod period;
  period.inFlight = 3;
  period.levels = {{10, {0, 4}, {0, 3}, true}, {4, {2, 4}, {0, 1}, false}};
  period.temporaries.resize(4);
  add(period, temporaryBytes, {1, 2});
  return period;
}

/// Step by step there is room for all but 6 bytes: at step 1 the second one
/// lies in the hole, at step 2 beside it. It cannot move.
TEST(HoleChoice, WhatHasAPlaceStaysThere) {
  PassPeriod period;
  period.temporaries.resize(4);
  add(period, 6, {0, 2});
  add(period, 3, {1, 3});
  add(period, 9, {2, 4});
  HoleChoice choice(period);
  std::vector<HoleBytes> holes = {
      {2, 0, 0, 0}, {8, 0, 0, 0}, {11, 0, 0, 0}, {11, 0, 0, 0}};
  EXPECT_EQ(choice.bytesBeside(holes, kMaxOffset), 9);
  EXPECT_EQ(choice.decidingSteps(), Interval({0, 4}));
  EXPECT_EQ(choice.bytesBeside(holes, 8), 8);
  holes[2][0] = 12;
  EXPECT_EQ(choice.bytesBeside(holes, kMaxOffset), 6);
  holes[1][3] = holes[2][3] = 3;
  holes[0][3] = 6;
  EXPECT_EQ(choice.bytesBeside(holes, kMaxOffset), 6);
  holes[1][3] = 6;
  EXPECT_EQ(choice.bytesBeside(holes, kMaxOffset), 0);
}

TEST(PassLoads, HolesAreWhatIsNotKept) {
  const PassPeriod period = periodOfTwoLevels(5);
  PassLoads loads(period);
  EXPECT_EQ(loads.stackBytes(), 24);
  EXPECT_EQ(loads.holesAt(1, 24, {}), HoleBytes({4, 0, 0, 0}));
  loads.flip(1);
  EXPECT_EQ(loads.stackBytes(), 20);
  EXPECT_EQ(loads.trackBytes(), 4);
  EXPECT_EQ(loads.holesAt(1, 20, {0, 0, 2}), HoleBytes({0, 0, 0, 6, 2}));
  loads.set({true, false});
  EXPECT_EQ(loads.stackBytes(), 4);
  EXPECT_EQ(loads.holesAt(3, 4, {0, 1, 0}), HoleBytes({0, 1, 11, 0}));
}

/// The hole lacks a byte. Each of three stacks would have it, and two of the
/// three tracks share it.
TEST(PassPads, TwoTracksShareAPad) {
  const PassPeriod period = periodOfTwoLevels(5);
  PassPlacesSearch before(period);
  const auto found = before.run(kManyNodes, {});
  EXPECT_EQ(found.front().totalBytes, 52 + 5);
  PassPadsSearch search(period), again(period);
  const PassPlaces places = search.run(found, kManyNodes, {}).front();
  EXPECT_EQ(places.totalBytes, 52 + 2);
  EXPECT_EQ(places.pads.track, 1);
  EXPECT_EQ(places.isApart, std::vector<bool>({true, true}));
  EXPECT_EQ(again.run(found, kManyNodes, {}).front().isApart, places.isApart);
  EXPECT_EQ(again.nodes(), search.nodes());
}

TEST(PassPads, EndsWhenItHasTo) {
  const PassPeriod period = periodOfTwoLevels(5);
  PassPlacesSearch before(period);
  PassPadsSearch search(period);
  search.run(before.run(kManyNodes, {}), 0, {});
  EXPECT_LE(search.nodes(), 20'000);
}

void put(PackingProblem &problem, Interval life, int64_t sizeBytes) {
  Item item;
  item.sizeBytes = sizeBytes;
  item.lifespans = {life};
  problem.items.push_back(item);
}

/// Bytes of the strategy's packing, which has to be valid.
int64_t packedBytes(const PackingProblem &problem) {
  SolveOptions options;
  options.nodeLimit = kManyNodes;
  const auto packing =
      StrategyRegistry::find("end-matching")->pack(problem, options);
  if (!packing || !isValidPacking(problem, packing->offsets))
    return kMaxOffset;
  return problem.highWater(packing->offsets);
}

/// As in the period above; a temporary in each finds its place.
TEST(PassPads, ArePartOfThePlan) {
  PackingProblem problem;
  for (int64_t pass = 0; pass < 20; ++pass) {
    put(problem, {4 * pass, 4 * pass + 15}, 10'000);
    put(problem, {4 * pass + 2, 4 * pass + 13}, 4'000);
    put(problem, {4 * pass + 1, 4 * pass + 2}, 5'000);
  }
  problem.lowerBoundBytes = 53'000;
  EXPECT_LE(packedBytes(problem), 54'000);
}

/// Passes that are not woven: one goes forward, then the oldest one backward.
/// While the inner level of the oldest is gone and that of the next one is not
/// there, a temporary has 1,000 bytes more than that leaves. Two tracks share a
/// pad, so there are two of these; nothing else that is free is a hole of
/// 5,000. The first pass backward makes what stays; with few passes that is no
/// longer than what they keep.
TEST(PassPads, ArePartOfThePlanOfPassesThatFollowEachOther) {
  for (int64_t passes : {8, 20}) {
    PackingProblem problem;
    for (int64_t pass = 0; pass < passes; ++pass) {
      const int64_t begin = 8 * pass, back = begin + 24;
      put(problem, {begin, back + 7}, 10'000);
      put(problem, {begin + 2, back + 4}, 4'000);
      put(problem, {begin + 1, begin + 2}, 5'000);
      put(problem, {back + 5, back + 6}, 5'000);
    }
    put(problem, {25, 8 * passes + 32}, 900);
    put(problem, {27, 8 * passes + 32}, 100);
    problem.lowerBoundBytes = 58'000;
    EXPECT_LE(packedBytes(problem), 59'000) << passes;
  }
}

/// Beside the hole of the two passes at a step there is a pad of two others.
TEST(PassLoads, PadsOfOthersAreHoles) {
  PassPeriod period = periodOfTwoLevels(5);
  for (auto [inFlight, pads, bytes] :
       std::vector<std::tuple<int64_t, HolePads, int64_t>>{
           {1, {7, 0, 0}, 0}, // One stack.
           {2, {7, 0, 0}, 7},
           {2, {0, 0, 7}, 0}, // Two tracks, which face each other.
           {3, {0, 0, 7}, 7},
           {3, {0, 7, 0}, 0}, // Four slots, both pairs may be at work.
           {4, {0, 7, 0}, 7},
           {4, {5, 7, 6}, 7}}) {
    period.inFlight = inFlight;
    EXPECT_EQ(PassLoads(period).holesAt(1, 24, pads)[4], bytes) << inFlight;
  }
}

} // namespace

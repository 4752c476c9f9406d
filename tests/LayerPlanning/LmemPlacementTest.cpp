//===- LmemPlacementTest.cpp - Addresses in one lane's memory -------------===//

#include "tests/LayerPlanning/LmemProblems.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

/// A lane of 1,024 bytes in 4 banks, addresses in steps of 16.
LmemProblem lane() {
  LmemProblem problem;
  problem.setLane(1024, 4, 16);
  return problem;
}

planning::Buffer buffer(const char *name, int64_t sizeBytes,
                        std::vector<Interval> lifespans) {
  planning::Buffer result;
  result.name = name;
  result.sizeBytes = sizeBytes;
  result.lifespans = std::move(lifespans);
  return result;
}

LmemPlacement place(const LmemProblem &problem,
                    const LmemOptions &options = {}) {
  const LmemResult result = placeLmem(problem, options);
  if (const auto *placement = std::get_if<LmemPlacement>(&result)) {
    EXPECT_EQ(checkAddresses(problem, placement->addresses),
              std::vector<std::string>{});
    return *placement;
  }
  ADD_FAILURE() << "no placement";
  return {};
}

LmemInfeasible refuse(const LmemProblem &problem,
                      const LmemOptions &options = {}) {
  const LmemResult result = placeLmem(problem, options);
  if (const auto *infeasible = std::get_if<LmemInfeasible>(&result))
    return *infeasible;
  ADD_FAILURE() << "placed, or not understood";
  return {};
}

/// True when one of the messages contains `part`.
testing::AssertionResult says(const std::vector<std::string> &messages,
                              const std::string &part) {
  for (const std::string &message : messages)
    if (message.find(part) != std::string::npos)
      return testing::AssertionSuccess();
  auto failure = testing::AssertionFailure() << "nothing says '" << part << "'";
  for (const std::string &message : messages)
    failure << "\n  " << message;
  return failure;
}

TEST(LmemPlacement, NothingToPlace) {
  const LmemPlacement placement = place(lane());
  EXPECT_TRUE(placement.addresses.empty());
  EXPECT_EQ(placement.highWaterBytes, 0);
  EXPECT_TRUE(placement.isPeakProved && placement.isCostProved);
}

TEST(LmemPlacement, OneAfterTheOtherTakesTheSameBytes) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("a", 1000, {{0, 2}}), buffer("b", 1000, {{2, 4}})};
  EXPECT_EQ(place(problem).addresses, (std::vector<int64_t>{0, 0}));
}

TEST(LmemPlacement, OnACircleTheWrapIsNoEnd) {
  LmemProblem problem = lane();
  problem.period = 4;
  problem.buffers = {buffer("loaded ahead", 600, {{0, 1}, {3, 4}}),
                     buffer("first row", 600, {{0, 1}})};
  EXPECT_EQ(refuse(problem).needBytes, 608 + 600);
  // The same steps of a line, told apart by the stage.
  problem.period.reset();
  problem.buffers = {buffer("loaded ahead", 600, {{3, 5}}),
                     buffer("first row", 600, {{0, 1}})};
  EXPECT_EQ(place(problem).highWaterBytes, 600);
}

TEST(LmemPlacement, AddressesAreWholeUnits) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("a", 1, {{0, 1}}), buffer("b", 1, {{0, 1}}),
                     buffer("c", 17, {{0, 1}})};
  LmemOptions options;
  options.minimizePeak = true;
  const LmemPlacement placement = place(problem, options);
  // One byte after two padded ones, or 17 after two of 16 each.
  EXPECT_EQ(placement.highWaterBytes, 16 + 32 + 1);
  EXPECT_EQ(placement.lowerBoundBytes, 16 + 32 + 1);
  EXPECT_TRUE(placement.isPeakProved);
}

TEST(LmemPlacement, PairsTakeDifferentBanks) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("x", 100, {{0, 1}}), buffer("w", 100, {{0, 1}}),
                     buffer("y", 100, {{0, 1}}),
                     buffer("scratch", 100, {{0, 1}})};
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = a + 1; b < 4; ++b)
      problem.bankPairs.push_back({a, b, 1});
  const LmemPlacement placement = place(problem);
  EXPECT_EQ(placement.conflicts, BankConflicts{});
  std::vector<int64_t> sorted = placement.addresses;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<int64_t>{0, 256, 512, 768}));
  EXPECT_TRUE(placement.isCostProved);

  LmemOptions options;
  options.minimizePeak = true;
  const LmemPlacement low = place(problem, options);
  EXPECT_EQ(low.highWaterBytes, 3 * 112 + 100);
  EXPECT_TRUE(low.isPeakProved);
  // Two banks for four buffers, one of which has to touch both.
  EXPECT_EQ(low.conflicts.count, countConflicts(problem, low.addresses).count);
  EXPECT_GT(low.conflicts.count, 0);
}

TEST(LmemPlacement, TheCheaperConflictIsTaken) {
  LmemProblem problem = lane();
  problem.banks = 2;
  problem.buffers = {buffer("a", 300, {{0, 1}}), buffer("b", 300, {{0, 1}}),
                     buffer("c", 200, {{0, 1}})};
  problem.bankPairs = {{0, 1, 5}, {0, 2, 3}, {1, 2, 2}};
  const LmemPlacement placement = place(problem);
  EXPECT_EQ(placement.conflicts, (BankConflicts{1, 2}));
  EXPECT_TRUE(placement.isCostProved);
}

TEST(LmemPlacement, WhereOnePassFailsTheSearchFits) {
  std::mt19937_64 random(7);
  RandomShape shape;
  shape.buffers = 14;
  shape.laneUnits = 40;
  shape.isCyclic = true;
  shape.pairsPerBuffer = 0;
  LmemOptions onePass;
  onePass.nodeLimit = 0;
  int helped = 0;
  for (int i = 0; i < 4000 && helped == 0; ++i) {
    const LmemProblem problem = randomProblem(shape, random);
    const bool fitsAtOnce =
        std::holds_alternative<LmemPlacement>(placeLmem(problem, onePass));
    const bool fits = std::holds_alternative<LmemPlacement>(placeLmem(problem));
    EXPECT_TRUE(fits || !fitsAtOnce);
    helped += fits && !fitsAtOnce;
  }
  EXPECT_GT(helped, 0);
}

TEST(LmemPlacement, InPlaceSharesTheAddressAndTheBytes) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("x", 600, {{0, 2}}), buffer("y", 600, {{1, 3}}),
                     buffer("z", 600, {{2, 4}})};
  EXPECT_TRUE(refuse(problem).boundExceeds);
  putInPlace(problem, {-1, 0, 1});
  EXPECT_EQ(place(problem).addresses, (std::vector<int64_t>{0, 0, 0}));
  // An op that reads and writes one bank has its conflict all the same.
  problem.bankPairs = {{0, 1, 7}};
  const LmemPlacement placement = place(problem);
  EXPECT_EQ(placement.conflicts, (BankConflicts{1, 7}));
  EXPECT_TRUE(placement.isCostProved);
}

TEST(LmemPlacement, NothingEndsAboveTheLimit) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("x", 100, {{0, 1}}), buffer("y", 100, {{0, 1}})};
  problem.bankPairs = {{0, 1, 1}};
  EXPECT_EQ(place(problem).highWaterBytes, 356);
  LmemOptions options;
  options.highWaterLimitBytes = 355;
  EXPECT_EQ(place(problem, options).highWaterBytes, 212);
  EXPECT_EQ(place(problem, options).conflicts, (BankConflicts{1, 1}));
  options.highWaterLimitBytes = 211;
  EXPECT_EQ(refuse(problem, options).needBytes, 212);
  EXPECT_EQ(refuse(problem, options).haveBytes, 211);
}

TEST(LmemPlacement, WhoIsInTheWay) {
  LmemProblem problem = lane();
  problem.buffers = {
      buffer("small", 100, {{0, 4}}), buffer("early", 1000, {{0, 1}}),
      buffer("large", 900, {{2, 4}}), buffer("late", 500, {{3, 4}})};
  const LmemInfeasible infeasible = refuse(problem);
  EXPECT_EQ(infeasible.peakStep, 3);
  EXPECT_EQ(infeasible.alive, (std::vector<int64_t>{2, 3, 0}));
  // 900 and 500 padded, 100 as it is - or any other of them on top.
  EXPECT_EQ(infeasible.needBytes, 912 + 512 + 100);
  EXPECT_EQ(infeasible.haveBytes, 1024);
  EXPECT_EQ(infeasible.overBytes(), 500);
  EXPECT_TRUE(infeasible.boundExceeds && infeasible.isProved);
}

TEST(LmemPlacement, BanksMayNotMatter) {
  LmemProblem problem = lane();
  problem.banks = 0;
  problem.buffers = {buffer("x", 100, {{0, 1}}), buffer("y", 100, {{0, 1}})};
  problem.bankPairs = {{0, 1, 1}};
  EXPECT_EQ(place(problem).conflicts, BankConflicts{});
  EXPECT_EQ(place(problem).highWaterBytes, 212);
}

TEST(LmemPlacement, ConflictsAreCountedOnTheBytesOfTheBuffer) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("a", 256, {{0, 1}}), buffer("b", 257, {{0, 1}}),
                     buffer("c", 10, {{0, 1}})};
  problem.bankPairs = {{0, 1, 2}, {1, 2, 4}, {2, 0, 8}, {0, 2, 16}};
  EXPECT_EQ(countConflicts(problem, {0, 256, 768}), BankConflicts{});
  // The last byte of b is the first of bank 2.
  EXPECT_EQ(countConflicts(problem, {0, 256, 512}), (BankConflicts{1, 4}));
  EXPECT_EQ(countConflicts(problem, {240, 256, 1008}), (BankConflicts{1, 2}));
  EXPECT_EQ(countConflicts(problem, {0, 512, 0}), (BankConflicts{2, 24}));
}

TEST(LmemPlacement, BrokenAddressesAreNamed) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("a", 100, {{0, 2}}), buffer("b", 100, {{1, 3}})};
  EXPECT_TRUE(checkAddresses(problem, {0, 112}).empty());
  EXPECT_TRUE(says(checkAddresses(problem, {0, 96}), "P5"));
  EXPECT_TRUE(says(checkAddresses(problem, {0, 113}), "P3"));
  EXPECT_TRUE(says(checkAddresses(problem, {0, 928}), "P2"));
  EXPECT_TRUE(says(checkAddresses(problem, {0, -16}), "P2"));
  EXPECT_TRUE(says(checkAddresses(problem, {0}), "P1"));
  putInPlace(problem, {-1, 0});
  EXPECT_TRUE(checkAddresses(problem, {0, 0}).empty());
  EXPECT_TRUE(says(checkAddresses(problem, {0, 112}), "P6"));
}

TEST(LmemPlacement, WhatMakesNoSenseIsSaid) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("empty", 0, {{0, 1}}), buffer("there", 1, {{0, 1}}),
                     buffer("odd", 1, {{3, 5}})};
  problem.buffers[1].pin = planning::Pin{0, 16};
  problem.buffers[2].alignment = 32;
  problem.bankPairs = {{0, 7, 1}, {2, 2, 1}, {0, 1, 0}};
  problem.aliases = {{2, 1, 4}};
  problem.forbiddenSharing = {{0, 1}};
  const std::vector<std::string> errors = checkProblem(problem);
  for (const char *part :
       {"'empty' has 0 bytes", "'there' has a pin", "'odd' has a pin or an",
        "4 bytes into its root", "no forbidden pairs", "bank pair (0, 7)",
        "bank pair (2, 2)", "costs are above 0"})
    EXPECT_TRUE(says(errors, part));
  const LmemResult result = placeLmem(problem);
  ASSERT_TRUE(std::holds_alternative<LmemInvalid>(result));
  EXPECT_EQ(std::get<LmemInvalid>(result).errors, errors);
}

TEST(LmemPlacement, WhatMakesNoSenseToThePlannerIsSaid) {
  LmemProblem problem = lane();
  problem.period = 4;
  problem.buffers = {buffer("never", 1, {}), buffer("late", 1, {{3, 5}}),
                     buffer("backward", 1, {{2, 2}}),
                     buffer("early", 1, {{-1, 2}})};
  const std::vector<std::string> errors = checkProblem(problem);
  for (const char *part :
       {"'never' has no lifespan", "'late' lives in [3,5), beyond the period",
        "'backward' has the empty lifespan", "'early' has the negative"})
    EXPECT_TRUE(says(errors, part));
}

TEST(LmemPlacement, LanesThatThereAreNot) {
  for (auto change : std::vector<void (*)(LmemProblem &)>{
           [](LmemProblem &p) { p.setLane(0, 0, 16); },
           [](LmemProblem &p) { p.setLane(1024, 4, 0); },
           [](LmemProblem &p) { p.banks = -1; },
           [](LmemProblem &p) { p.banks = p.laneBytes() + 1; },
           [](LmemProblem &p) { p.period = 0; },
           [](LmemProblem &p) { p.setLane(int64_t(1) << 62, 4, 16); },
           [](LmemProblem &p) { p.pools.clear(); },
           [](LmemProblem &p) { p.pools[0].capacityBytes.reset(); },
           [](LmemProblem &p) { p.pools[0].reserved = {{0, 16}}; }}) {
    LmemProblem problem = lane();
    change(problem);
    EXPECT_TRUE(std::holds_alternative<LmemInvalid>(placeLmem(problem)));
  }
  LmemOptions options;
  options.highWaterLimitBytes = -1;
  EXPECT_TRUE(std::holds_alternative<LmemInvalid>(placeLmem(lane(), options)));
}

TEST(LmemPlacement, AChainIsAsLongAsAllOfIt) {
  LmemProblem problem = lane();
  problem.buffers = {buffer("c", 16, {{2, 4}}), buffer("a", 16, {{0, 2}}),
                     buffer("b", 16, {{1, 3}}), buffer("other", 16, {{3, 4}})};
  putInPlace(problem, {2, -1, 1, -1});
  EXPECT_EQ(problem.aliases,
            (std::vector<planning::Alias>{{0, 1, 0}, {2, 1, 0}}));
  EXPECT_EQ(problem.buffers[1].lifespans, (std::vector<Interval>{{0, 4}}));
  EXPECT_EQ(problem.buffers[2].lifespans, (std::vector<Interval>{{1, 3}}));
  EXPECT_TRUE(checkProblem(problem).empty());
  EXPECT_EQ(place(problem).highWaterBytes, 32);
}

/// With work for each two of a chain this would take hours.
TEST(LmemPlacement, LongChains) {
  constexpr int64_t kLength = 200'000;
  LmemProblem problem = lane();
  std::vector<int64_t> below;
  for (int64_t i = 0; i < kLength; ++i) {
    problem.add("b", 16, {{i, i + 2}});
    below.push_back(i - 1);
  }
  putInPlace(problem, below);
  const LmemResult result = placeLmem(problem);
  ASSERT_TRUE(std::holds_alternative<LmemPlacement>(result));
  const auto &placement = std::get<LmemPlacement>(result);
  EXPECT_EQ(placement.highWaterBytes, 16);
  EXPECT_EQ(placement.addresses, std::vector<int64_t>(kLength, 0));
}

TEST(LmemPlacement, TheSameAgainAndInAnyOrder) {
  std::mt19937_64 random(11);
  RandomShape shape;
  shape.buffers = 14;
  shape.laneUnits = 40;
  shape.banks = 8;
  shape.isCyclic = true;
  LmemOptions options;
  options.nodeLimit = 10'000;
  int placed = 0;
  for (int i = 0; i < 200; ++i) {
    const LmemProblem problem = randomProblem(shape, random);
    const LmemProblem other = shuffled(problem, random);
    const LmemResult first = placeLmem(problem, options);
    const LmemResult again = placeLmem(problem, options);
    const LmemResult mixed = placeLmem(other, options);
    ASSERT_EQ(first.index(), mixed.index());
    ASSERT_EQ(first.index(), again.index());
    const auto *a = std::get_if<LmemPlacement>(&first);
    if (!a)
      continue;
    ++placed;
    EXPECT_EQ(a->addresses, std::get<LmemPlacement>(again).addresses);
    const auto &b = std::get<LmemPlacement>(mixed);
    EXPECT_EQ(a->conflicts, b.conflicts);
    EXPECT_EQ(a->highWaterBytes, b.highWaterBytes);
    EXPECT_EQ(a->isCostProved, b.isCostProved);
  }
  EXPECT_GT(placed, 50);
}

TEST(LmemPlacement, MoreMemoryNeverCostsMore) {
  std::mt19937_64 random(13);
  RandomShape shape;
  shape.buffers = 9;
  shape.laneUnits = 16;
  for (int i = 0; i < 200; ++i) {
    LmemProblem problem = randomProblem(shape, random);
    const LmemResult less = placeLmem(problem);
    // One more bank of the same size.
    const int64_t laneBytes = problem.laneBytes();
    const int64_t bankBytes = laneBytes / problem.banks;
    problem.setLane(bankBytes * (problem.banks + 1) + laneBytes % problem.banks,
                    problem.banks + 1, problem.euBytes());
    if (problem.laneBytes() / problem.banks != bankBytes)
      continue;
    const LmemResult more = placeLmem(problem);
    const auto *a = std::get_if<LmemPlacement>(&less);
    if (!a)
      continue;
    ASSERT_TRUE(std::holds_alternative<LmemPlacement>(more));
    const auto &b = std::get<LmemPlacement>(more);
    if (b.isCostProved) {
      EXPECT_LE(b.conflicts.cost, a->conflicts.cost);
    }
  }
}

TEST(LmemPlacement, ChipsBringTheirNumbers) {
  LmemProblem problem;
  problem.setChip(*target::findChip("bm1688"));
  EXPECT_EQ(problem.laneBytes(), 131072);
  EXPECT_EQ(problem.banks, 16);
  EXPECT_EQ(problem.euBytes(), 16);
}

TEST(LmemPlacement, RealGroups) {
  const std::vector<RealGroup> groups = realGroups();
  if (groups.empty())
    GTEST_SKIP() << "TPU_MEMORY_DATA names no folder with lmem_groups";
  for (const RealGroup &group : groups) {
    SCOPED_TRACE(group.problem.name);
    EXPECT_EQ(checkAddresses(group.problem, group.addresses),
              std::vector<std::string>{});
    LmemOptions options;
    options.nodeLimit = 10'000;
    options.highWaterLimitBytes = group.highWaterBytes;
    const LmemPlacement both = place(group.problem, options);
    EXPECT_LE(both.highWaterBytes, group.highWaterBytes);
    EXPECT_LE(both.conflicts.cost,
              countConflicts(group.problem, group.addresses).cost);
    options.minimizePeak = true;
    const LmemPlacement low = place(group.problem, options);
    EXPECT_LE(low.highWaterBytes, both.highWaterBytes);
    EXPECT_GE(low.highWaterBytes, low.lowerBoundBytes);
  }
}

} // namespace

//===- PeakReasonsTest.cpp - Why bytes are alive at a peak ----------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/PeakReasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

Buffer read(Buffer buffer, std::vector<int64_t> steps,
            BufferKind kind = BufferKind::Activation) {
  buffer.readSteps = std::move(steps);
  buffer.kind = kind;
  return buffer;
}

PeakReasons explained(const Problem &problem) {
  EXPECT_TRUE(check(problem).empty());
  return explainPeak(problem, 0, liveBound(problem, 0).peakStep);
}

/// The peak with this change alone; -1: it helps nothing.
int64_t after(const PeakReasons &reasons, PeakRemedy remedy,
              std::optional<BufferId> root = {}) {
  for (const PeakChange &change : reasons.changes)
    if (change.remedy == remedy && change.root == root)
      return change.peakBytes;
  return -1;
}

/// An input, a skip that waits over the peak, and a chain: a at 1, b at 2.
Problem network() {
  return problemOf({read(buffer("in", {{0, 6}}, 10), {0}, BufferKind::Input),
                    read(buffer("skip", {{0, 5}}, 20), {1, 4}),
                    read(buffer("a", {{1, 3}}, 30), {2}),
                    read(buffer("b", {{2, 4}}, 40), {3}),
                    read(buffer("c", {{3, 5}}, 5), {4}),
                    read(buffer("out", {{4, 6}}, 7), {5}, BufferKind::Output)});
}

} // namespace

TEST(PeakReasons, EachPartHasOneReason) {
  const PeakReasons reasons = explained(network());
  EXPECT_EQ(reasons.peakStep, 2);
  EXPECT_EQ(reasons.peakBytes, 100);
  ASSERT_EQ(reasons.parts.size(), 4u);
  EXPECT_EQ(reasons.parts[0].root, 3);
  EXPECT_EQ(reasons.parts[0].why, WhyAlive::Made);
  EXPECT_EQ(reasons.parts[1].root, 2);
  EXPECT_EQ(reasons.parts[1].why, WhyAlive::Read);
  EXPECT_EQ(reasons.parts[2].root, 1);
  EXPECT_EQ(reasons.parts[2].why, WhyAlive::Waits);
  EXPECT_EQ(reasons.parts[2].lastUse, 1);
  EXPECT_EQ(reasons.parts[2].nextUse, 4);
  EXPECT_EQ(reasons.parts[3].root, 0);
  EXPECT_EQ(reasons.parts[3].why, WhyAlive::Pinned);
}

TEST(PeakReasons, ChangesAreMade) {
  const PeakReasons reasons = explained(network());
  // Without b the most is step 1 or 2: in, skip, a.
  EXPECT_EQ(after(reasons, PeakRemedy::KeepLocal, 3), 60);
  // Without a it is step 3: in, skip, b, c.
  EXPECT_EQ(after(reasons, PeakRemedy::KeepLocal, 2), 75);
  // The skip is away in 2 and 3; its operand is the input, which stays.
  EXPECT_EQ(after(reasons, PeakRemedy::Recompute, 1), 80);
  EXPECT_EQ(after(reasons, PeakRemedy::FreeInputs), 90);
  EXPECT_EQ(after(reasons, PeakRemedy::NoPadding), -1);
  // The best one is first.
  EXPECT_EQ(reasons.changes.front().root, 3);
}

TEST(PeakReasons, WhatIsComputedAgainNeedsItsOperands) {
  Problem problem = network();
  // Then the skip is made of 'x', which nothing else reads later.
  problem.buffers[1] = read(buffer("skip", {{1, 5}}, 20), {1, 4});
  problem.buffers[0] = read(buffer("x", {{0, 2}}, 50), {1});
  const PeakReasons reasons = explained(problem);
  EXPECT_EQ(reasons.peakBytes, 100); // x, skip, a.
  // Step 2 loses the skip and gets x back: nothing is won anywhere.
  EXPECT_EQ(after(reasons, PeakRemedy::Recompute, 1), -1);
}

TEST(PeakReasons, PaddingAndAliases) {
  Problem problem = problemOf(
      {read(buffer("whole", {{0, 4}}, 64, 64), {3}),
       read(buffer("big", {{0, 1}}, 65, 64), {}), buffer("first", {{0, 4}}, 32),
       buffer("second", {{2, 4}}, 32), buffer("all", {{2, 4}}, 64)});
  problem.aliases = {{2, 0, 0}, {3, 0, 32}, {4, 0, 0}};
  const PeakReasons reasons = explained(problem);
  EXPECT_EQ(reasons.peakStep, 0);
  EXPECT_EQ(reasons.peakBytes, 64 + 128);
  EXPECT_EQ(reasons.parts[0].paddingBytes, 63);
  EXPECT_EQ(reasons.parts[1].idleBytes, 32);
  EXPECT_EQ(after(reasons, PeakRemedy::NoPadding), 64 + 65);
}

/// The largest sum of the live bound, and every change by hand.
TEST(PeakReasons, AgreesWithTheBoundOnRandomProblems) {
  std::mt19937 random(7);
  const auto below = [&](int64_t limit) { return int64_t(random() % limit); };
  int changed = 0;
  for (int round = 0; round < 500; ++round) {
    Problem problem = problemOf({});
    for (int64_t i = 0; i < 3 + below(12); ++i) {
      const int64_t begin = below(10), end = begin + 1 + below(6);
      problem.buffers.push_back(read(
          buffer("b", {{begin, end}}, 16 * (1 + below(9)), 16), {end - 1}));
    }
    const PeakReasons reasons = explained(problem);
    EXPECT_EQ(reasons.peakBytes, liveBound(problem, 0).bytes);
    for (const PeakChange &change : reasons.changes) {
      if (change.remedy != PeakRemedy::KeepLocal)
        continue;
      Problem without = problem;
      without.buffers[size_t(change.root.value())].sizeBytes = 0;
      EXPECT_EQ(liveBound(without, 0).bytes, change.peakBytes);
      ++changed;
    }
  }
  EXPECT_GT(changed, 500);
}

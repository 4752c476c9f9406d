//===- FirstFitDecreasingTest.cpp - Largest first, as low as it goes ------===//

#include "tests/Planning/Builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;

namespace {

/// The example with which Wave explains the heuristic. Its lives are closed:
/// "from 1 to 5" is [1, 6) here.
Problem documented(int64_t alignment = 1) {
  Problem p = problemOf({buffer("0", {{1, 6}}, 10), buffer("1", {{2, 7}}, 5),
                         buffer("2", {{1, 4}}, 8), buffer("3", {{4, 8}}, 4),
                         buffer("4", {{3, 9}}, 6), buffer("5", {{5, 10}}, 12)});
  for (Buffer &b : p.buffers)
    b.alignment = alignment;
  return p;
}

std::vector<int64_t> packed(const Problem &problem) {
  return offsetsOf(solveWith(problem, "first-fit-decreasing"));
}

/// Places only the first of `order`, then the first two, and so on: what one
/// step adds does not move what the steps before it have placed.
void expectTrace(const Problem &whole, const std::vector<size_t> &order,
                 const std::vector<int64_t> &expected) {
  Problem part = whole;
  part.buffers.clear();
  for (size_t step = 0; step < order.size(); ++step) {
    part.buffers.push_back(whole.buffers[order[step]]);
    const auto last = expected.begin() + std::ptrdiff_t(step) + 1;
    EXPECT_EQ(packed(part), std::vector<int64_t>(expected.begin(), last))
        << "step " << step + 1;
  }
}

TEST(FirstFitDecreasing, TheDocumentedExampleStepByStep) {
  EXPECT_THAT(packed(documented()), ElementsAre(12, 28, 0, 33, 22, 0));
  expectTrace(documented(), {5, 0, 2, 4, 1, 3}, {0, 12, 0, 22, 28, 33});
}

TEST(FirstFitDecreasing, TheDocumentedPeaks) {
  const Problem p = documented();
  const SolveResult result = solveWith(p, "first-fit-decreasing");
  const auto *plan = std::get_if<Plan>(&result);
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->pools[0].usedBytes, 37);
  EXPECT_EQ(plan->pools[0].lowerBoundBytes, 37);
  EXPECT_EQ(plan->proof, Proof::LowerBound);
  std::vector<int64_t> peaks;
  for (int64_t step = 1; step <= 9; ++step) {
    int64_t top = 0;
    for (size_t id = 0; id < p.buffers.size(); ++id)
      if (p.buffers[id].lifespans[0].contains(step))
        top = std::max(top, plan->placements[id].offsetBytes +
                                p.buffers[id].sizeBytes);
    peaks.push_back(top);
  }
  EXPECT_THAT(peaks, ElementsAre(22, 33, 33, 37, 37, 37, 37, 28, 12));
}

TEST(FirstFitDecreasing, TheDocumentedExampleAligned) {
  // Ends are rounded up to the next multiple of 8 by whoever comes next.
  EXPECT_THAT(packed(documented(8)), ElementsAre(16, 40, 0, 48, 32, 0));
  expectTrace(documented(8), {5, 0, 2, 4, 1, 3}, {0, 16, 0, 32, 40, 48});
}

TEST(FirstFitDecreasing, TheDocumentedExampleInALimitedPool) {
  Problem p = documented();
  p.pools[0].capacityBytes = 37;
  EXPECT_THAT(packed(p), ElementsAre(12, 28, 0, 33, 22, 0));
  p.pools[0].capacityBytes = 36;
  const SolveResult result = solveWith(p, "first-fit-decreasing");
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_TRUE(failure->boundExceeds);
  EXPECT_EQ(failure->needBytes, 37);
  EXPECT_EQ(failure->peakStep, 5);
  EXPECT_THAT(failure->witness, ElementsAre(5, 0, 4, 1, 3));
}

TEST(FirstFitDecreasing, TheAlignedExampleInALimitedPool) {
  Problem p = documented(8);
  p.pools[0].capacityBytes = 52;
  EXPECT_THAT(packed(p), ElementsAre(16, 40, 0, 48, 32, 0));
  // Another order would do with 50: the 10 on top need no padding.
  p.pools[0].capacityBytes = 51;
  const SolveResult result = solveWith(p, "first-fit-decreasing");
  const auto *failure = std::get_if<Infeasible>(&result);
  ASSERT_NE(failure, nullptr);
  EXPECT_FALSE(failure->boundExceeds);
  EXPECT_EQ(failure->needBytes, 52);
  EXPECT_EQ(failure->haveBytes, 51);
}

TEST(FirstFitDecreasing, WhatEndsWhenAnotherBeginsDoesNotMeetIt) {
  const Problem p =
      problemOf({buffer("a", {{0, 3}}, 10), buffer("b", {{3, 5}}, 10),
                 buffer("c", {{2, 4}}, 5)});
  EXPECT_THAT(packed(p), ElementsAre(0, 0, 10));
}

TEST(FirstFitDecreasing, TheLowestHoleNotTheTightest) {
  // At step 3 there is a hole of 40 at 0 and one of 10 at 70.
  const Problem p =
      problemOf({buffer("wide", {{0, 2}}, 40), buffer("low", {{0, 4}}, 30),
                 buffer("tight", {{0, 2}}, 10), buffer("high", {{0, 4}}, 10),
                 buffer("new", {{2, 4}}, 8)});
  EXPECT_THAT(packed(p), ElementsAre(0, 40, 70, 80, 0));
}

TEST(FirstFitDecreasing, LargestFirstThenFirst) {
  // A longer life is no reason to come first: of the three of 20 the one that
  // begins and ends first does.
  const Problem p = problemOf(
      {buffer("small", {{0, 4}}, 10), buffer("short", {{0, 2}}, 20),
       buffer("long", {{0, 4}}, 20), buffer("long too", {{0, 4}}, 20)});
  EXPECT_EQ(offsetsOf(solveWith(p, "first-fit-decreasing")),
            (std::vector<int64_t>{60, 0, 20, 40}));
}

TEST(FirstFitDecreasing, UsesGapsInLifespans) {
  const Problem p =
      problemOf({buffer("a", {{0, 2}, {4, 6}}, 20), buffer("b", {{2, 4}}, 10)});
  EXPECT_EQ(offsetsOf(solveWith(p, "first-fit-decreasing")),
            (std::vector<int64_t>{0, 0}));
}

TEST(FirstFitDecreasing, WrappedLifespansMeetOnlyWhereTheyAre) {
  Problem p = problemOf(
      {buffer("wraps", {{0, 1}, {3, 4}}, 20), buffer("middle", {{1, 3}}, 20)});
  p.period = 4;
  EXPECT_EQ(offsetsOf(solveWith(p, "first-fit-decreasing")),
            (std::vector<int64_t>{0, 0}));
}

TEST(FirstFitDecreasing, PartnersShareNothing) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 20), buffer("b", {{2, 4}}, 20)});
  EXPECT_EQ(offsetsOf(solveWith(p, "first-fit-decreasing")),
            (std::vector<int64_t>{0, 0}));
  p.forbiddenSharing = {{0, 1}};
  EXPECT_EQ(offsetsOf(solveWith(p, "first-fit-decreasing")),
            (std::vector<int64_t>{0, 20}));
}

/// The heuristic as its source describes it, step by step: a stable sort, and
/// each time past the highest end of what is in the way.
std::vector<int64_t> asDescribed(const Problem &problem) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return problem.buffers[a].sizeBytes > problem.buffers[b].sizeBytes;
  });
  std::vector<int64_t> offsets(order.size(), 0);
  for (size_t done = 0; done < order.size(); ++done) {
    const Buffer &own = problem.buffers[order[done]];
    int64_t at = 0;
    for (bool isBlocked = true; isBlocked;) {
      isBlocked = false;
      int64_t past = at;
      for (size_t i = 0; i < done; ++i) {
        const Buffer &other = problem.buffers[order[i]];
        const int64_t begin = offsets[order[i]];
        if (own.lifespans[0].overlaps(other.lifespans[0]) &&
            begin < at + own.sizeBytes && at < begin + other.sizeBytes) {
          isBlocked = true;
          past = std::max(past, begin + other.sizeBytes);
        }
      }
      at = isBlocked ? std::max(at + 1, past) : at;
    }
    offsets[order[done]] = at;
  }
  return offsets;
}

TEST(FirstFitDecreasing, BreaksTiesInTheOrderOfTheInput) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 200; ++round) {
    std::vector<Buffer> buffers;
    for (int i = 0; i < 24; ++i) {
      const int64_t begin = int64_t(random() % 20);
      buffers.push_back(buffer(std::to_string(i),
                               {{begin, begin + 1 + int64_t(random() % 8)}},
                               int64_t(1 + random() % 3)));
    }
    const Problem problem = problemOf(std::move(buffers));
    ASSERT_EQ(packed(problem), asDescribed(problem)) << "round " << round;
  }
}

} // namespace

//===- OverlapsTest.cpp - Results that begin below their operands ---------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// An operand of 10 bytes, and a result of 8 that may begin 3 below it.
Problem pair() {
  Problem p = problemOf({buffer("in", {{0, 2}}, 10), buffer("out", {{1, 3}}, 8),
                         buffer("other", {{4, 5}}, 1)});
  p.overlaps = {{1, 0, 3}};
  return p;
}

Plan at(int64_t in, int64_t out) {
  Plan plan;
  plan.placements = {{0, in}, {0, out}, {0, 0}};
  plan.pools = {{std::max(in + 10, out + 8), 0}};
  return plan;
}

TEST(Overlaps, AsFarAsTheDistance) {
  const Problem p = pair();
  EXPECT_THAT(validate(p, at(3, 0)), IsEmpty());
  EXPECT_THAT(validate(p, at(8, 0)), IsEmpty());
  EXPECT_THAT(validate(p, at(0, 10)), IsEmpty());
  const std::vector<Violation> near = validate(p, at(2, 0));
  ASSERT_EQ(near.size(), 1u);
  EXPECT_EQ(near[0].invariant, 5);
  // From above the distance says nothing.
  EXPECT_EQ(validate(p, at(0, 3)).size(), 1u);
}

TEST(Overlaps, MembersGoWithTheirRoots) {
  Problem p = pair();
  p.buffers.push_back(buffer("part", {{1, 2}}, 4));
  p.aliases = {{3, 1, 4}};
  Plan plan = at(3, 0);
  plan.placements.push_back({0, 4});
  EXPECT_THAT(check(p), IsEmpty());
  EXPECT_THAT(validate(p, plan), IsEmpty());
  plan = at(2, 0);
  plan.placements.push_back({0, 4});
  EXPECT_FALSE(validate(p, plan).empty());
}

TEST(Overlaps, ForbiddenIsForbidden) {
  Problem p = pair();
  p.forbiddenSharing = {{0, 1}};
  EXPECT_EQ(validate(p, at(3, 0)).size(), 1u);
  EXPECT_EQ(std::get<Plan>(solve(p)).pools[0].usedBytes, 18);
}

TEST(Overlaps, CountOnceInTheBound) {
  Problem p = pair();
  EXPECT_EQ(liveBound(p, 0).bytes, 13);
  const Plan plan = std::get<Plan>(solve(p));
  EXPECT_EQ(plan.pools[0].usedBytes, 13);
  EXPECT_EQ(plan.proof, Proof::LowerBound);
  p.pools[0].alignment = 4;
  // The result at 0, the operand at 4, and 2 bytes behind it that nobody needs.
  EXPECT_EQ(std::get<Plan>(solve(p)).pools[0].usedBytes, 14);
  EXPECT_LE(liveBound(p, 0).bytes, 14);
}

TEST(Overlaps, WhatSharesNothingStaysSo) {
  const Plan plan = std::get<Plan>(solveWith(pair(), "sequential"));
  EXPECT_EQ(plan.pools[0].usedBytes, 19);
}

std::string errorAfter(void (*change)(Problem &)) {
  Problem p = pair();
  change(p);
  const std::vector<ProblemError> errors = check(p);
  return errors.empty() ? "" : errors[0].message;
}

TEST(Overlaps, Check) {
  EXPECT_EQ(errorAfter([](Problem &) {}), "");
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps[0].upper = 3; }),
              HasSubstr("names a buffer that does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps[0].lower = -1; }),
              HasSubstr("names a buffer that does not exist"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps[0].upper = 1; }),
              HasSubstr("with itself"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps[0].distanceBytes = -1; }),
              HasSubstr("negative distance -1"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps.push_back({0, 1, 2}); }),
              HasSubstr("has one already"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[0].pin = Pin{0, 0}; }),
              HasSubstr("is pinned"));
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.buffers[2].lifespans = {{1, 2}};
                p.aliases = {{2, 1, 0}};
                p.overlaps[0].lower = 2;
              }),
              HasSubstr("is an alias"));
  // The result goes at once, and what it was written over is read again.
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.buffers[0].lifespans = {{0, 4}};
                p.buffers[1].lifespans = {{1, 2}};
              }),
              HasSubstr("would be read again"));
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.buffers[0].lifespans = {{1, 2}};
                p.buffers[1].lifespans = {{0, 3}};
              }),
              HasSubstr("would be read again"));
  // Around the end of a schedule that repeats.
  EXPECT_EQ(errorAfter([](Problem &p) {
              p.period = 5;
              p.buffers[1].lifespans = {{1, 5}};
              p.buffers[0].lifespans = {{0, 2}};
            }),
            "");
  EXPECT_THAT(errorAfter([](Problem &p) {
                p.period = 5;
                p.buffers[0].lifespans = {{0, 1}, {4, 5}};
                p.buffers[1].lifespans = {{4, 5}};
              }),
              HasSubstr("would be read again"));
  // Read again after the step that writes over it.
  EXPECT_THAT(errorAfter([](Problem &p) { p.buffers[0].lifespans[0].end = 3; }),
              HasSubstr("alive together in 2 steps"));
  EXPECT_THAT(errorAfter([](Problem &p) { p.overlaps[0].upper = 2; }),
              HasSubstr("alive together in 0 steps"));
}

TEST(Overlaps, InFiles) {
  const Problem p = pair();
  const std::string text = printProblemJson(p);
  EXPECT_THAT(text,
              HasSubstr(R"({"lower":"out","upper":"in","distanceBytes":3})"));
  const auto again = parseProblemJson(text);
  ASSERT_TRUE(std::holds_alternative<Problem>(again));
  EXPECT_EQ(std::get<Problem>(again), p);

  const auto errorOf = [&](std::string from, std::string to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    const auto parsed = parseProblemJson(changed);
    const auto *error = std::get_if<ParseError>(&parsed);
    return error ? error->message : "";
  };
  EXPECT_THAT(errorOf(R"("lower":"out")", R"("lower":"q")"),
              HasSubstr("there is no buffer 'q'"));
  EXPECT_THAT(errorOf(R"("distanceBytes":3)", R"("distanceBytes":-3)"),
              HasSubstr("negative distance -3"));
  EXPECT_THAT(errorOf(R"(,"distanceBytes":3)", ""), HasSubstr("distanceBytes"));
}

} // namespace

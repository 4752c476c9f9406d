//===- ValidateTest.cpp - Every invariant can be broken -------------------===//
//
// Literal problems, literal plans: one good pair, then each invariant broken in
// each way.
//
//===----------------------------------------------------------------------===//

#include "tests/Planning/Builders.h"

#include "tpu_mlir/Planning/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// a and b live together, c after a; d is stored inside b.
Problem problem() {
  Problem p =
      problemOf({buffer("a", {{0, 2}}, 16, 8), buffer("b", {{1, 4}}, 32, 8),
                 buffer("c", {{2, 4}}, 16, 8), buffer("d", {{2, 3}}, 8, 8)},
                64);
  p.pools.push_back({"sram", 0, 64, 16, 0});
  p.buffers[2].pools = {0, 1};
  p.aliases = {{3, 1, 16}};
  return p;
}

Plan plan() {
  Plan p;
  p.placements = {{0, 32}, {0, 0}, {0, 32}, {0, 16}};
  p.pools = {{48, 0}, {0, 0}};
  return p;
}

/// The numbers of the broken invariants, in the order of the report.
std::vector<int> broken(const Problem &problem, const Plan &plan) {
  std::vector<int> numbers;
  for (const Violation &violation : validate(problem, plan))
    numbers.push_back(violation.invariant);
  return numbers;
}

TEST(Validate, AcceptsAGoodPlan) {
  EXPECT_THAT(broken(problem(), plan()), ElementsAre());
  EXPECT_THAT(broken(Problem(), Plan()), ElementsAre());
}

TEST(Validate, P1EveryBufferOnce) {
  Plan p = plan();
  p.placements.pop_back();
  EXPECT_THAT(broken(problem(), p), ElementsAre(1));
  p.placements.resize(5);
  EXPECT_THAT(broken(problem(), p), ElementsAre(1));
}

TEST(Validate, P1AllowedPools) {
  Plan p = plan();
  p.placements[0].pool = 1;
  EXPECT_THAT(broken(problem(), p), ElementsAre(1));
  p.placements[0].pool = 7;
  EXPECT_THAT(broken(problem(), p), ElementsAre(1));
  p.placements[0].pool = -1;
  EXPECT_THAT(broken(problem(), p), ElementsAre(1));
}

TEST(Validate, P2Capacity) {
  Plan p = plan();
  p.placements[2].offsetBytes = 56;
  p.pools[0].usedBytes = 72;
  EXPECT_THAT(broken(problem(), p), ElementsAre(2));
  EXPECT_THAT(validate(problem(), p)[0].message,
              HasSubstr("ends beyond the 64 bytes of pool 'ddr'"));
}

TEST(Validate, P2NegativeOffsetsAndOverflow) {
  Plan p = plan();
  p.placements[0].offsetBytes = -8;
  EXPECT_THAT(broken(problem(), p), ElementsAre(2));
  p.placements[0].offsetBytes = INT64_MAX - 7;
  EXPECT_THAT(broken(problem(), p), ElementsAre(2));
}

TEST(Validate, P2WithoutCapacityTheAddressSpaceEnds) {
  Problem p = problemOf({buffer("a", {{0, 1}}, 16)});
  Plan q;
  q.placements = {{0, INT64_MAX - 16}};
  q.pools = {{INT64_MAX, 0}};
  EXPECT_THAT(broken(p, q), ElementsAre());
  p.pools[0].baseAddress = 1;
  EXPECT_THAT(broken(p, q), ElementsAre(2));
}

TEST(Validate, P3OwnAndPoolAlignment) {
  Plan p = plan();
  p.placements[2].offsetBytes = 36;
  p.pools[0].usedBytes = 52;
  EXPECT_THAT(broken(problem(), p), ElementsAre(3));
  // 8 suits the buffer, but not the pool.
  Plan q = plan();
  q.placements[2] = {1, 8};
  q.pools = {{48, 0}, {24, 0}};
  EXPECT_THAT(broken(problem(), q), ElementsAre(3));
  q.placements[2].offsetBytes = 16;
  q.pools[1].usedBytes = 32;
  EXPECT_THAT(broken(problem(), q), ElementsAre());
}

TEST(Validate, P3AliasesFollowTheirRoot) {
  Problem p = problem();
  p.pools[0].alignment = 32;
  EXPECT_THAT(broken(p, plan()), ElementsAre());
  p.buffers[3].alignment = 32;
  EXPECT_THAT(broken(p, plan()), ElementsAre(3));
}

TEST(Validate, P4Pins) {
  Problem p = problem();
  p.buffers[2].pin = Pin{0, 40};
  EXPECT_THAT(broken(p, plan()), ElementsAre(4));
  p.buffers[2].pin = Pin{1, 32};
  EXPECT_THAT(broken(p, plan()), ElementsAre(4));
  p.buffers[2].pin = Pin{0, 32};
  EXPECT_THAT(broken(p, plan()), ElementsAre());
}

TEST(Validate, P5AliveTogether) {
  Plan p = plan();
  p.placements[0].offsetBytes = 24;
  const std::vector<Violation> violations = validate(problem(), p);
  ASSERT_EQ(violations.size(), 1u);
  EXPECT_EQ(violations[0].invariant, 5);
  EXPECT_EQ(violations[0].first, 0);
  EXPECT_EQ(violations[0].second, 1);
  EXPECT_THAT(violations[0].message, HasSubstr("'a' at [24,40)"));
  EXPECT_THAT(violations[0].message, HasSubstr("alive at step 1"));
}

TEST(Validate, P5OnlyInOnePool) {
  Plan p = plan();
  p.placements[2] = {1, 0};
  p.pools = {{48, 0}, {16, 0}};
  EXPECT_THAT(broken(problem(), p), ElementsAre());
}

TEST(Validate, P5Gaps) {
  Problem p =
      problemOf({buffer("a", {{0, 2}, {4, 6}}, 8), buffer("b", {{2, 4}}, 8)});
  Plan q;
  q.placements = {{0, 0}, {0, 0}};
  q.pools = {{8, 0}};
  EXPECT_THAT(broken(p, q), ElementsAre());
  p.buffers[1].lifespans = {{2, 5}};
  EXPECT_THAT(broken(p, q), ElementsAre(5));
}

TEST(Validate, P5ForbiddenPairsEvenWhenNeverAliveTogether) {
  Problem p = problem();
  p.forbiddenSharing = {{2, 0}};
  EXPECT_THAT(broken(p, plan()), ElementsAre(5));
  // One alias class may share whatever is said.
  p.forbiddenSharing = {{1, 3}};
  EXPECT_THAT(broken(p, plan()), ElementsAre());
}

TEST(Validate, P5ListsEveryPairUpToTheLimit) {
  Problem p = problemOf({});
  Plan q;
  q.pools = {{8, 0}};
  for (int i = 0; i < 6; ++i) {
    p.buffers.push_back(buffer("", {{0, 1}}, 8));
    q.placements.push_back({0, 0});
  }
  EXPECT_EQ(validate(p, q, 100).size(), 15u);
  EXPECT_EQ(validate(p, q).size(), 15u);
  EXPECT_EQ(validate(p, q, 4).size(), 4u);
}

TEST(Validate, P6AliasOffsets) {
  Plan p = plan();
  p.placements[3].offsetBytes = 8;
  EXPECT_THAT(broken(problem(), p), ElementsAre(6));
  Problem sticksOut = problem();
  sticksOut.buffers[3].sizeBytes = 17;
  // It ends in c's bytes now, and is alive when c is.
  EXPECT_THAT(broken(sticksOut, plan()), ElementsAre(5, 6));
}

TEST(Validate, P7RootsOutliveTheirAliases) {
  Problem p = problem();
  p.buffers[3].lifespans = {{2, 5}};
  EXPECT_THAT(broken(p, plan()), ElementsAre(7));
}

TEST(Validate, P8Marks) {
  Plan p = plan();
  p.pools[0].usedBytes = 47;
  EXPECT_THAT(broken(problem(), p), ElementsAre(8));
  p.pools[0].usedBytes = 49;
  EXPECT_THAT(broken(problem(), p), ElementsAre(8));
  p = plan();
  p.pools.pop_back();
  EXPECT_THAT(broken(problem(), p), ElementsAre(8));
}

TEST(Validate, ZeroSizesOverlapNothing) {
  const Problem p =
      problemOf({buffer("a", {{0, 2}}, 8), buffer("z", {{0, 2}}, 0)});
  Plan q;
  q.placements = {{0, 0}, {0, 4}};
  q.pools = {{8, 0}};
  EXPECT_THAT(broken(p, q), ElementsAre());
}

TEST(Validate, ByInvariantThenBuffer) {
  Problem p = problem();
  p.buffers[2].pin = Pin{0, 40};
  Plan q = plan();
  q.placements[0].offsetBytes = 20;
  q.pools[0].usedBytes = 1;
  EXPECT_THAT(broken(p, q), ElementsAre(3, 4, 5, 8));
}

} // namespace

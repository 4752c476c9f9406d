//===- MutationTest.cpp - The validator rejects what is broken ------------===//
//
// Good plans, and the problems they answer, are changed at random. Whether the
// change breaks an invariant is decided by the brute-force oracle; the
// validator must come to the same verdict, both ways.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/RandomProblems.h"

#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/Planning/Validate.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

struct Case {
  Problem problem;
  Plan plan;
};

/// The plan's own marks follow the change, so that the change itself is what
/// breaks, and not only P8.
void updateMarks(Case &c) {
  for (PoolUse &use : c.plan.pools)
    use.usedBytes = 0;
  for (size_t i = 0; i < c.plan.placements.size(); ++i) {
    const Placement &at = c.plan.placements[i];
    if (at.pool < 0 || at.pool >= PoolId(c.plan.pools.size()))
      continue;
    int64_t &used = c.plan.pools[at.pool].usedBytes;
    used = std::max(used, at.offsetBytes + c.problem.buffers[i].sizeBytes);
  }
}

using Mutation = void (*)(Case &, Draw &);

size_t anyBuffer(const Case &c, Draw &draw) {
  return size_t(draw.between(0, int64_t(c.problem.buffers.size()) - 1));
}

void shift(Case &c, Draw &draw) {
  const size_t i = anyBuffer(c, draw);
  c.plan.placements[i].offsetBytes +=
      draw.between(-3, 3) * c.problem.buffers[i].alignment;
  updateMarks(c);
}
void swapOffsets(Case &c, Draw &draw) {
  std::swap(c.plan.placements[anyBuffer(c, draw)],
            c.plan.placements[anyBuffer(c, draw)]);
  updateMarks(c);
}
void reuseTooEarly(Case &c, Draw &draw) {
  c.plan.placements[anyBuffer(c, draw)] = c.plan.placements[anyBuffer(c, draw)];
  updateMarks(c);
}
void misalign(Case &c, Draw &draw) {
  c.plan.placements[anyBuffer(c, draw)].offsetBytes += draw.between(1, 7);
  updateMarks(c);
}
void wrongPool(Case &c, Draw &draw) {
  c.plan.placements[anyBuffer(c, draw)].pool =
      draw.between(-1, PoolId(c.problem.pools.size()));
}
void wrongMark(Case &c, Draw &draw) {
  const size_t pool = size_t(draw.between(0, int64_t(c.plan.pools.size()) - 1));
  c.plan.pools[pool].usedBytes += draw.between(-2, 2);
}
void shrinkCapacity(Case &c, Draw &draw) {
  const size_t pool = size_t(draw.between(0, int64_t(c.plan.pools.size()) - 1));
  c.problem.pools[pool].capacityBytes =
      std::max<int64_t>(c.plan.pools[pool].usedBytes + draw.between(-9, 2), 0);
}
void growBuffer(Case &c, Draw &draw) {
  c.problem.buffers[anyBuffer(c, draw)].sizeBytes += draw.between(1, 64);
  updateMarks(c);
}
void liveLonger(Case &c, Draw &draw) {
  c.problem.buffers[anyBuffer(c, draw)].lifespans.back().end +=
      draw.between(1, 6);
}
void forbidPair(Case &c, Draw &draw) {
  const size_t a = anyBuffer(c, draw), b = anyBuffer(c, draw);
  if (a != b)
    c.problem.forbiddenSharing.emplace_back(a, b);
}
void pinElsewhere(Case &c, Draw &draw) {
  const size_t i = anyBuffer(c, draw);
  c.problem.buffers[i].pin =
      Pin{c.plan.placements[i].pool,
          c.plan.placements[i].offsetBytes + draw.between(0, 1)};
}
void moveAlias(Case &c, Draw &draw) {
  if (c.problem.aliases.empty())
    return;
  const int64_t last = int64_t(c.problem.aliases.size()) - 1;
  c.problem.aliases[size_t(draw.between(0, last))].offsetBytes +=
      draw.between(0, 2);
}
void outliveRoot(Case &c, Draw &draw) {
  if (!c.problem.aliases.empty())
    c.problem.buffers[draw.oneOf(c.problem.aliases).member]
        .lifespans.back()
        .end += draw.between(0, 3);
}
void farAway(Case &c, Draw &draw) {
  c.plan.placements[anyBuffer(c, draw)].offsetBytes =
      INT64_MAX - draw.between(0, 100);
}
void losePlacement(Case &c, Draw &draw) {
  if (draw.chance(50))
    c.plan.placements.pop_back();
  else
    c.plan.pools.emplace_back();
}

constexpr std::array<Mutation, 15> kMutations = {
    shift,        swapOffsets,    reuseTooEarly, misalign,   wrongPool,
    wrongMark,    shrinkCapacity, growBuffer,    liveLonger, forbidPair,
    pinElsewhere, moveAlias,      outliveRoot,   farAway,    losePlacement};

std::set<int> verdictOf(const Case &c) {
  std::set<int> broken;
  for (const Violation &violation : validate(c.problem, c.plan, 100000))
    broken.insert(violation.invariant);
  return broken;
}

TEST(Mutation, ValidatorAndOracleAgree) {
  int64_t rejected = 0, accepted = 0;
  std::map<int, int64_t> seen;
  for (uint64_t seed = 1; seed <= 400; ++seed)
    for (Family family : allFamilies()) {
      const Problem problem = randomProblem(family, seed, 12);
      SolveOptions options;
      options.nodeLimit = 1000;
      const SolveResult solved = solve(problem, options);
      const Plan *plan = std::get_if<Plan>(&solved);
      if (!plan)
        continue;
      Draw draw(seed * 31 + uint64_t(family));
      const size_t kind = size_t(draw.between(0, kMutations.size() - 1));
      Case c{problem, *plan};
      kMutations[kind](c, draw);
      const std::set<int> expected = brokenInvariants(c.problem, c.plan);
      const std::set<int> verdict = verdictOf(c);
      ASSERT_EQ(verdict.empty(), expected.empty())
          << "mutation " << kind << ", seed " << seed << "\n"
          << printProblemJson(c.problem);
      // Unsound offsets end the referee's work early.
      if (!expected.count(2))
        EXPECT_EQ(verdict, expected) << "mutation " << kind;
      else
        EXPECT_TRUE(verdict.count(2)) << "mutation " << kind;
      (expected.empty() ? accepted : rejected) += 1;
      for (int invariant : expected)
        ++seen[invariant];
    }
  // The test is worth something only when all of this really occurred.
  EXPECT_GE(rejected, 1000);
  EXPECT_GE(accepted, 300);
  for (int invariant = 1; invariant <= 8; ++invariant)
    EXPECT_GE(seen[invariant], 20) << "P" << invariant;
  RecordProperty("rejected", int(rejected));
  RecordProperty("accepted", int(accepted));
  std::cout << rejected << " broken plans, all rejected; " << accepted
            << " sound ones, all accepted\n";
}

} // namespace

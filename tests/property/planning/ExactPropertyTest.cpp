//===- ExactPropertyTest.cpp - What holds for the exact search alone ------===//
//
// Its parts can be switched off one by one: none of them may change what is
// found. And what it calls impossible is.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/BruteForce.h"
#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/SmallProblems.h"

#include "tpu_mlir/Planning/Bounds.h"
#include "tpu_mlir/Planning/ProblemIO.h"
#include "tpu_mlir/Planning/Strategy.h"
#include "tpu_mlir/tools/memplan/generators/Generate.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr unsigned kSwitches = 6;
constexpr unsigned kAllOn = (1u << kSwitches) - 1;
constexpr unsigned kRestarts = 1u << 5;

ExactOptions switched(unsigned bits) {
  ExactOptions options;
  options.dominance = bits & 1;
  options.unplacedFloor = bits & 2;
  options.decomposition = bits & 4;
  options.reranking = bits & 8;
  options.symmetry = bits & 16;
  options.restarts = bits & kRestarts;
  return options;
}

SolveOptions exactly(unsigned switches = kAllOn) {
  SolveOptions options;
  options.strategy = "exact";
  options.exact = switched(switches);
  return options;
}

bool isProved(const Plan &plan) {
  return plan.proof == Proof::Optimal || plan.proof == Proof::LowerBound;
}

/// Problems of `classes` buffers that miss their bounds, of all kinds in turn;
/// a search with everything off takes some nodes for them, but not too many.
std::vector<Problem> problemsThatMiss(int64_t classes, size_t count) {
  std::vector<Problem> problems;
  for (uint64_t seed = 1; problems.size() < count; ++seed) {
    const unsigned kind = unsigned(seed * 11 % Features::kCombinations);
    Problem problem = smallProblem(Features::fromBits(kind), seed, classes);
    SolveOptions options = exactly(0);
    options.nodeLimit = 600;
    const SolveResult result = solve(problem, options);
    const Plan *plan = std::get_if<Plan>(&result);
    if (plan && plan->proof == Proof::Optimal && plan->nodes > 50)
      problems.push_back(std::move(problem));
  }
  return problems;
}

/// Nodes by combination of switches.
std::vector<int64_t> expectSameOptimum(const std::vector<Problem> &problems) {
  std::vector<int64_t> nodes(kAllOn + 1, 0);
  for (const Problem &problem : problems) {
    const int64_t optimum =
        std::get<Plan>(solve(problem, exactly())).pools[0].usedBytes;
    for (unsigned bits = 0; bits <= kAllOn; ++bits) {
      SCOPED_TRACE("switches " + std::to_string(bits));
      const SolveResult result = solve(problem, exactly(bits));
      const Plan *plan = std::get_if<Plan>(&result);
      if (!plan || !isProved(*plan) || plan->pools[0].usedBytes != optimum)
        ADD_FAILURE() << "optimum " << optimum << ", but "
                      << (plan ? plan->pools[0].usedBytes : -1) << "\n"
                      << printProblemJson(problem);
      if (testing::Test::HasFailure())
        return nodes;
      EXPECT_EQ(brokenInvariants(problem, *plan), std::set<int>());
      nodes[bits] += plan->nodes;
    }
  }
  return nodes;
}

/// Not compared: restarts, which find packings and only cost where there is
/// nothing left to find.
void expectPruning(const std::vector<int64_t> &nodes) {
  EXPECT_LE(nodes[kAllOn], nodes[kRestarts]);
  EXPECT_LE(nodes[kAllOn & ~kRestarts], nodes[0]);
}

TEST(ExactSwitches, NoneChangesTheOptimumOfTinyProblems) {
  const std::vector<Problem> problems = problemsThatMiss(8, 25);
  // All combinations agree with each other below; this says on what.
  for (const Problem &problem : problems)
    EXPECT_EQ(std::get<Plan>(solve(problem, exactly())).pools[0].usedBytes,
              leastBytes(problem));
  expectPruning(expectSameOptimum(problems));
}

TEST(ExactSwitches, NoneChangesTheOptimumOfSmallProblems) {
  std::vector<Problem> problems;
  for (int64_t classes : {12, 13, 14})
    for (Problem &problem : problemsThatMiss(classes, 1))
      problems.push_back(std::move(problem));
  expectPruning(expectSameOptimum(problems));
}

bool missesBound(const Problem &problem) {
  const SolveResult result = solve(problem, exactly());
  const Plan *plan = std::get_if<Plan>(&result);
  return plan && plan->proof != Proof::LowerBound;
}

class Capacity : public testing::TestWithParam<unsigned> {};

void expectToFit(const Problem &problem, int64_t least) {
  for (bool fitIsEnough : {false, true}) {
    SolveOptions options = exactly();
    options.fitIsEnough = fitIsEnough;
    const SolveResult result = solve(problem, options);
    const Plan *plan = std::get_if<Plan>(&result);
    ASSERT_NE(plan, nullptr) << printProblemJson(problem);
    EXPECT_EQ(brokenInvariants(problem, *plan), std::set<int>());
    EXPECT_EQ(plan->pools[0].usedBytes, least);
  }
}

/// True when it took a search to prove it.
bool expectImpossible(const Problem &problem) {
  SolveOptions options = exactly();
  options.fitIsEnough = true;
  const SolveResult result = solve(problem, options);
  const Infeasible *failure = std::get_if<Infeasible>(&result);
  if (!failure) {
    ADD_FAILURE() << "not infeasible\n" << printProblemJson(problem);
    return false;
  }
  EXPECT_GT(failure->needBytes, failure->haveBytes);
  EXPECT_TRUE(failure->isProved || failure->boundExceeds ||
              namesMembers(problem))
      << printProblemJson(problem);
  if (failure->boundExceeds) {
    EXPECT_GT(liveBound(problem, 0).bytes, failure->haveBytes);
  }
  return failure->isProved;
}

TEST_P(Capacity, TheOptimumFitsAndAByteLessDoesNot) {
  int64_t proofs = 0;
  for (uint64_t seed = 1; seed <= 400 && proofs < 2; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Problem problem =
        smallProblem(Features::fromBits(GetParam()), seed + 5000, 5 + seed % 4);
    if (seed > 3 && !missesBound(problem))
      continue;
    const int64_t least = leastBytes(problem);
    if (least == 0)
      continue;
    problem.pools[0].capacityBytes = least;
    ASSERT_TRUE(check(problem).empty()) << check(problem).front().message;
    expectToFit(problem, least);
    problem.pools[0].capacityBytes = least - 1;
    // A pin that ends above the capacity is an error, not a failure to fit.
    if (check(problem).empty())
      proofs += expectImpossible(problem);
    if (HasFailure())
      return;
  }
  EXPECT_GE(proofs, 1);
}

Problem problemOf(std::vector<Buffer> buffers) {
  for (size_t i = 0; i < buffers.size(); ++i)
    buffers[i].name = "b" + std::to_string(i);
  Problem problem;
  problem.pools = {{"pool", 0, std::nullopt, 1, 0}};
  problem.buffers = std::move(buffers);
  return problem;
}

Buffer buffer(Interval life, int64_t sizeBytes, int64_t alignment) {
  Buffer result;
  result.lifespans = {life};
  result.sizeBytes = sizeBytes;
  result.alignment = alignment;
  return result;
}

/// At step 1 only offsets that are multiples of 4 count, which makes 14 of 13
/// bytes; the bound of the whole knows multiples of 2 only.
TEST(CapacityOfParts, TheBoundOfAPartIsAProof) {
  Problem problem = problemOf(
      {buffer({0, 1}, 10, 2), buffer({1, 2}, 10, 4), buffer({1, 2}, 2, 4)});
  EXPECT_EQ(leastBytes(problem), 14);
  problem.pools[0].capacityBytes = 13;
  EXPECT_TRUE(expectImpossible(problem));
  // It is one even where the packing at hand is higher: 10 by size, 9 at best.
  problem = problemOf({buffer({0, 1}, 2, 4), buffer({0, 1}, 5, 4),
                       buffer({1, 2}, 3, 4), buffer({1, 2}, 4, 2)});
  EXPECT_EQ(leastBytes(problem), 9);
  problem.pools[0].capacityBytes = 8;
  EXPECT_TRUE(expectImpossible(problem));
}

/// Without restarts only the whole is searched, and this is too large for that:
/// it must not go on looking for something to do.
TEST(Exact, EndsWhenThereIsNothingToSearch) {
  GenerateOptions wanted;
  wanted.family = "guillotine";
  wanted.buffers = 4500;
  SolveOptions options = exactly(kAllOn & ~kRestarts);
  options.nodeLimit = 100'000;
  const SolveResult result =
      solve(std::get<Generated>(generate(wanted)).problem, options);
  EXPECT_TRUE(std::holds_alternative<Plan>(result));
}

/// 42 is no multiple of 4, though all sizes and 8 are, and 6 divides 12.
TEST(Exact, AlignmentsThatDoNotDivideEachOther) {
  const Problem problem = problemOf(
      {buffer({1, 2}, 24, 6), buffer({3, 5}, 12, 8), buffer({4, 5}, 24, 8),
       buffer({0, 4}, 12, 6), buffer({2, 3}, 24, 8), buffer({3, 4}, 12, 8)});
  const SolveResult result = solve(problem, exactly());
  ASSERT_TRUE(std::holds_alternative<Plan>(result));
  EXPECT_EQ(std::get<Plan>(result).pools[0].usedBytes, leastBytes(problem));
}

INSTANTIATE_TEST_SUITE_P(Features, Capacity,
                         testing::Range(0u, Features::kCombinations),
                         [](const auto &info) {
                           std::string name =
                               Features::fromBits(info.param).name();
                           std::replace(name.begin(), name.end(), '+', '_');
                           return name;
                         });

} // namespace

//===- ConflictPropertyTest.cpp - Graph, sweep and pairs agree ------------===//
//
// The conflict graph, the components found without it and a comparison of all
// pairs say the same of random problems of every family, and parts that are
// planned alone make a plan of the whole.
//
//===----------------------------------------------------------------------===//

#include "tests/property/planning/Oracle.h"
#include "tests/property/planning/RandomProblems.h"

#include "tpu_mlir/Planning/Conflict.h"
#include "tpu_mlir/Planning/Strategy.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;

namespace {

constexpr uint64_t kSeeds = 60;

using RootPairs = std::set<std::pair<BufferId, BufferId>>;

/// Some buffers of a problem as a problem of their own.
struct ProblemPart {
  Problem problem;
  std::vector<BufferId> buffers; ///< Which of the whole each one is.
};

/// One part for each component, all pools in each.
std::vector<ProblemPart> splitIntoParts(const Problem &problem) {
  const auto components = independentComponents(problem);
  std::vector<size_t> partOf(problem.buffers.size(), 0);
  for (size_t part = 0; part < components.size(); ++part)
    for (BufferId root : components[part])
      partOf[root] = part;
  for (const Alias &alias : problem.aliases)
    partOf[alias.member] = partOf[alias.root];

  std::vector<ProblemPart> parts(components.size());
  for (ProblemPart &part : parts) {
    part.problem.name = problem.name;
    part.problem.pools = problem.pools;
    part.problem.period = problem.period;
  }
  std::vector<BufferId> idInPart;
  for (size_t id = 0; id < problem.buffers.size(); ++id) {
    ProblemPart &part = parts[partOf[id]];
    idInPart.push_back(BufferId(part.buffers.size()));
    part.buffers.push_back(BufferId(id));
    part.problem.buffers.push_back(problem.buffers[id]);
  }
  for (const Alias &alias : problem.aliases)
    parts[partOf[alias.root]].problem.aliases.push_back(
        {idInPart[alias.member], idInPart[alias.root], alias.offsetBytes});
  for (const auto &[a, b] : problem.forbiddenSharing)
    if (partOf[a] == partOf[b])
      parts[partOf[a]].problem.forbiddenSharing.emplace_back(idInPart[a],
                                                             idInPart[b]);
  return parts;
}

BufferId rootOf(const Problem &problem, BufferId buffer) {
  for (const Alias &alias : problem.aliases)
    if (alias.member == buffer)
      return alias.root;
  return buffer;
}

bool isForbidden(const Problem &problem, BufferId a, BufferId b) {
  for (const auto &[first, second] : problem.forbiddenSharing) {
    const BufferId one = rootOf(problem, first);
    const BufferId other = rootOf(problem, second);
    if (std::minmax(one, other) == std::minmax(a, b))
      return true;
  }
  return false;
}

/// Every pair of classes, looked at one by one.
RootPairs conflictsByPairs(const Problem &problem) {
  RootPairs result;
  const std::vector<StorageClass> classes = foldAliases(problem);
  for (const StorageClass &a : classes)
    for (const StorageClass &b : classes) {
      if (a.root >= b.root || a.sizeBytes == 0 || b.sizeBytes == 0)
        continue;
      bool isPoolCommon = false;
      for (PoolId pool : a.pools)
        for (PoolId other : b.pools)
          isPoolCommon |= pool == other && (!a.pin || a.pin->pool == pool) &&
                          (!b.pin || b.pin->pool == pool);
      if (isPoolCommon && (anyOverlap(a.lifespans, b.lifespans) ||
                           isForbidden(problem, a.root, b.root)))
        result.emplace(a.root, b.root);
    }
  return result;
}

class Conflicts : public testing::TestWithParam<Family> {
protected:
  template <typename F> void forEachProblem(F &&body) {
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      // Few buffers make components, many make one.
      const int64_t buffers = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 8 : 40;
      body(randomProblem(GetParam(), seed, buffers));
    }
  }
};

TEST_P(Conflicts, TheGraphHasAllPairs) {
  forEachProblem([](const Problem &problem) {
    const auto result = buildConflictGraph(problem);
    ASSERT_TRUE(std::holds_alternative<ConflictGraph>(result));
    const auto &graph = std::get<ConflictGraph>(result);
    RootPairs found;
    const auto [begin, end] = edges(graph);
    for (auto edge = begin; edge != end; ++edge)
      found.insert(std::minmax(graph[source(*edge, graph)].root,
                               graph[target(*edge, graph)].root));
    const RootPairs expected = conflictsByPairs(problem);
    EXPECT_EQ(found, expected);
    // No parallel edges.
    EXPECT_EQ(num_edges(graph), expected.size());
    const auto count = int64_t(expected.size());
    EXPECT_TRUE(std::holds_alternative<ConflictGraph>(
        buildConflictGraph(problem, count)));
    EXPECT_TRUE(std::holds_alternative<TooManyConflicts>(
        buildConflictGraph(problem, count - 1)));
  });
}

TEST_P(Conflicts, TheSweepFindsTheSameComponents) {
  size_t several = 0;
  forEachProblem([&](const Problem &problem) {
    const auto result = buildConflictGraph(problem);
    ASSERT_TRUE(std::holds_alternative<ConflictGraph>(result));
    const auto components =
        connectedComponents(std::get<ConflictGraph>(result));
    EXPECT_EQ(independentComponents(problem), components);
    several += components.size() > 1;
  });
  EXPECT_GT(several, 0u);
}

TEST_P(Conflicts, PlansOfThePartsAreAPlanOfTheWhole) {
  size_t plans = 0;
  forEachProblem([&](const Problem &problem) {
    SolveOptions options;
    options.strategy = "first-fit-decreasing";
    Plan whole;
    whole.placements.resize(problem.buffers.size());
    whole.pools.resize(problem.pools.size());
    for (const ProblemPart &part : splitIntoParts(problem)) {
      ASSERT_TRUE(check(part.problem).empty());
      const SolveResult result = solve(part.problem, options);
      const auto *plan = std::get_if<Plan>(&result);
      if (!plan)
        return;
      for (size_t i = 0; i < part.buffers.size(); ++i)
        whole.placements[part.buffers[i]] = plan->placements[i];
      for (size_t pool = 0; pool < whole.pools.size(); ++pool)
        whole.pools[pool].usedBytes =
            std::max(whole.pools[pool].usedBytes, plan->pools[pool].usedBytes);
    }
    ++plans;
    EXPECT_EQ(brokenInvariants(problem, whole), std::set<int>());
  });
  EXPECT_GT(plans, 0u);
}

INSTANTIATE_TEST_SUITE_P(Families, Conflicts, testing::ValuesIn(allFamilies()),
                         [](const auto &info) {
                           return familyName(info.param);
                         });

} // namespace

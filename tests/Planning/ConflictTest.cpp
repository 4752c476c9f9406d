//===- ConflictTest.cpp - Which storage is in whose way -------------------===//

#include "tpu_mlir/Planning/Conflict.h"

#include "tests/Planning/Builders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::planning;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

namespace {

using Edges = std::vector<std::pair<BufferId, BufferId>>;
using Components = std::vector<std::vector<BufferId>>;

ConflictGraph graphOf(const Problem &problem) {
  auto graph = buildConflictGraph(problem);
  EXPECT_TRUE(std::holds_alternative<ConflictGraph>(graph));
  return std::get<ConflictGraph>(graph);
}

/// Pairs of roots, sorted.
Edges edgesOf(const ConflictGraph &graph) {
  Edges result;
  const auto [begin, end] = edges(graph);
  for (auto edge = begin; edge != end; ++edge)
    result.push_back(std::minmax(graph[source(*edge, graph)].root,
                                 graph[target(*edge, graph)].root));
  std::sort(result.begin(), result.end());
  return result;
}

/// The figure of Conflict.h.
Problem figure() {
  return problemOf({buffer("a", {{0, 2}}, 8), buffer("b", {{1, 3}}, 8),
                    buffer("c", {{2, 3}}, 8), buffer("d", {{4, 5}}, 8),
                    buffer("e", {{4, 6}}, 8)});
}

TEST(ConflictGraph, TheFigure) {
  const ConflictGraph graph = graphOf(figure());
  EXPECT_EQ(num_vertices(graph), 5u);
  EXPECT_THAT(edgesOf(graph), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(3, 4)));
  const Components expected = {{0, 1, 2}, {3, 4}};
  EXPECT_EQ(connectedComponents(graph), expected);
  EXPECT_EQ(independentComponents(figure()), expected);
}

TEST(ConflictGraph, WhatTouchesDoesNotMeet) {
  const Problem p =
      problemOf({buffer("a", {{0, 2}}, 8), buffer("b", {{2, 4}}, 8)});
  EXPECT_THAT(edgesOf(graphOf(p)), IsEmpty());
  EXPECT_EQ(independentComponents(p), (Components{{0}, {1}}));
}

TEST(ConflictGraph, GapsCount) {
  // b lives in the gap of a and meets c, which meets a: one component.
  Problem p =
      problemOf({buffer("a", {{0, 1}, {5, 7}}, 8), buffer("b", {{1, 5}}, 8)});
  EXPECT_THAT(edgesOf(graphOf(p)), IsEmpty());
  EXPECT_EQ(independentComponents(p), (Components{{0}, {1}}));
  p.buffers.push_back(buffer("c", {{4, 6}}, 8));
  EXPECT_THAT(edgesOf(graphOf(p)), ElementsAre(Pair(0, 2), Pair(1, 2)));
  EXPECT_EQ(independentComponents(p), (Components{{0, 1, 2}}));
}

TEST(ConflictGraph, ACommonPoolIsNeeded) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 8), buffer("b", {{0, 2}}, 8),
                         buffer("c", {{0, 2}}, 8)});
  p.pools.push_back({"other", 1 << 20, std::nullopt, 1, 0});
  p.buffers[1].pools = {1};
  EXPECT_THAT(edgesOf(graphOf(p)), ElementsAre(Pair(0, 2)));
  EXPECT_EQ(independentComponents(p), (Components{{0, 2}, {1}}));
  // One that may be in either meets both; in both pools it is still one edge.
  p.buffers[2].pools = {1, 0};
  p.buffers[0].pools = {0, 1};
  EXPECT_THAT(edgesOf(graphOf(p)),
              ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 2)));
  EXPECT_EQ(independentComponents(p), (Components{{0, 1, 2}}));
  // A pin leaves no choice.
  p.buffers[0].pin = Pin{0, 0};
  EXPECT_THAT(edgesOf(graphOf(p)), ElementsAre(Pair(0, 2), Pair(1, 2)));
}

TEST(ConflictGraph, ForbiddenPairsAreEdges) {
  Problem p = figure();
  p.forbiddenSharing = {{4, 0}, {0, 4}, {0, 1}};
  EXPECT_THAT(edgesOf(graphOf(p)),
              ElementsAre(Pair(0, 1), Pair(0, 4), Pair(1, 2), Pair(3, 4)));
  EXPECT_EQ(independentComponents(p), (Components{{0, 1, 2, 3, 4}}));
}

TEST(ConflictGraph, NoBytesNoConflict) {
  Problem p = problemOf({buffer("a", {{0, 2}}, 8), buffer("z", {{0, 2}}, 0)});
  p.forbiddenSharing = {{0, 1}};
  EXPECT_THAT(edgesOf(graphOf(p)), IsEmpty());
  EXPECT_EQ(independentComponents(p), (Components{{0}, {1}}));
}

TEST(ConflictGraph, AnAliasIsPartOfItsRoot) {
  Problem p = figure();
  p.buffers.push_back(buffer("view", {{2, 5}}, 4));
  p.buffers[1].lifespans = {{1, 5}};
  p.aliases = {{5, 1, 0}};
  const ConflictGraph graph = graphOf(p);
  EXPECT_EQ(num_vertices(graph), 5u);
  EXPECT_THAT(edgesOf(graph), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(1, 3),
                                          Pair(1, 4), Pair(3, 4)));
  EXPECT_EQ(independentComponents(p), (Components{{0, 1, 2, 3, 4}}));
}

TEST(ConflictGraph, TooManyAreRefused) {
  std::vector<Buffer> buffers(100, buffer("", {{0, 1}, {2, 3}}, 8));
  const Problem p = problemOf(buffers);
  EXPECT_TRUE(
      std::holds_alternative<ConflictGraph>(buildConflictGraph(p, 4950)));
  const auto refused = buildConflictGraph(p, 4949);
  ASSERT_TRUE(std::holds_alternative<TooManyConflicts>(refused));
  EXPECT_EQ(std::get<TooManyConflicts>(refused).limit, 4949);
  EXPECT_EQ(independentComponents(p).size(), 1u);
}

TEST(ConflictGraph, ACliqueOfAHundredThousandIsRefusedAtOnce) {
  const Problem p =
      problemOf(std::vector<Buffer>(100000, buffer("", {{0, 1}}, 8)));
  EXPECT_TRUE(
      std::holds_alternative<TooManyConflicts>(buildConflictGraph(p, 100000)));
  EXPECT_EQ(independentComponents(p).size(), 1u);
}

TEST(ConflictGraph, NothingToDo) {
  EXPECT_EQ(num_vertices(graphOf(Problem())), 0u);
  EXPECT_THAT(independentComponents(Problem()), IsEmpty());
}

} // namespace

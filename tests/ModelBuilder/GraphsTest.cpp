//===- GraphsTest.cpp - Random graphs, and cells as they are written ------===//

#include "lib/ModelBuilder/Graphs/RandomWiring.h"
#include "lib/ModelBuilder/Graphs/SwiftCells.h"

#include <gtest/gtest.h>

namespace tpu_mlir::graphs {
namespace {

/// random.Random(seed).random(), twice, as Python 3.11 prints them.
TEST(PythonRandom, GivesThePublishedNumbers) {
  PythonRandom zero(0), one(1), large(uint64_t(1) << 40);
  EXPECT_EQ(zero.real(), 0.8444218515250481);
  EXPECT_EQ(zero.real(), 0.7579544029403025);
  EXPECT_EQ(one.real(), 0.13436424411240122);
  EXPECT_EQ(one.real(), 0.8474337369372327);
  EXPECT_EQ(large.real(), 0.1036394562812375);
  EXPECT_EQ(large.real(), 0.6705558677439764);
}

/// random.Random(3).choice(range(n)) for these n.
TEST(PythonRandom, ChoosesAsPythonDoes) {
  PythonRandom random(3);
  const std::pair<uint32_t, uint32_t> kChoices[] = {
      {2, 0},   {10, 9},     {28, 17}, {28, 4}, {1, 0},
      {16, 15}, {1000, 640}, {17, 2},  {33, 0}, {100000, 61503}};
  for (auto [limit, wanted] : kChoices)
    EXPECT_EQ(random.below(limit), wanted) << limit;
}

TEST(RandomWiring, KeepsTheNumberOfEdges) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Wiring wiring = smallRandWire(seed);
    ASSERT_EQ(wiring.size(), 32u);
    size_t edges = 0;
    for (size_t node = 0; node < wiring.size(); ++node) {
      edges += wiring[node].size();
      for (size_t i = 0; i < wiring[node].size(); ++i) {
        EXPECT_LT(wiring[node][i], static_cast<int>(node));
        EXPECT_TRUE(i == 0 || wiring[node][i - 1] < wiring[node][i]);
      }
    }
    EXPECT_EQ(edges, 64u) << seed;
    EXPECT_EQ(sinksOf(wiring).back(), 31) << seed;
  }
}

/// Without chance it is the ring.
TEST(RandomWiring, IsARingWhereNothingIsMoved) {
  const Wiring ring = wattsStrogatz(6, 2, 0, 1);
  EXPECT_EQ(ring, (Wiring{{}, {0}, {1}, {2}, {3}, {0, 4}}));
  EXPECT_EQ(sinksOf(ring), std::vector<int>{5});
}

TEST(SwiftCells, ReadWhatIsBeforeThem) {
  const std::pair<char, size_t> kOps[] = {{'A', 28}, {'B', 23}, {'C', 24}};
  for (auto [name, count] : kOps) {
    const SwiftCell cell = swiftCell(name);
    EXPECT_EQ(cell.ops.size(), count) << name;
    for (const SwiftOp &op : cell.ops)
      for (int input : op.inputs)
        EXPECT_LT(input, op.number);
  }
  const SwiftCell a = swiftCell('A');
  EXPECT_EQ(a.ops[1].kind, SwiftOp::Kind::Concat);
  EXPECT_EQ(a.ops[1].inputs, (std::vector<int>{kCellInput, 5}));
  EXPECT_EQ(a.ops[1].channels, 64);
  EXPECT_EQ(a.ops[25].channels, 48);
  EXPECT_EQ(a.ops.back().kind, SwiftOp::Kind::Add);
}

} // namespace
} // namespace tpu_mlir::graphs

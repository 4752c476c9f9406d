//===- SweepTest.cpp - Distances against sweeps byte by byte --------------===//

#include "tpu_mlir/Support/Sweep.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tpu_mlir;

namespace {

struct Nest {
  SweptTensor result, operand;
  std::vector<DimRule> rules;

  std::optional<int64_t> distance() const {
    return sweepDistance(result, operand, rules);
  }
};

int64_t unitsOf(const SweptTensor &tensor) {
  int64_t units = 1;
  for (int64_t extent : tensor.extents)
    units *= extent;
  return units;
}

std::vector<int64_t> indexOf(const SweptTensor &tensor, int64_t unit) {
  std::vector<int64_t> index(tensor.extents.size());
  for (size_t d = index.size(); d > 0; --d) {
    index[d - 1] = unit % tensor.extents[d - 1];
    unit /= tensor.extents[d - 1];
  }
  return index;
}

/// Whether unit `read` of the operand is needed for that index of the result.
bool isNeeded(const Nest &nest, const std::vector<int64_t> &at, int64_t read) {
  const std::vector<int64_t> from = indexOf(nest.operand, read);
  for (size_t d = 0; d < from.size(); ++d) {
    const DimRule &rule = nest.rules[d];
    if (rule.kind == DimRule::Kind::Whole)
      continue;
    const int64_t i = from[d], o = at[size_t(rule.resultDim)];
    const int64_t tap = rule.kind == DimRule::Kind::Window
                            ? i - (o * rule.stride - rule.before)
                            : o - (i * rule.stride - rule.before);
    if (tap < 0 || tap >= rule.extent)
      return false;
  }
  return true;
}

/// Makes the sweep, byte by byte, with the operand `distance` bytes above.
bool survives(const Nest &nest, int64_t distance) {
  std::set<int64_t> written;
  for (int64_t unit = 0; unit < unitsOf(nest.result); ++unit) {
    const std::vector<int64_t> at = indexOf(nest.result, unit);
    for (int64_t read = 0; read < unitsOf(nest.operand); ++read)
      if (isNeeded(nest, at, read))
        for (int64_t b = 0; b < nest.operand.unitBytes; ++b)
          if (written.count(distance + read * nest.operand.unitBytes + b))
            return false;
    for (int64_t b = 0; b < nest.result.unitBytes; ++b)
      written.insert(unit * nest.result.unitBytes + b);
  }
  return true;
}

/// A window over [n, c, h, w], one plane after the other.
Nest window(int64_t channels, int64_t in, int64_t out, int64_t kernel,
            int64_t stride, int64_t pad) {
  Nest nest;
  nest.operand.extents = {2, channels, in, in};
  nest.result.extents = {2, channels, out, out};
  nest.rules = {DimRule::same(0), DimRule::same(1),
                DimRule::window(2, stride, pad, kernel),
                DimRule::window(3, stride, pad, kernel)};
  return nest;
}

TEST(Sweep, Windows) {
  // A row and an element, as the window looks back as far.
  EXPECT_EQ(window(3, 8, 8, 3, 1, 1).distance(), 8 + 1);
  EXPECT_EQ(window(3, 8, 8, 5, 1, 2).distance(), 2 * 8 + 2);
  // Without padding the result falls back.
  EXPECT_EQ(window(3, 8, 6, 3, 1, 0).distance(), 0);
  EXPECT_EQ(window(3, 8, 4, 2, 2, 0).distance(), 0);
  Nest floats = window(3, 8, 8, 3, 1, 1);
  floats.operand.unitBytes = floats.result.unitBytes = 4;
  EXPECT_EQ(floats.distance(), 4 * (8 + 1));
}

TEST(Sweep, OneByOne) {
  // Each channel of the result reads all of them: only the last one has none
  // after it.
  Nest nest = window(4, 5, 5, 1, 1, 0);
  nest.operand.extents[0] = nest.result.extents[0] = 1;
  nest.rules[1] = DimRule::whole();
  EXPECT_EQ(nest.distance(), 3 * 25);
}

TEST(Sweep, Widths) {
  const auto cast = [](int64_t from, int64_t to) {
    return Nest{{{10}, to}, {{10}, from}, {DimRule::same(0)}}.distance();
  };
  EXPECT_EQ(cast(4, 2), 0);
  EXPECT_EQ(cast(2, 2), 0);
  EXPECT_EQ(cast(2, 4), 9 * 4 - 9 * 2);
  EXPECT_EQ(cast(1, 4), 9 * 4 - 9 * 1);
}

TEST(Sweep, NothingToMeasure) {
  EXPECT_EQ((Nest{{{0}, 1}, {{1}, 1}, {DimRule::whole()}}.distance()),
            std::nullopt);
  EXPECT_EQ((Nest{{{1}, 1}, {{1}, 1}, {}}.distance()), std::nullopt);
  const int64_t large = int64_t(1) << 30;
  EXPECT_EQ(
      (Nest{{{large, large}, 4}, {{1}, 1}, {DimRule::whole()}}.distance()),
      std::nullopt);
  EXPECT_EQ((Nest{{{}, 4}, {{}, 4}, {}}.distance()), 0);
}

class RandomNest {
public:
  explicit RandomNest(uint64_t seed) : random(seed) {}

  Nest make() {
    Nest nest;
    nest.result.unitBytes = nest.operand.unitBytes = below(2) ? 1 : 2;
    if (below(3) == 0)
      nest.result.unitBytes = below(2) ? 1 : 4;
    for (int64_t rank = 1 + below(3); rank > 0; --rank)
      nest.result.extents.push_back(1 + below(4));
    for (int64_t rank = 1 + below(3); rank > 0; --rank) {
      nest.operand.extents.push_back(1 + below(5));
      nest.rules.push_back(rule(int(nest.result.extents.size())));
    }
    return nest;
  }

private:
  int64_t below(int64_t limit) { return int64_t(random() % uint64_t(limit)); }
  DimRule rule(int rank) {
    const int dim = int(below(rank));
    const int64_t stride = 1 + below(2), extent = 1 + below(3);
    switch (below(4)) {
    case 0:
      return DimRule::whole();
    case 1:
      return DimRule::spread(dim, stride, below(2), std::max(stride, extent));
    default:
      return DimRule::window(dim, stride, below(4) - 1, extent);
    }
  }

  std::mt19937_64 random;
};

/// Whether there is no element of the result that needs nothing.
bool needsAlways(const Nest &nest) {
  for (int64_t unit = 0; unit < unitsOf(nest.result); ++unit) {
    const std::vector<int64_t> at = indexOf(nest.result, unit);
    bool isAny = false;
    for (int64_t read = 0; read < unitsOf(nest.operand) && !isAny; ++read)
      isAny = isNeeded(nest, at, read);
    if (!isAny)
      return false;
  }
  return true;
}

/// One byte less does not do where each element needs something.
TEST(Sweep, AgreesWithBytes) {
  int64_t exact = 0, zero = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const Nest nest = RandomNest(seed).make();
    const std::optional<int64_t> distance = nest.distance();
    ASSERT_TRUE(distance);
    for (int64_t more = 0; more < 4; ++more)
      ASSERT_TRUE(survives(nest, *distance + more)) << seed;
    zero += *distance == 0;
    if (*distance == 0 || !needsAlways(nest))
      continue;
    ++exact;
    ASSERT_FALSE(survives(nest, *distance - 1)) << seed;
  }
  EXPECT_GT(exact, 1000);
  EXPECT_GT(zero, 1000);
}

} // namespace

//===- NeededBoxTest.cpp - Boxes against counting element by element ------===//

#include "lib/Transforms/Tpu/LocalReport/NeededBox.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace tpu_mlir;
using namespace tpu_mlir::local_report;

namespace {

std::set<int64_t> indicesOf(const IndexSet &set) {
  std::set<int64_t> indices;
  for (const Interval &run : set)
    for (int64_t i = run.begin; i < run.end; ++i)
      indices.insert(i);
  return indices;
}

/// Places of its elements in the order of memory.
std::set<int64_t> elementsOf(const NeededBox &box,
                             const std::vector<int64_t> &shape) {
  std::set<int64_t> elements = {0};
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    std::set<int64_t> inner;
    for (int64_t outer : elements)
      for (int64_t i : indicesOf(box[dim]))
        inner.insert(outer * shape[dim] + i);
    elements = std::move(inner);
  }
  return elements;
}

class NeededBoxTest : public testing::Test {
protected:
  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  IndexSet drawSet(int64_t length) {
    if (draw(0, 2) == 0)
      return {{0, length}};
    IndexSet set;
    for (int64_t i = 0; i < length; ++i)
      if (draw(0, 1))
        set.push_back({i, i + 1});
    if (set.empty())
      set.push_back({0, 1});
    return normalize(std::move(set));
  }
  NeededBox drawBox(const std::vector<int64_t> &shape) {
    NeededBox box;
    for (int64_t length : shape)
      box.push_back(drawSet(length));
    return box;
  }

  std::mt19937_64 random{7};
};

TEST_F(NeededBoxTest, RulesAgreeWithCounting) {
  for (int round = 0; round < 20000; ++round) {
    const auto kind =
        draw(0, 1) ? DimRule::Kind::Window : DimRule::Kind::Spread;
    const DimRule rule{kind, 0, draw(1, 4), draw(-4, 5), draw(1, 5)};
    const int64_t length = draw(1, 9);
    const IndexSet results = drawSet(draw(1, 10));
    std::set<int64_t> expected;
    for (int64_t i = 0; i < length; ++i)
      for (int64_t o : indicesOf(results)) {
        const int64_t from = kind == DimRule::Kind::Window
                                 ? i - (o * rule.stride - rule.before)
                                 : o - (i * rule.stride - rule.before);
        if (from >= 0 && from < rule.extent)
          expected.insert(i);
      }
    EXPECT_EQ(indicesOf(neededSet(rule, results, length)), expected)
        << rule.stride << " " << rule.before << " " << rule.extent;
  }
  EXPECT_EQ(neededSet(DimRule::whole(), {{3, 4}}, 9), (IndexSet{{0, 9}}));
  EXPECT_EQ(neededSet(DimRule::whole(), {}, 9), IndexSet());
}

TEST_F(NeededBoxTest, UnitesWhereOneDimensionDiffers) {
  const NeededBox left = {{{0, 2}}, {{0, 3}}}, right = {{{0, 2}}, {{5, 8}}};
  EXPECT_EQ(unite(left, right), (NeededBox{{{0, 2}}, {{0, 3}, {5, 8}}}));
  EXPECT_EQ(unite(left, left), left);
  // A corner and another one are no box.
  const NeededBox corner = {{{2, 5}}, {{3, 4}}};
  EXPECT_EQ(unite(left, corner), left);
  const std::vector<int64_t> shape = {3, 2, 4};
  for (int round = 0; round < 2000; ++round) {
    const NeededBox a = drawBox(shape), b = drawBox(shape);
    std::set<int64_t> both = elementsOf(a, shape);
    both.merge(elementsOf(b, shape));
    const NeededBox united = unite(a, b);
    for (int64_t element : elementsOf(united, shape))
      EXPECT_TRUE(both.count(element));
    EXPECT_GE(countElements(united),
              std::max(countElements(a), countElements(b)));
  }
}

TEST_F(NeededBoxTest, ViewsKeepTheirElements) {
  const std::vector<std::vector<int64_t>> shapes = {
      {24},   {2, 12}, {4, 6},    {2, 3, 4},    {1, 24, 1}, {4, 1, 6},
      {8, 3}, {3, 8},  {2, 2, 6}, {2, 2, 2, 3}, {1, 1, 24}, {6, 4, 1, 1}};
  for (const auto &from : shapes)
    for (const auto &to : shapes) {
      EXPECT_EQ(boxOfView(wholeBox(to), from, to), wholeBox(from));
      for (int round = 0; round < 200; ++round) {
        const NeededBox box = drawBox(to);
        const NeededBox seen = boxOfView(box, from, to);
        const std::set<int64_t> allowed = elementsOf(box, to);
        EXPECT_GT(countElements(seen), 0);
        for (int64_t element : elementsOf(seen, from))
          EXPECT_TRUE(allowed.count(element));
        if (from == to || from.size() == 1) {
          EXPECT_EQ(countElements(seen), countElements(box));
        }
      }
    }
  // Whole rows, or the longest part of one.
  EXPECT_EQ(boxOfView({{{3, 20}}}, {4, 6}, {24}),
            (NeededBox{{{1, 3}}, {{0, 6}}}));
  EXPECT_EQ(boxOfView({{{4, 9}}}, {4, 6}, {24}),
            (NeededBox{{{1, 2}}, {{0, 3}}}));
  EXPECT_EQ(boxOfView({IndexSet()}, {4, 6}, {24}), NeededBox(2));
}

TEST_F(NeededBoxTest, PlacesOfViews) {
  using Places = std::vector<std::vector<int>>;
  EXPECT_EQ(viewPlaces({2, 12}, {2, 3, 4}), (Places{{0}, {1, 2}}));
  EXPECT_EQ(viewPlaces({2, 3, 4}, {6, 4, 1}), (Places{{0}, {0}, {1}}));
  EXPECT_EQ(viewPlaces({4, 6}, {6, 4}), (Places{{0, 1}, {0, 1}}));
  EXPECT_FALSE(viewPlaces({2}, {2, 3}));
  EXPECT_FALSE(viewPlaces({2, 3}, {2}));
}

TEST_F(NeededBoxTest, LongDimensionsAreCutShort) {
  const IndexSet all = {{0, int64_t(1) << 40}};
  const IndexSet some =
      neededSet(DimRule::window(0, 3, 0, 1), all, int64_t(3) << 40);
  EXPECT_EQ(some.size(), kMaxRuns);
  EXPECT_EQ(neededSet(DimRule::window(0, 2, 0, 2), all, int64_t(2) << 40),
            (IndexSet{{0, int64_t(2) << 40}}));
  // Every second of many columns: as many rows as have room.
  IndexSet columns;
  for (int64_t i = 0; i < 64; i += 2)
    columns.push_back({i, i + 1});
  EXPECT_EQ(boxOfView({{{0, int64_t(1) << 30}}, columns},
                      {(int64_t(1) << 30) * 64}, {int64_t(1) << 30, 64})
                .front()
                .size(),
            kMaxRuns);
  // Products beyond 63 bits are the largest number there is.
  const std::vector<int64_t> huge(3, int64_t(1) << 40);
  EXPECT_EQ(countElements(wholeBox(huge)), INT64_MAX);
}

} // namespace

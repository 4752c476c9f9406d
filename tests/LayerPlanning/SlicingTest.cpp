//===- SlicingTest.cpp - Parts worked out by hand, and of random networks -===//

#include "tpu_mlir/LayerPlanning/Slicing.h"
#include "tests/LayerPlanning/Networks.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

using Parts = std::vector<std::pair<int64_t, int64_t>>;

struct Cut {
  GroupTensors tensors;
  GroupSlices slices;

  Parts parts(TensorId tensor, Dim dim) const {
    Parts result;
    for (Interval part : slices.tensors[slices.indexOf[tensor]].parts[dim])
      result.push_back({part.begin, part.end});
    // One part for all sections is the same as many equal ones.
    if (result.size() == 1)
      result.resize(slices.sections[dim], result.front());
    return result;
  }
  bool isSame(TensorId tensor) const {
    return slices.tensors[slices.indexOf[tensor]].isSame();
  }
};

void readOutside(NetworkBuilder &net, std::initializer_list<TensorId> tensors) {
  for (TensorId tensor : tensors)
    net.graph.tensors[tensor].isReadOutside = true;
}

Cut cut(const NetworkBuilder &net, const Sections &sections) {
  Cut result;
  const LayerRange range = net.order();
  result.tensors = groupTensors(net.graph, range);
  result.slices =
      sliceGroup(net.graph, range, result.tensors, sections, smallChip());
  return result;
}

/// n, c, d, h, w.
Sections rows(int64_t h) { return {1, 1, 1, h, 1}; }

TEST(SlicingTest, HaloOfAConvolution) {
  NetworkBuilder net;
  const TensorId in = net.input(8, 10, 10);
  const TensorId out = net.conv(in, 8, 3, 1, 1);
  readOutside(net, {out});
  const Cut result = cut(net, rows(3));
  EXPECT_EQ(result.parts(out, H), (Parts{{0, 4}, {4, 7}, {7, 10}}));
  EXPECT_EQ(result.parts(in, H), (Parts{{0, 5}, {3, 8}, {6, 10}}));
  EXPECT_EQ(result.parts(in, W), (Parts{{0, 10}}));
  const TensorId filter = net.graph.layers[0].operands[1].tensor;
  EXPECT_TRUE(result.isSame(filter));
  EXPECT_FALSE(result.isSame(in));
}

TEST(SlicingTest, StridesMultiplyAlongTheWay) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 21, 8);
  const TensorId half = net.conv(in, 4, 3, 2, 0);      // 10 rows.
  const TensorId quarter = net.conv(half, 4, 2, 2, 0); // 5 rows.
  readOutside(net, {quarter});
  const Cut result = cut(net, rows(2));
  EXPECT_EQ(result.parts(quarter, H), (Parts{{0, 3}, {3, 5}}));
  EXPECT_EQ(result.parts(half, H), (Parts{{0, 6}, {6, 10}}));
  EXPECT_EQ(result.parts(in, H), (Parts{{0, 13}, {12, 21}}));
}

/// A tensor is stored and read in steps of two: its part holds both.
TEST(SlicingTest, TwoReadersShareTheHull) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 12, 12);
  const TensorId a = net.conv(in, 4, 1, 1, 0);
  const TensorId b = net.conv(a, 4, 3, 2, 1);
  readOutside(net, {a, b});
  const Cut result = cut(net, rows(3));
  EXPECT_EQ(result.tensors.outputs, (std::vector<TensorId>{a, b}));
  EXPECT_EQ(result.parts(b, H), (Parts{{0, 2}, {2, 4}, {4, 6}}));
  EXPECT_EQ(result.parts(a, H), (Parts{{0, 4}, {3, 8}, {7, 12}}));
  EXPECT_EQ(result.parts(in, H), (Parts{{0, 4}, {3, 8}, {7, 12}}));
}

/// Kernel 1 in steps of two on three padded rows: rows -1, 1 and 3.
TEST(SlicingTest, StepsOverTheBorderReachIt) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 3, 3);
  const TensorId out = net.conv(in, 4, 1, 2, 1);
  readOutside(net, {out});
  EXPECT_EQ(cut(net, rows(1)).parts(in, H), (Parts{{0, 3}}));
  EXPECT_EQ(cut(net, rows(2)).parts(in, H), (Parts{{0, 2}, {2, 3}}));
}

/// Every window that the parts of a result have: what it reads is there, and so
/// is the border beyond which it reads.
TEST(SlicingTest, WindowsOfAllKindsFindWhatTheyRead) {
  for (int64_t kernel = 1; kernel <= 4; ++kernel)
    for (int64_t stride = 1; stride <= 5; ++stride)
      for (int64_t pad = 0; pad <= 4; ++pad)
        for (int64_t length = std::max<int64_t>(1, kernel - 2 * pad);
             length <= 9; ++length) {
          NetworkBuilder net;
          const TensorId in = net.input(4, length, length);
          const TensorId out = net.conv(in, 4, kernel, stride, pad);
          readOutside(net, {out});
          const int64_t results = net.graph.tensors[out].shape[H];
          for (int64_t sections = 1; sections <= results; ++sections) {
            const Cut result = cut(net, rows(sections));
            for (int64_t i = 0; i < sections; ++i) {
              const auto [begin, end] = result.parts(in, H)[i];
              const auto [first, last] = result.parts(out, H)[i];
              for (int64_t o = first; o < last; ++o)
                for (int64_t tap = 0; tap < kernel; ++tap) {
                  const int64_t row = std::clamp<int64_t>(
                      o * stride - pad + tap, 0, length - 1);
                  EXPECT_TRUE(begin <= row && row < end)
                      << kernel << " " << stride << " " << pad << " " << length
                      << ", section " << i << " of " << sections;
                }
            }
          }
        }
}

TEST(SlicingTest, ChannelsInWholeRowsOfLanes) {
  NetworkBuilder net;
  const TensorId in = net.input(8, 4, 4);
  const TensorId out = net.conv(in, 10, 1, 1, 0);
  readOutside(net, {out});
  const GroupTensors tensors = groupTensors(net.graph, net.order());
  EXPECT_EQ(maxSections(net.graph, net.order(), tensors, smallChip()),
            (Sections{1, 3, 1, 4, 4}));
  const Cut result = cut(net, {1, 2, 1, 1, 1});
  const TensorId filter = net.graph.layers[0].operands[1].tensor;
  EXPECT_EQ(result.parts(out, C), (Parts{{0, 8}, {8, 10}}));
  EXPECT_EQ(result.parts(filter, C), (Parts{{0, 8}, {8, 10}}));
  EXPECT_EQ(result.parts(in, C), (Parts{{0, 8}, {0, 8}}));
  EXPECT_TRUE(result.isSame(in));
  EXPECT_FALSE(result.isSame(filter));
}

TEST(SlicingTest, WhatCannotBeCutIsComputedWhole) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 6, 9);
  const TensorId soft = net.softmax(in);
  const TensorId out = net.conv(soft, 4, 3, 1, 1);
  readOutside(net, {out});
  const Cut result = cut(net, {1, 1, 1, 2, 3});
  EXPECT_EQ(result.parts(out, W), (Parts{{0, 3}, {3, 6}, {6, 9}}));
  EXPECT_EQ(result.parts(soft, W), (Parts{{0, 9}, {0, 9}, {0, 9}}));
  EXPECT_EQ(result.parts(in, W), (Parts{{0, 9}, {0, 9}, {0, 9}}));
  EXPECT_EQ(result.parts(in, H), (Parts{{0, 4}, {2, 6}}));
}

TEST(SlicingTest, LimitsOfTheGrid) {
  NetworkBuilder net;
  const TensorId in = net.input(6, 5, 9);
  const TensorId soft = net.softmax(in);
  readOutside(net, {soft});
  const auto limits = [&] {
    return maxSections(net.graph, net.order(),
                       groupTensors(net.graph, net.order()), smallChip());
  };
  EXPECT_EQ(limits(), (Sections{1, 2, 1, 5, 1}));
  // Rows that follow columns: neither is cut.
  Layer &layer = net.graph.layers[0];
  layer.isCuttable.fill(true);
  layer.operands[0].rules[H] = DimRule::same(W);
  layer.operands[0].rules[W] = DimRule::same(H);
  EXPECT_EQ(limits(), (Sections{1, 2, 1, 1, 1}));
}

/// Rows 0 and 3 of the result are padding only: something is loaded all the
/// same.
TEST(SlicingTest, NoPartIsEmpty) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 2, 8);
  const TensorId out = net.conv(in, 4, 1, 1, 1);
  readOutside(net, {out});
  const Cut result = cut(net, rows(4));
  EXPECT_EQ(result.parts(out, H), (Parts{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  const Parts parts = result.parts(in, H);
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[1], (std::pair<int64_t, int64_t>(0, 1)));
  EXPECT_EQ(parts[2], (std::pair<int64_t, int64_t>(1, 2)));
  for (const auto &[begin, end] : {parts[0], parts[3]}) {
    EXPECT_EQ(end - begin, 1);
    EXPECT_GE(begin, 0);
    EXPECT_LE(end, 2);
  }
}

TEST(SlicingTest, ChannelsAreTheInnermostLoop) {
  const Sections sections{2, 2, 1, 3, 1};
  EXPECT_EQ(countSections(sections), 12);
  using Index = std::array<int64_t, kNumDims>;
  EXPECT_EQ(sectionIndex(sections, 0), (Index{0, 0, 0, 0, 0}));
  EXPECT_EQ(sectionIndex(sections, 1), (Index{0, 1, 0, 0, 0}));
  EXPECT_EQ(sectionIndex(sections, 2), (Index{0, 0, 0, 1, 0}));
  EXPECT_EQ(sectionIndex(sections, 6), (Index{1, 0, 0, 0, 0}));
  EXPECT_EQ(sectionIndex(sections, 11), (Index{1, 1, 0, 2, 0}));
  Index index{};
  for (int64_t section = 0; section < 12; ++section) {
    EXPECT_EQ(index, sectionIndex(sections, section));
    moveOn(sections, index);
  }
  EXPECT_EQ(index, (Index{}));
}

TEST(SlicingTest, InputsAndOutputs) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 4, 4);
  const TensorId other = net.input(4, 4, 4);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.elementwise({a, other});
  const TensorId c = net.elementwise({b, in});
  readOutside(net, {c});
  const GroupTensors front = groupTensors(net.graph, {0, 1});
  EXPECT_EQ(front.inputs, (std::vector<TensorId>{in, other}));
  EXPECT_EQ(front.results, (std::vector<TensorId>{a, b}));
  EXPECT_EQ(front.outputs, (std::vector<TensorId>{b}));
  const GroupTensors back = groupTensors(net.graph, {1, 2});
  EXPECT_EQ(back.inputs, (std::vector<TensorId>{a, other, in}));
  EXPECT_EQ(back.outputs, (std::vector<TensorId>{c}));
}

//===----------------------------------------------------------------------===//
// Random networks
//===----------------------------------------------------------------------===//

/// Each element of the result, one by one.
void expectCovered(const DimRule &rule, Interval result, Interval operand,
                   int64_t length) {
  for (int64_t o = result.begin; o < result.end; ++o) {
    const int64_t first = o * rule.stride - rule.before;
    for (int64_t i = first; i < first + rule.extent; ++i)
      if (i >= 0 && i < length) {
        ASSERT_TRUE(i >= operand.begin && i < operand.end) << i;
      }
  }
}

void expectNeeds(const LayerGraph &graph, const LayerRange &range,
                 const GroupSlices &slices) {
  const auto of = [&](TensorId tensor) -> const TensorSlices & {
    return slices.tensors[slices.indexOf[tensor]];
  };
  for (LayerId id : range)
    for (const LayerOperand &operand : graph.layers[id].operands)
      for (int dim = 0; dim < kNumDims; ++dim)
        for (int64_t i = 0; i < slices.sections[dim]; ++i) {
          const int64_t length = graph.tensors[operand.tensor].shape[dim];
          const Interval part = of(operand.tensor).part(dim, i);
          ASSERT_TRUE(0 <= part.begin && part.begin < part.end &&
                      part.end <= length);
          const DimRule &rule = operand.rules[dim];
          if (rule.kind == DimRule::Kind::Whole) {
            ASSERT_EQ(part.length(), length);
            continue;
          }
          expectCovered(rule, of(graph.layers[id].result).part(dim, i), part,
                        length);
        }
}

void expectOutputs(const LayerGraph &graph, const GroupTensors &tensors,
                   const GroupSlices &slices) {
  for (TensorId tensor : tensors.outputs)
    for (int dim = 0; dim < kNumDims; ++dim) {
      int64_t end = 0;
      for (int64_t i = 0; i < slices.sections[dim]; ++i) {
        const Interval part =
            slices.tensors[slices.indexOf[tensor]].part(dim, i);
        ASSERT_LE(part.begin, end);
        end = std::max(end, part.end);
      }
      ASSERT_EQ(end, graph.tensors[tensor].shape[dim]);
    }
}

void expectSample(const GroupSlices &all, const GroupSlices &some) {
  ASSERT_EQ(all.tensors.size(), some.tensors.size());
  for (size_t i = 0; i < all.tensors.size(); ++i) {
    const Shape5 most = all.tensors[i].maxExtents();
    const Shape5 least = some.tensors[i].maxExtents();
    for (int dim = 0; dim < kNumDims; ++dim)
      ASSERT_LE(least[dim], most[dim]);
    ASSERT_EQ(all.tensors[i].isSame(), some.tensors[i].isSame());
  }
}

/// Section by section.
void expectLengths(const LayerGraph &graph, const LayerRange &range,
                   const GroupSlices &slices, const std::vector<Shape5> &said,
                   int64_t lanes) {
  ASSERT_EQ(said.size(), range.size());
  for (size_t layer = 0; layer < range.size(); ++layer)
    for (int dim = 0; dim < kNumDims; ++dim) {
      const TensorId result = graph.layers[range[layer]].result;
      int64_t sum = 0;
      for (int64_t i = 0; i < slices.sections[dim]; ++i) {
        const int64_t length =
            slices.tensors[slices.indexOf[result]].part(dim, i).length();
        sum += dim == C ? (length + lanes - 1) / lanes * lanes : length;
      }
      ASSERT_EQ(said[layer][dim], sum);
    }
}

TEST(SlicingTest, RandomNetworks) {
  std::mt19937 random(7);
  int numCut = 0;
  for (int i = 0; i < 300; ++i) {
    const NetworkBuilder net = randomNetwork(random, 2 + i % 12);
    const LayerRange range = net.order();
    const GroupTensors tensors = groupTensors(net.graph, range);
    Sections sections = maxSections(net.graph, range, tensors, smallChip());
    for (int64_t &parts : sections) {
      ASSERT_GE(parts, 1);
      parts = 1 + static_cast<int64_t>(random() % parts);
    }
    const target::ChipSpec chip = smallChip();
    const GroupSlicer slicer(net.graph, range, tensors, chip);
    const GroupSlices slices = slicer.slice(sections);
    numCut += countSections(sections) > 1;
    ASSERT_NO_FATAL_FAILURE(expectNeeds(net.graph, range, slices));
    ASSERT_NO_FATAL_FAILURE(expectOutputs(net.graph, tensors, slices));
    ASSERT_NO_FATAL_FAILURE(expectSample(slices, slicer.sample(sections)));
    ASSERT_NO_FATAL_FAILURE(expectLengths(net.graph, range, slices,
                                          slicer.computedLengths(sections),
                                          chip.lanes));
  }
  EXPECT_GT(numCut, 200);
}

TEST(TensorIndexTest, FindsWhatIsThereAndNothingElse) {
  for (int stride : {1, 2, 64, 1 << 20}) {
    std::vector<TensorId> list;
    for (int i = 0; i < 300; ++i)
      list.push_back(7 + i * stride);
    const TensorIndex index(list);
    for (int i = 0; i < 300; ++i)
      EXPECT_EQ(index[list[i]], i);
    EXPECT_EQ(index[6], -1);
    EXPECT_EQ(index[7 + 300 * stride], -1);
  }
}

} // namespace

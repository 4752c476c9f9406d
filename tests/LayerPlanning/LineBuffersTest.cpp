//===- LineBuffersTest.cpp - Rows that stay from section to section -------===//

#include "Networks.h"

#include "tpu_mlir/LayerPlanning/GroupSearch.h"

#include <gtest/gtest.h>

#include <set>

namespace tpu_mlir::layer {

namespace {

/// Three convolutions of 3x3, and the input, which the last one's result is
/// added to.
NetworkBuilder residual(int64_t rows = 32) {
  NetworkBuilder net;
  const TensorId in = net.input(4, rows, 16);
  TensorId at = in;
  for (int i = 0; i < 3; ++i)
    at = net.conv(at, 4, 3, 1, 1);
  at = net.elementwise({at, in});
  net.graph.tensors[at].isReadOutside = true;
  return net;
}

GroupOptions withLines() {
  GroupOptions options;
  options.objective = Objective::Traffic;
  options.lineBuffers = true;
  return options;
}

/// Sections along h with line buffers.
struct Cut {
  LayerGraph graph;
  LayerRange order;
  GroupTensors tensors;
  GroupSlices slices;

  Cut(const NetworkBuilder &net, const Lines &lines, int64_t sections)
      : graph(net.graph), order(addLineBuffers(graph, net.order(), lines)),
        tensors(groupTensors(graph, order)),
        slices(sliceGroup(graph, order, tensors, {1, 1, 1, sections, 1},
                          smallChip())) {}

  llvm::ArrayRef<Interval> rowsOf(TensorId tensor) const {
    return slices.tensors[slices.indexOf[tensor]].parts[H];
  }
};

/// What a referee who knows nothing of slicing expects: new rows of each tensor
/// tile it (where a section has none, its last one is made again), and each
/// line buffer finds every other row with itself.
void expectEachRowOnce(const NetworkBuilder &net, const Lines &lines,
                       int64_t sections) {
  const Cut cut(net, lines, sections);
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto full = static_cast<TensorId>(net.graph.tensors.size() + i);
    const auto own = cut.rowsOf(lines[i]), result = cut.rowsOf(full);
    ASSERT_EQ(own.size(), size_t(sections));
    int64_t end = 0;
    for (size_t j = 0; j < own.size(); ++j) {
      EXPECT_EQ(own[j].end, result[j].end);
      EXPECT_FALSE(own[j].empty());
      const bool isAgain =
          j > 0 && own[j].length() == 1 && own[j].end == own[j - 1].end;
      EXPECT_TRUE(own[j].begin == end || isAgain) << i << " " << j;
      if (j > 0 && result[j].begin < own[j].begin) {
        EXPECT_LE(result[j - 1].begin, result[j].begin);
        EXPECT_LE(own[j].begin, result[j - 1].end);
      }
      end = own[j].end;
    }
  }
}

TEST(LineBuffersTest, OfAllThatSectionsShare) {
  const NetworkBuilder net = residual();
  const auto choices = lineBufferChoices(net.graph, net.order(), smallChip());
  ASSERT_EQ(choices.size(), 2u);
  // The input, which lags behind for the sum, and two results with a halo; the
  // third one is read row by row.
  const TensorId first = net.graph.layers[0].result,
                 second = net.graph.layers[1].result;
  EXPECT_EQ(choices[0], (Lines{0, first, second}));
  EXPECT_EQ(choices[1], (Lines{first, second}));
}

TEST(LineBuffersTest, NotWhereSectionsShareNothing) {
  NetworkBuilder net;
  // A kernel that is no larger than its stride, and one row at a time.
  TensorId at = net.conv(net.input(4, 32, 16), 4, 2, 2, 0);
  at = net.elementwise({net.conv(at, 4, 1, 1, 0)});
  net.graph.tensors[at].isReadOutside = true;
  EXPECT_TRUE(lineBufferChoices(net.graph, net.order(), smallChip()).empty());
  // One row cannot be cut.
  const NetworkBuilder flat = residual(1);
  EXPECT_TRUE(lineBufferChoices(flat.graph, flat.order(), smallChip()).empty());
}

TEST(LineBuffersTest, CanBeTakenBack) {
  const NetworkBuilder net = residual();
  LayerGraph graph = net.graph;
  const Lines lines{0, net.graph.layers[1].result};
  const LayerRange order = addLineBuffers(graph, net.order(), lines);
  EXPECT_EQ(order, (LayerRange{4, 0, 1, 5, 2, 3}));
  EXPECT_EQ(graph.tensors[0].readers, std::vector<LayerId>{4});
  EXPECT_EQ(graph.layers[3].operands[1].tensor, graph.layers[4].result);
  removeLineBuffers(graph, lines);
  ASSERT_EQ(graph.tensors.size(), net.graph.tensors.size());
  ASSERT_EQ(graph.layers.size(), net.graph.layers.size());
  for (size_t i = 0; i < graph.tensors.size(); ++i)
    EXPECT_EQ(graph.tensors[i].readers, net.graph.tensors[i].readers) << i;
  for (size_t i = 0; i < graph.layers.size(); ++i)
    for (size_t k = 0; k < graph.layers[i].operands.size(); ++k)
      EXPECT_EQ(graph.layers[i].operands[k].tensor,
                net.graph.layers[i].operands[k].tensor);
}

TEST(LineBuffersTest, EachRowIsMadeOnce) {
  const NetworkBuilder net = residual();
  const Lines lines =
      lineBufferChoices(net.graph, net.order(), smallChip()).front();
  // 32 sections of a row: kernels reach over several, and the last ones have
  // nothing new in front.
  for (int64_t sections : {2, 3, 5, 8, 16, 32})
    expectEachRowOnce(net, lines, sections);
  const Cut cut(net, lines, 8);
  const auto input = cut.rowsOf(0);
  // A row and 3 kernels, so that the first section has no more than others.
  EXPECT_EQ(input.front(), (Interval{0, 4}));
  EXPECT_EQ(input[1], (Interval{4, 8}));
  EXPECT_EQ(cut.rowsOf(net.graph.layers.back().result)[0], (Interval{0, 1}));
  // The sum still wants the rows that belong to its own.
  EXPECT_EQ(cut.rowsOf(static_cast<TensorId>(net.graph.tensors.size()))[1],
            (Interval{1, 8}));
}

TEST(LineBuffersTest, StridesAndTwoReaders) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 33, 16);
  const TensorId wide = net.conv(in, 4, 5, 1, 2);
  const TensorId half = net.conv(wide, 4, 3, 2, 1);
  const TensorId also = net.conv(wide, 4, 7, 2, 3);
  const TensorId sum = net.elementwise({half, also});
  net.graph.tensors[sum].isReadOutside = true;
  const Lines lines =
      lineBufferChoices(net.graph, net.order(), smallChip()).front();
  EXPECT_EQ(lines, (Lines{in, wide}));
  for (int64_t sections : {2, 4, 17})
    expectEachRowOnce(net, lines, sections);
}

/// The first section makes what the second one's windows reach for, too, and
/// less of the outputs.
TEST(LineBuffersTest, TheFirstSectionHasNoMoreRows) {
  for (int64_t rows : {32, 33, 47}) {
    const NetworkBuilder net = residual(rows);
    const Lines lines =
        lineBufferChoices(net.graph, net.order(), smallChip()).front();
    for (int64_t sections : {2, 3, 5, 7}) {
      const Cut cut(net, lines, sections);
      for (const TensorSlices &slices : cut.slices.tensors)
        EXPECT_LE(slices.part(H, 0).length(), slices.part(H, 1).length());
      const auto output = cut.rowsOf(net.graph.layers.back().result);
      EXPECT_GT(output[0].length(), 0);
      EXPECT_EQ(output.back().end, rows);
      for (size_t i = 1; i < output.size(); ++i)
        EXPECT_EQ(output[i].begin, output[i - 1].end);
    }
  }
}

/// What leaves the group in the middle is stored as it is made.
TEST(LineBuffersTest, OutputsAreStoredOnce) {
  NetworkBuilder net = residual();
  const TensorId first = net.graph.layers[0].result;
  net.graph.tensors[first].isReadOutside = true;
  const Lines lines =
      lineBufferChoices(net.graph, net.order(), smallChip()).front();
  for (int64_t sections : {2, 5, 8}) {
    expectEachRowOnce(net, lines, sections);
    const Cut cut(net, lines, sections);
    EXPECT_EQ(cut.rowsOf(first).back().end, 32);
    EXPECT_EQ(cut.rowsOf(first).front().begin, 0);
  }
}

/// Also rows between windows, which nobody reads.
TEST(LineBuffersTest, OutputsAreStoredWhole) {
  NetworkBuilder net;
  const TensorId first = net.conv(net.input(4, 24, 16), 4, 1, 1, 0);
  const TensorId windows = net.conv(first, 4, 7, 8, 4);
  for (TensorId tensor : {first, windows})
    net.graph.tensors[tensor].isReadOutside = true;
  const Cut cut(net, {first}, 4);
  int64_t end = 0;
  for (const Interval &rows : cut.rowsOf(first)) {
    EXPECT_EQ(rows.begin, end);
    end = rows.end;
  }
  EXPECT_EQ(end, 24);
}

TEST(LineBuffersTest, NothingIsMovedOrComputedTwice) {
  NetworkBuilder net = residual(64);
  const GroupOptions options = withLines();
  target::ChipSpec chip = smallChip();
  chip.laneBytes = 768; // A tensor has 1,024 bytes in a lane.
  const GroupPlanner planner(net.graph, chip, options);
  auto result = planner.plan(net.order());
  ASSERT_TRUE(std::holds_alternative<GroupPlan>(result));
  const GroupPlan &plan = std::get<GroupPlan>(result);
  EXPECT_GT(plan.draft.slices.sections[H], 1);
  ASSERT_EQ(plan.draft.changes.lines.size(), 3u);
  EXPECT_EQ(plan.draft.range, net.order());
  EXPECT_EQ(plan.draft.order.size(), net.order().size() + 3);
  int64_t once = 0;
  const GroupTensors tensors = groupTensors(net.graph, net.order());
  for (const auto *list : {&tensors.inputs, &tensors.outputs})
    for (TensorId tensor : *list)
      once += net.graph.tensors[tensor].globalBytes;
  EXPECT_EQ(plan.cost.trafficBytes(), once);
  // What was decided is enough to make it again.
  const auto again = planner.rebuild(net.order(), decisionOf(plan));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->placement.addresses, plan.placement.addresses);
  EXPECT_EQ(again->draft.changes.lines, plan.draft.changes.lines);
  // Not without the option, nor on two cores.
  GroupOptions without = options;
  without.lineBuffers = false;
  EXPECT_FALSE(GroupPlanner(net.graph, chip, without)
                   .rebuild(net.order(), decisionOf(plan)));
  target::ChipSpec two = chip;
  two.usedCores = 2;
  two.sharedDmaBytesPerCycle = two.dmaBytesPerCycle;
  auto shared = GroupPlanner(net.graph, two, options).plan(net.order());
  if (auto *other = std::get_if<GroupPlan>(&shared)) {
    EXPECT_TRUE(other->draft.changes.lines.empty());
  }
}

/// What is kept takes its bytes for the whole loop, and no more than the rows
/// that the next section wants.
TEST(LineBuffersTest, KeepsWhatTheNextSectionWants) {
  const NetworkBuilder net = residual();
  const Lines lines =
      lineBufferChoices(net.graph, net.order(), smallChip()).front();
  const Cut cut(net, lines, 8);
  const TimeSteps steps = assignTimeSteps(cut.graph, cut.order, cut.tensors,
                                          cut.slices, smallChip(), {});
  std::vector<int64_t> kept;
  for (const LocalBuffer &buffer : steps.buffers)
    if (buffer.scratchOf >= 0) {
      EXPECT_TRUE(buffer.isHeld);
      kept.push_back(buffer.sizeBytes);
    }
  // Three rows of 16 bytes, one channel a lane: the sum lags three kernels
  // behind the input; the others have a halo of a row on each side.
  EXPECT_EQ(kept, (std::vector<int64_t>{48, 32, 32}));
}

TEST(LineBuffersTest, NeverCostMore) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const NetworkBuilder net = randomNetwork(random, 6);
    for (const auto &[name, objective] : kObjectives) {
      GroupOptions options = withLines();
      options.objective = objective;
      const target::ChipSpec chip = smallChip();
      const auto with =
          GroupPlanner(net.graph, chip, options).draft(net.order());
      options.lineBuffers = false;
      const auto without =
          GroupPlanner(net.graph, chip, options).draft(net.order());
      const auto *plain = std::get_if<GroupDraft>(&without);
      if (!plain)
        continue;
      ASSERT_TRUE(std::holds_alternative<GroupDraft>(with)) << seed;
      EXPECT_FALSE(isBetter(plain->cost, std::get<GroupDraft>(with).cost,
                            objective, chip))
          << seed;
    }
  }
}

/// Nor does a whole network, addresses and waits for banks included, however it
/// is cut.
TEST(LineBuffersTest, NeverCostMoreInAll) {
  using Method = SearchOptions::Method;
  int64_t numBetter = 0;
  for (uint32_t seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const NetworkBuilder net = randomNetwork(random, 10);
    for (const auto &[name, objective] : kObjectives)
      for (Method method : {Method::Optimal, Method::Greedy}) {
        SearchOptions options;
        options.group.objective = objective;
        options.method = method;
        target::ChipSpec chip = smallChip();
        chip.laneBytes = 1024;
        const Cost without =
            searchGroups(net.graph, net.order(), chip, options).cost;
        options.group.lineBuffers = true;
        const Cost with =
            searchGroups(net.graph, net.order(), chip, options).cost;
        EXPECT_FALSE(isBetter(without, with, objective, chip)) << seed;
        numBetter += isBetter(with, without, objective, chip);
      }
  }
  EXPECT_GE(numBetter, 5);
}

} // namespace

} // namespace tpu_mlir::layer

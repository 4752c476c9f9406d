//===- TimeStepsTest.cpp - Schedules and lives worked out by hand ---------===//

#include "tpu_mlir/LayerPlanning/TimeSteps.h"
#include "tests/LayerPlanning/Networks.h"
#include "tpu_mlir/Support/Bytes.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

class TimeStepsTest : public testing::Test {
protected:
  TimeSteps assign(int64_t hSections, const TimeStepOptions &options = {}) {
    for (Tensor &tensor : net.graph.tensors)
      if (tensor.producer >= 0 && tensor.readers.empty())
        tensor.isReadOutside = true;
    const LayerRange range = net.order();
    tensors = groupTensors(net.graph, range);
    slices =
        sliceGroup(net.graph, range, tensors, {1, 1, 1, hSections, 1}, chip);
    return assignTimeSteps(net.graph, range, tensors, slices, chip, options);
  }
  const LocalBuffer &buffer(const TimeSteps &steps, TensorId tensor) const {
    return steps.buffers[slices.indexOf[tensor]];
  }
  void expectLife(const TimeSteps &steps, TensorId tensor, int64_t start,
                  int64_t last) const {
    EXPECT_EQ(buffer(steps, tensor).start, start) << tensor;
    EXPECT_EQ(buffer(steps, tensor).last, last) << tensor;
  }
  /// The tensor that `tensor` is written over; -1: none.
  TensorId overwritten(const TimeSteps &steps, TensorId tensor) const {
    const int other = buffer(steps, tensor).overwrites;
    return other < 0 ? -1 : steps.buffers[other].tensor;
  }

  NetworkBuilder net;
  target::ChipSpec chip = smallChip();
  GroupTensors tensors;
  GroupSlices slices;
};

using Rows = std::vector<int64_t>;

TEST_F(TimeStepsTest, OneSectionIsALine) {
  const TensorId in = net.input(4, 8, 8);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.elementwise({a});
  const TimeSteps steps = assign(1);
  EXPECT_FALSE(steps.isLoop);
  EXPECT_EQ(steps.numRows, 4);
  EXPECT_EQ(steps.rowOfLayer, (Rows{1, 2}));
  ASSERT_EQ(steps.loads.size(), 1u);
  EXPECT_EQ(steps.loads[0].row, 0);
  EXPECT_EQ(steps.loads[0].stage, 1);
  EXPECT_FALSE(steps.loads[0].isHeld);
  ASSERT_EQ(steps.stores.size(), 1u);
  EXPECT_EQ(steps.stores[0].row, 3);
  EXPECT_EQ(steps.stores[0].stage, 1);
  expectLife(steps, in, 4, 5);
  expectLife(steps, a, 5, 6);
  expectLife(steps, b, 6, 7);
  EXPECT_EQ(buffer(steps, in).sizeBytes, 64);
  EXPECT_EQ(liveBound(steps, chip), 128);
}

/// As many rows as layers; the ends of the line wrap into the neighbouring
/// sections.
TEST_F(TimeStepsTest, SectionsArePipelined) {
  const TensorId in = net.input(4, 8, 8);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.elementwise({a});
  const TensorId c = net.elementwise({b});
  const TimeSteps steps = assign(2);
  EXPECT_TRUE(steps.isLoop);
  EXPECT_EQ(steps.numRows, 3);
  EXPECT_EQ(steps.rowOfLayer, (Rows{0, 1, 2}));
  EXPECT_EQ(steps.loads[0].row, 2);
  EXPECT_EQ(steps.loads[0].stage, 0);
  EXPECT_EQ(steps.stores[0].row, 0);
  EXPECT_EQ(steps.stores[0].stage, 2);
  expectLife(steps, in, 2, 3);
  expectLife(steps, a, 3, 4);
  expectLife(steps, b, 4, 5);
  expectLife(steps, c, 5, 6);
  // Row 0: in, a, c; row 1: a, b; row 2: in of the next section, b, c.
  EXPECT_EQ(liveBound(steps, chip), 3 * 32);
}

/// What the first layer reads is still read in the last row: one more row, in
/// which it can be loaded anew.
TEST_F(TimeStepsTest, ARowWithoutALayer) {
  const TensorId in = net.input(4, 8, 8);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.elementwise({a});
  const TensorId c = net.elementwise({b, in});
  const TimeSteps steps = assign(2);
  EXPECT_EQ(steps.numRows, 4);
  EXPECT_EQ(steps.rowOfLayer, (Rows{0, 1, 2}));
  EXPECT_EQ(steps.loads[0].row, 3);
  EXPECT_EQ(steps.loads[0].stage, 0);
  expectLife(steps, in, 3, 6);
  EXPECT_EQ(steps.stores[0].row, 3);
  EXPECT_EQ(steps.stores[0].stage, 1);
  expectLife(steps, c, 6, 7);
  // One section has no next one to load for.
  EXPECT_EQ(assign(1).numRows, 5);
}

/// Nothing but a result, which is stored while the next one is computed: they
/// would share a buffer.
TEST_F(TimeStepsTest, ALayerAloneHasARowToStore) {
  const TensorId whole = net.softmax(net.input(4, 8, 8));
  net.graph.layers[0].operands[0].rules[H] = DimRule::whole();
  const TimeSteps steps = assign(2);
  ASSERT_TRUE(steps.loads[0].isHeld);
  EXPECT_EQ(steps.numRows, 2);
  EXPECT_EQ(steps.rowOfLayer, (Rows{0}));
  EXPECT_EQ(steps.loads[0].row, 1);
  EXPECT_EQ(steps.loads[0].stage, 0);
  EXPECT_EQ(steps.stores[0].row, 1);
  EXPECT_EQ(steps.stores[0].stage, 1);
  expectLife(steps, whole, 2, 3);
}

TEST_F(TimeStepsTest, HeldAndReloaded) {
  const TensorId in = net.input(4, 8, 8);
  const TensorId a = net.elementwise({in});
  const TensorId b = net.conv(a, 4, 1, 1, 0);
  const TensorId filter = net.graph.layers[1].operands[1].tensor;
  TimeSteps steps = assign(2);
  ASSERT_EQ(steps.loads.size(), 2u);
  EXPECT_EQ(steps.loads[1].tensor, filter);
  EXPECT_TRUE(steps.loads[1].isHeld);
  EXPECT_FALSE(steps.loads[0].isHeld);
  EXPECT_TRUE(buffer(steps, filter).isHeld);
  // 4 bytes of filter in one unit; in row 0 in, a and b.
  EXPECT_EQ(liveBound(steps, chip), 3 * 32 + 16);
  TimeStepOptions options;
  options.isReloaded = {false, true};
  steps = assign(2, options);
  EXPECT_FALSE(steps.loads[1].isHeld);
  EXPECT_EQ(steps.loads[1].row, 0);
  EXPECT_EQ(steps.loads[1].stage, 1);
  expectLife(steps, filter, 2, 3);
  // There is nothing to hold for with one section.
  EXPECT_FALSE(assign(1).loads[1].isHeld);
  EXPECT_EQ(buffer(steps, b).start, 3);
}

TEST_F(TimeStepsTest, ScratchLivesInItsRow) {
  const TensorId in = net.input(4, 8, 8);
  net.softmax(net.elementwise({in}));
  const TimeSteps steps = assign(2);
  const LocalBuffer &scratch = steps.buffers.back();
  EXPECT_EQ(scratch.tensor, -1);
  EXPECT_EQ(scratch.scratchOf, 1);
  EXPECT_EQ(scratch.start, 3);
  EXPECT_EQ(scratch.last, 3);
  // Two tiles of 4 x 8 elements of 32 bits, and 16 bytes.
  EXPECT_EQ(scratch.sizeBytes, 2 * 4 * 8 * 4 + 16);
}

TEST_F(TimeStepsTest, ScratchIsOfTheResultOrOfTheLargerOne) {
  const TensorId in = net.input(4, 8, 8);
  net.conv(in, 4, 2, 2, 0); // A quarter of what it reads.
  LayerScratch &scratch = net.graph.layers[0].scratch;
  scratch = {1, 32, 16};
  EXPECT_EQ(assign(1).buffers.back().sizeBytes, 4 * 4 * 4 + 16);
  scratch.isOfOperand = true;
  EXPECT_EQ(assign(1).buffers.back().sizeBytes, 8 * 8 * 4 + 16);
}

TEST_F(TimeStepsTest, InPlaceAndWhenNot) {
  const TensorId in = net.input(4, 8, 8);
  const TensorId a = net.elementwise({in});
  const TensorId sum = net.elementwise({a, in});
  net.elementwise({sum});
  EXPECT_EQ(overwritten(assign(1), sum), a);
  EXPECT_EQ(overwritten(assign(2), sum), a);
  TimeStepOptions options;
  options.inPlace = false;
  EXPECT_EQ(overwritten(assign(1, options), sum), -1);
  chip.localInPlace = false;
  EXPECT_EQ(overwritten(assign(1), sum), -1);
  chip.localInPlace = true;
  // Stored while the sum is computed.
  net.graph.tensors[a].isReadOutside = true;
  EXPECT_EQ(overwritten(assign(1), sum), -1);
  net.graph.tensors[a].isReadOutside = false;
  // Another width, another layout.
  net.graph.tensors[sum].euAligned = false;
  EXPECT_EQ(overwritten(assign(1), sum), -1);
  net.graph.tensors[sum].euAligned = true;
  net.graph.tensors[a].elementBits = 16;
  EXPECT_EQ(overwritten(assign(1), sum), -1);
  net.graph.tensors[a].elementBits = 8;
  // Read again later.
  net.elementwise({a});
  EXPECT_EQ(overwritten(assign(1), sum), -1);
}

/// All sums are one buffer: in a loop it may live for as many rows as there
/// are, from the first tensor's load.
TEST_F(TimeStepsTest, ChainsEndWithTheLoop) {
  const TensorId in = net.input(4, 8, 8);
  std::vector<TensorId> sums{in};
  for (int i = 0; i < 4; ++i)
    sums.push_back(net.elementwise({sums.back(), net.input(4, 8, 8)}));
  const TimeSteps line = assign(1);
  for (int i = 1; i <= 4; ++i)
    EXPECT_EQ(overwritten(line, sums[i]), sums[i - 1]);
  const TimeSteps loop = assign(2);
  EXPECT_EQ(loop.numRows, 4);
  EXPECT_EQ(overwritten(loop, sums[1]), in);
  EXPECT_EQ(overwritten(loop, sums[2]), sums[1]);
  EXPECT_EQ(overwritten(loop, sums[3]), -1);
  EXPECT_EQ(overwritten(loop, sums[4]), sums[3]);
  // Four rows are all there are: loaded any earlier, the first one would meet
  // the last one of the section before.
  EXPECT_TRUE(chainsLeaveRoom(line) && chainsLeaveRoom(loop));
  TimeSteps earlier = loop;
  --earlier.buffers[slices.indexOf[in]].start;
  EXPECT_FALSE(chainsLeaveRoom(earlier));
}

//===----------------------------------------------------------------------===//
// Random networks
//===----------------------------------------------------------------------===//

/// The largest sum of bytes at any time, section after section.
int64_t bruteLive(const TimeSteps &steps, const target::ChipSpec &chip) {
  const int64_t numSections = steps.isLoop ? 6 : 1;
  int64_t peak = 0;
  for (int64_t time = 0; time < (numSections + 2) * steps.numRows; ++time) {
    int64_t sum = 0;
    for (const LocalBuffer &buffer : steps.buffers) {
      bool isAlive = steps.isLoop && buffer.isHeld;
      const int64_t first = buffer.start + (buffer.overwrites >= 0);
      for (int64_t section = 0; section < numSections; ++section) {
        const int64_t shift = section * steps.numRows;
        isAlive |= time >= shift + first && time <= shift + buffer.last;
      }
      if (isAlive)
        sum += alignUp(buffer.sizeBytes, chip.euBytes);
    }
    peak = std::max(peak, sum);
  }
  return peak;
}

void expectOrder(const LayerGraph &graph, const LayerRange &range,
                 const TimeSteps &steps, const GroupSlices &slices) {
  for (size_t i = 0; i < range.size(); ++i)
    for (const LayerOperand &operand : graph.layers[range[i]].operands) {
      const LocalBuffer &buffer = steps.buffers[slices.indexOf[operand.tensor]];
      const int64_t time = steps.numRows + steps.rowOfLayer[i];
      ASSERT_LT(buffer.start, time);
      ASSERT_GE(buffer.last, time);
    }
  for (const Transfer &store : steps.stores) {
    const LocalBuffer &buffer = steps.buffers[slices.indexOf[store.tensor]];
    const int64_t time = store.stage * steps.numRows + store.row;
    ASSERT_LT(buffer.start, time);
    ASSERT_GE(buffer.last, time);
  }
  for (const LocalBuffer &buffer : steps.buffers)
    if (steps.isLoop && !buffer.isHeld) {
      ASSERT_LE(buffer.last - buffer.start + 1, steps.numRows);
    }
}

TEST(RandomTimeStepsTest, LiveBytesAreThoseOfAllTimes) {
  std::mt19937 random(9);
  int numLoops = 0, numInPlace = 0;
  const target::ChipSpec chip = smallChip();
  for (int i = 0; i < 300; ++i) {
    const NetworkBuilder net = randomNetwork(random, 1 + i % 10);
    const LayerRange range = net.order();
    const GroupTensors tensors = groupTensors(net.graph, range);
    Sections sections = maxSections(net.graph, range, tensors, chip);
    for (int64_t &parts : sections)
      parts = i % 4 ? std::min<int64_t>(parts, 1 + random() % 3) : 1;
    const GroupSlices slices =
        sliceGroup(net.graph, range, tensors, sections, chip);
    TimeStepOptions options;
    for (size_t k = 0; k < tensors.inputs.size(); ++k)
      options.isReloaded.push_back(random() % 3 == 0);
    const TimeSteps steps =
        assignTimeSteps(net.graph, range, tensors, slices, chip, options);
    ASSERT_EQ(liveBound(steps, chip), bruteLive(steps, chip));
    ASSERT_TRUE(chainsLeaveRoom(steps));
    ASSERT_NO_FATAL_FAILURE(expectOrder(net.graph, range, steps, slices));
    numLoops += steps.isLoop;
    for (const LocalBuffer &buffer : steps.buffers)
      numInPlace += buffer.overwrites >= 0;
  }
  EXPECT_GT(numLoops, 100);
  EXPECT_GT(numInPlace, 30);
}

} // namespace

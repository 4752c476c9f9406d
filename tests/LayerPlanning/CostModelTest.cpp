//===- CostModelTest.cpp - Costs worked out by hand, and by plain loops ---===//

#include "tpu_mlir/LayerPlanning/CostModel.h"
#include "tests/LayerPlanning/Networks.h"

#include <gtest/gtest.h>

using namespace tpu_mlir;
using namespace tpu_mlir::layer;

namespace {

/// Every row of the sections [begin, end), one after the other.
Cost bruteCoreCost(const LayerGraph &graph, const LayerRange &range,
                   const GroupSlices &slices, const TimeSteps &steps,
                   const target::ChipSpec &chip, int64_t begin, int64_t end,
                   int64_t activeCores) {
  const auto bytesOf = [&](TensorId tensor, int64_t section) {
    int64_t bytes = 1;
    const auto index = sectionIndex(slices.sections, section);
    for (int dim = 0; dim < kNumDims; ++dim)
      bytes *=
          slices.tensors[slices.indexOf[tensor]].part(dim, index[dim]).length();
    return bytes; // All elements are bytes.
  };
  Cost cost;
  for (int64_t loop = begin; loop < end + 2; ++loop)
    for (int64_t row = 0; row < steps.numRows; ++row) {
      int64_t compute = 0, transfers = 0;
      const int64_t section = loop - 1;
      for (size_t i = 0; i < range.size(); ++i)
        if (steps.rowOfLayer[i] == row && section >= begin && section < end) {
          const Layer &layer = graph.layers[range[i]];
          const int64_t cycles = computeCycles(
              graph, layer,
              slices.tensors[slices.indexOf[layer.result]].extents(
                  sectionIndex(slices.sections, section)),
              chip);
          compute += chip.computeSetupCycles + cycles;
          cost.computeCycles += cycles;
        }
      const auto run = [&](const Transfer &transfer, int64_t &total) {
        const int64_t mine = loop - transfer.stage;
        if (transfer.row != row || mine < begin || mine >= end ||
            (transfer.isHeld && mine > begin))
          return;
        const int64_t bytes = bytesOf(transfer.tensor, mine);
        total += bytes;
        transfers += transferCycles(bytes, chip, activeCores);
      };
      for (const Transfer &load : steps.loads)
        run(load, cost.loadBytes);
      for (const Transfer &store : steps.stores)
        run(store, cost.storeBytes);
      cost.cycles += std::max(compute, transfers);
    }
  return cost;
}

/// Core after core; the slowest one counts.
Cost bruteCost(const LayerGraph &graph, const LayerRange &range,
               const GroupSlices &slices, const TimeSteps &steps,
               const target::ChipSpec &chip) {
  const int64_t numSections = countSections(slices.sections);
  const int64_t each = (numSections + chip.usedCores - 1) / chip.usedCores;
  const int64_t activeCores = (numSections + each - 1) / each;
  Cost cost;
  int64_t slowest = 0;
  for (int64_t begin = 0; begin < numSections; begin += each) {
    const Cost core =
        bruteCoreCost(graph, range, slices, steps, chip, begin,
                      std::min(numSections, begin + each), activeCores);
    cost += core;
    slowest = std::max(slowest, core.cycles);
  }
  cost.cycles = slowest + (activeCores > 1 ? 2 * chip.barrierCycles : 0);
  return cost;
}

void expectCost(const Cost &cost, int64_t loaded, int64_t stored,
                int64_t cycles, int64_t compute) {
  EXPECT_EQ(cost.loadBytes, loaded);
  EXPECT_EQ(cost.storeBytes, stored);
  EXPECT_EQ(cost.cycles, cycles);
  EXPECT_EQ(cost.computeCycles, compute);
}

/// Of the whole network as one group.
Cost costOf(NetworkBuilder &net, const Sections &sections,
            const TimeStepOptions &options = {},
            const target::ChipSpec &chip = smallChip()) {
  for (Tensor &tensor : net.graph.tensors)
    if (tensor.producer >= 0 && tensor.readers.empty())
      tensor.isReadOutside = true;
  const LayerRange range = net.order();
  const GroupTensors tensors = groupTensors(net.graph, range);
  const GroupSlices slices =
      sliceGroup(net.graph, range, tensors, sections, chip);
  return groupCost(
      net.graph, range, slices,
      assignTimeSteps(net.graph, range, tensors, slices, chip, options), chip);
}

TEST(CostModelTest, Pieces) {
  NetworkBuilder net;
  const target::ChipSpec chip = smallChip();
  const TensorId in = net.input(5, 4, 6);
  net.elementwise({in});
  net.conv(in, 4, 3, 1, 0);
  const auto &layers = net.graph.layers;
  // 5 channels take two rows of 4 lanes: 8 * 24 bytes, 64 a cycle.
  EXPECT_EQ(computeCycles(net.graph, layers[0], {1, 5, 1, 4, 6}, chip), 3);
  EXPECT_EQ(computeCycles(net.graph, layers[0], {1, 1, 1, 1, 1}, chip), 1);
  // 4 * 8 results of 5 * 9 multiply-adds, 64 a cycle.
  EXPECT_EQ(computeCycles(net.graph, layers[1], {1, 4, 1, 2, 4}, chip), 23);
  // The width of operand 0 decides.
  net.graph.tensors[in].elementBits = 16;
  EXPECT_EQ(computeCycles(net.graph, layers[1], {1, 4, 1, 2, 4}, chip), 45);
  EXPECT_EQ(computeCycles(net.graph, layers[0], {1, 5, 1, 4, 6}, chip), 6);
  net.graph.tensors[in].elementBits = 32;
  EXPECT_EQ(computeCycles(net.graph, layers[1], {1, 4, 1, 2, 4}, chip), 90);
  EXPECT_EQ(transferCycles(100, chip), 10 + 13);
  EXPECT_EQ(transferCycles(0, chip), 10);
}

TEST(CostModelTest, GlobalLayers) {
  NetworkBuilder net;
  const target::ChipSpec chip = smallChip();
  const TensorId in = net.input(4, 8, 8);
  net.elementwise({in});
  net.elementwise({in, in});
  net.conv(in, 4, 3, 1, 1);
  // 256 bytes in, 256 out, 10 + 32 cycles each; 4 of computation.
  expectCost(globalCost(net.graph, 0, chip), 256, 256, 84, 4);
  expectCost(globalCost(net.graph, 1, chip), 256, 256, 84, 4);
  // A filter of 144 bytes, 10 + 18; 256 * 36 / 64 of computation, 2 to set up.
  expectCost(globalCost(net.graph, 2, chip), 400, 256, 146, 144);
  // A table of which 100 bytes are looked up, 10 + 13.
  net.graph.layers[0].operands[0].mostBytes = 100;
  expectCost(globalCost(net.graph, 0, chip), 100, 256, 65, 4);
  // Who reads it twice reads what the one of them does that reads more.
  net.graph.layers[1].operands[0].mostBytes = 100;
  expectCost(globalCost(net.graph, 1, chip), 256, 256, 84, 4);
  net.graph.layers[0].isFreeGlobally = true;
  expectCost(globalCost(net.graph, 0, chip), 0, 0, 0, 0);
}

TEST(CostModelTest, OneSection) {
  NetworkBuilder net;
  net.elementwise({net.elementwise({net.input(4, 8, 8)})});
  // A row each: load 42, 2 + 4 twice, store 42.
  expectCost(costOf(net, {1, 1, 1, 1, 1}), 256, 256, 96, 8);
}

TEST(CostModelTest, FillAndDrain) {
  NetworkBuilder net;
  net.elementwise({net.elementwise({net.input(4, 8, 8)})});
  // Transfers of 128 bytes take 26 cycles, computations 2 + 2. Loops of rows:
  //   0  | load 0           26
  //   4  | 4, load 1        26
  //   4, store 0   26 | 4
  //   store 1      26 |
  expectCost(costOf(net, {1, 1, 1, 2, 1}), 256, 256, 26 + 30 + 30 + 26, 8);
}

TEST(CostModelTest, HalosAndHeldFilters) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8);
  net.conv(in, 4, 3, 1, 1);
  // Two parts of 5 rows, and the filter once.
  const Cost held = costOf(net, {1, 1, 1, 2, 1});
  EXPECT_EQ(held.loadBytes, 2 * 5 * 8 * 4 + 144);
  EXPECT_EQ(held.storeBytes, 256);
  EXPECT_EQ(held.computeCycles, 144);
  TimeStepOptions options;
  options.isReloaded = {false, true};
  EXPECT_EQ(costOf(net, {1, 1, 1, 2, 1}, options).loadBytes,
            2 * 5 * 8 * 4 + 2 * 144);
  // Rows that are computed twice are work: 5 + 5 rows of the first one.
  net.conv(net.graph.layers[0].result, 4, 3, 1, 1);
  net.graph.tensors[net.graph.layers[0].result].isReadOutside = false;
  EXPECT_EQ(costOf(net, {1, 1, 1, 2, 1}).computeCycles,
            144 + 2 * (5 * 8 * 4 * 36 / 64));
}

TEST(CostModelTest, SeveralCores) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8);
  net.conv(in, 4, 3, 1, 1);
  target::ChipSpec chip = smallChip();
  chip.cores = chip.usedCores = 2;
  chip.sharedDmaBytesPerCycle = 2 * chip.dmaBytesPerCycle;
  chip.barrierCycles = 7;
  const TimeStepOptions none;
  const Cost one = costOf(net, {1, 1, 1, 4, 1});
  const Cost two = costOf(net, {1, 1, 1, 4, 1}, none, chip);
  // Each loads the filter.
  EXPECT_EQ(two.loadBytes, one.loadBytes + 144);
  EXPECT_EQ(two.storeBytes, one.storeBytes);
  EXPECT_EQ(two.computeCycles, one.computeCycles);
  // One section is core 0's alone, and there is nobody to wait for.
  const Cost alone = costOf(net, {1, 1, 1, 1, 1}, none, chip);
  const Cost before = costOf(net, {1, 1, 1, 1, 1});
  expectCost(alone, before.loadBytes, before.storeBytes, before.cycles,
             before.computeCycles);
  // Barriers are on top of the slowest.
  chip.barrierCycles = 100;
  EXPECT_EQ(costOf(net, {1, 1, 1, 4, 1}, none, chip).cycles, two.cycles + 186);
  // Of half the rate each core gets half.
  chip.sharedDmaBytesPerCycle = chip.dmaBytesPerCycle;
  EXPECT_EQ(transferCycles(100, chip, 1), 10 + 13);
  EXPECT_EQ(transferCycles(100, chip, 2), 10 + 25);
}

TEST(CostModelTest, RateOfSeveralCores) {
  target::ChipSpec chip = smallChip();
  chip.sharedDmaBytesPerCycle = 20;
  EXPECT_EQ(dmaBytesPerCycle(chip, 1), 8);
  EXPECT_EQ(dmaBytesPerCycle(chip, 2), 16);
  EXPECT_EQ(dmaBytesPerCycle(chip, 3), 20);
  EXPECT_EQ(transferCycles(100, chip, 2), 10 + 13);
  EXPECT_EQ(transferCycles(100, chip, 3), 10 + 15);
}

TEST(CostModelTest, SecondLevelMemory) {
  NetworkBuilder net;
  const TensorId in = net.input(4, 8, 8), out = net.conv(in, 4, 3, 1, 1);
  target::ChipSpec chip = smallChip();
  chip.l2BytesPerCycle = 16;
  EXPECT_EQ(transferCycles(100, chip, 1, true), 10 + 7);
  // Each core has a way of its own.
  chip.cores = chip.usedCores = 2;
  chip.sharedDmaBytesPerCycle = chip.dmaBytesPerCycle;
  EXPECT_EQ(transferCycles(100, chip, 2, true), 10 + 7);
  EXPECT_EQ(transferCycles(100, chip, 2, false), 10 + 25);

  chip.cores = chip.usedCores = 1;
  const TimeStepOptions none;
  const Cost before = costOf(net, {1, 1, 1, 1, 1}, none, chip);
  EXPECT_EQ(before.l2Bytes, 0);
  net.graph.tensors[in].isInL2 = true;
  // 256 bytes to be loaded take 16 cycles instead of 32.
  const Cost loaded = costOf(net, {1, 1, 1, 1, 1}, none, chip);
  EXPECT_EQ(loaded.l2Bytes, 256);
  EXPECT_EQ(loaded.trafficBytes(), before.trafficBytes());
  EXPECT_EQ(loaded.cycles, before.cycles - 16);
  net.graph.tensors[out].isInL2 = true;
  const Cost both = costOf(net, {1, 1, 1, 1, 1}, none, chip);
  EXPECT_EQ(both.l2Bytes, 512);
  EXPECT_EQ(both.cycles, loaded.cycles - 16);
  // A layer in global memory as well.
  EXPECT_EQ(globalCost(net.graph, 0, chip).l2Bytes, 512);
  EXPECT_EQ(globalCost(net.graph, 0, chip).trafficBytes(), 656);
}

TEST(CostModelTest, BytesOfSecondLevelMemoryCountForTheirTime) {
  target::ChipSpec chip = smallChip();
  chip.dmaBytesPerCycle = 4;
  chip.l2BytesPerCycle = 8;
  const Cost global{1000, 0, 90, 5, 0}, same{900, 100, 90, 5, 0};
  const Cost partly{1000, 99, 90, 5, 200}, more{1000, 100, 90, 5, 200};
  EXPECT_TRUE(isBetter(partly, global, Objective::Balanced, chip));
  EXPECT_FALSE(isBetter(more, global, Objective::Balanced, chip));
  EXPECT_FALSE(isBetter(same, global, Objective::Balanced, chip));
  // For the least traffic only where all else is equal.
  const Cost beside{1000, 200, 90, 5, 200};
  EXPECT_TRUE(isBetter(partly, global, Objective::Traffic, chip));
  EXPECT_TRUE(isBetter(global, beside, Objective::Traffic, chip));
  // By all cores, of which global memory serves fewer.
  chip.usedCores = 2;
  chip.sharedDmaBytesPerCycle = 4;
  const Cost mostly{1000, 149, 90, 5, 200}, even{1000, 150, 90, 5, 200};
  EXPECT_TRUE(isBetter(mostly, global, Objective::Balanced, chip));
  EXPECT_FALSE(isBetter(even, global, Objective::Balanced, chip));
}

TEST(CostModelTest, GlobalLayersOnSeveralCores) {
  NetworkBuilder net;
  net.conv(net.input(4, 8, 8), 4, 3, 1, 1);
  target::ChipSpec chip = smallChip();
  chip.cores = chip.usedCores = 2;
  chip.sharedDmaBytesPerCycle = 2 * chip.dmaBytesPerCycle;
  // A kernel that does not say that it splits itself runs on one.
  expectCost(globalCost(net.graph, 0, chip), 400, 256, 146, 144);
  net.graph.layers[0].isMulticore = true;
  // Transfers 10 + 16, 10 + 9 and 10 + 16, of computation 72 and 2.
  expectCost(globalCost(net.graph, 0, chip), 400, 256, 74, 144);
  chip.barrierCycles = 10;
  expectCost(globalCost(net.graph, 0, chip), 400, 256, 94, 144);
  // Where waiting takes longer it does not split.
  chip.barrierCycles = 40;
  expectCost(globalCost(net.graph, 0, chip), 400, 256, 146, 144);
}

TEST(CostModelTest, PartsOfBytes) {
  NetworkBuilder net;
  const TensorId in = net.input(3, 5, 1);
  net.elementwise({in});
  net.graph.tensors[in].elementBits = 4;
  net.graph.tensors[in].globalBytes = 20; // Padded in global memory.
  TensorSlices slices;
  slices.tensor = in;
  std::array<Interval, kNumDims> whole;
  for (int dim = 0; dim < kNumDims; ++dim) {
    whole[dim] = {0, net.graph.tensors[in].shape[dim]};
    slices.setParts(dim, whole[dim]);
  }
  EXPECT_EQ(partBytes(net.graph, slices, {0, 0, 0, 0, 0}), 20);
  const Interval rows[] = {{0, 3}, {3, 5}};
  slices.setParts(H, rows);
  EXPECT_EQ(partBytes(net.graph, slices, {0, 0, 0, 0, 0}), 5);
  EXPECT_EQ(partBytes(net.graph, slices, {0, 0, 0, 1, 0}), 3);
}

TEST(CostModelTest, Better) {
  target::ChipSpec chip = smallChip();
  chip.dmaBytesPerCycle = 4;
  const Cost little{100, 50, 90, 5}, quick{100, 60, 80, 5};
  EXPECT_TRUE(isBetter(little, quick, Objective::Traffic, chip));
  EXPECT_FALSE(isBetter(quick, little, Objective::Traffic, chip));
  EXPECT_TRUE(isBetter(quick, little, Objective::Cycles, chip));
  EXPECT_FALSE(isBetter(little, little, Objective::Cycles, chip));
  // Ties go to the other one.
  const Cost slow{100, 50, 91, 5}, heavy{101, 50, 90, 5};
  EXPECT_TRUE(isBetter(little, slow, Objective::Traffic, chip));
  EXPECT_TRUE(isBetter(little, heavy, Objective::Cycles, chip));
  // What second-level memory moves is no traffic of global memory.
  const Cost near{100, 90, 95, 5, 50};
  EXPECT_EQ(near.globalBytes(), 140);
  EXPECT_TRUE(isBetter(near, little, Objective::Traffic, chip));
  EXPECT_TRUE(isBetter(little, near, Objective::Cycles, chip));
  const Cost nearer{100, 80, 95, 5, 40};
  EXPECT_TRUE(isBetter(nearer, near, Objective::Traffic, chip)) << "a tie";
}

TEST(CostModelTest, ACycleIsWorthTheBytesOfSome) {
  target::ChipSpec chip = smallChip();
  chip.dmaBytesPerCycle = 4;
  const int64_t bytes = kCyclesPerTransfer * 4;
  const Cost some{1000, 0, 90, 5}, quick{1000 + bytes, 0, 89, 5};
  EXPECT_TRUE(isBetter(quick, some, Objective::Balanced, chip)) << "a tie";
  const Cost heavy{1001 + bytes, 0, 89, 5};
  EXPECT_TRUE(isBetter(some, heavy, Objective::Balanced, chip));
  EXPECT_FALSE(isBetter(some, some, Objective::Balanced, chip));
  EXPECT_EQ(objectiveCost(7, 3, Objective::Balanced, chip), 3 * bytes + 7);
  // Several cores move more at a time, as far as memory lets them.
  chip.usedCores = 2;
  chip.sharedDmaBytesPerCycle = 6;
  EXPECT_EQ(objectiveCost(7, 3, Objective::Balanced, chip),
            3 * bytes * 6 / 4 + 7);
  chip.sharedDmaBytesPerCycle = 100;
  EXPECT_EQ(objectiveCost(7, 3, Objective::Balanced, chip), 6 * bytes + 7);
  // Nothing leaves 63 bits.
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(objectiveCost(7, most, Objective::Balanced, chip), most);
  for (const auto &[name, objective] : kObjectives)
    EXPECT_EQ(findObjective(name), objective);
  EXPECT_EQ(findObjective("time"), std::nullopt);
}

TEST(CostModelTest, RandomNetworks) {
  std::mt19937 random(11);
  target::ChipSpec chip = smallChip();
  int numLoops = 0;
  for (int i = 0; i < 600; ++i) {
    // As many again on several cores.
    chip.usedCores = i < 300 ? 1 : 2 + i % 7;
    chip.sharedDmaBytesPerCycle = 2 * chip.dmaBytesPerCycle;
    chip.barrierCycles = i % 5;
    const NetworkBuilder net = randomNetwork(random, 2 + i % 10);
    const LayerRange range = net.order();
    const GroupTensors tensors = groupTensors(net.graph, range);
    Sections sections = maxSections(net.graph, range, tensors, chip);
    for (int64_t &parts : sections)
      parts = 1 + static_cast<int64_t>(random() % std::min<int64_t>(parts, 7));
    const GroupSlices slices =
        sliceGroup(net.graph, range, tensors, sections, chip);
    TimeStepOptions options;
    for (size_t k = 0; k < tensors.inputs.size(); ++k)
      options.isReloaded.push_back(random() % 3 == 0);
    const TimeSteps steps =
        assignTimeSteps(net.graph, range, tensors, slices, chip, options);
    const Cost expected = bruteCost(net.graph, range, slices, steps, chip);
    expectCost(groupCost(net.graph, range, slices, steps, chip),
               expected.loadBytes, expected.storeBytes, expected.cycles,
               expected.computeCycles);
    ASSERT_FALSE(HasFailure());
    numLoops += steps.isLoop;
  }
  EXPECT_GT(numLoops, 400);
}

} // namespace

//===- SimulatorTest.cpp - Hand-written groups, right and wrong -----------===//

#include "tests/exec/groups/GroupExec.h"
#include "tests/exec/groups/GroupRunner.h"
#include "tests/exec/groups/GroupText.h"

using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

void expectError(GroupRunner &runner, const std::string &part) {
  const std::string error = runner.run();
  EXPECT_NE(error.find(part), std::string::npos)
      << "expected: " << part << "\ngot: " << (error.empty() ? "fine" : error);
}

//===----------------------------------------------------------------------===//
// Two sections, halo, held filter
//===----------------------------------------------------------------------===//

TEST(SimulatorTest, ConvPool) {
  GroupRunner runner(convPool());
  EXPECT_EQ(runner.run(), "");
  EXPECT_TRUE(runner.chain[0].isHeld(runner.item(1)));
  EXPECT_FALSE(runner.chain[0].isHeld(runner.item(0)));
  ExecStats stats;
  EXPECT_EQ(runGroups(*runner.module, runner.chip, &stats).value_or(""), "");
  EXPECT_EQ(stats.groups, 1);
  EXPECT_EQ(stats.items, 6);
  EXPECT_EQ(stats.sections, 2);
}

/// Each core has its own section, and loads the filter itself.
TEST(SimulatorTest, TwoCores) {
  target::ChipSpec chip = smallChip();
  chip.usedCores = 2;
  GroupRunner runner(convPool(), chip);
  EXPECT_EQ(runner.run(), "");
  // A wrong place is found on the second core, too.
  runner.item(0).begin[H][1] = 6;
  runner.item(0).size[H][1] = 6;
  expectError(runner, "section 1 of 2: reads what it was not given");
  expectError(runner, ", core 1]");
}

/// Transfers for a neighbour would have to pass the barrier between groups.
TEST(SimulatorTest, ChainsOnTwoCores) {
  target::ChipSpec chip = smallChip();
  chip.usedCores = 2;
  GroupRunner runner(convPool(), chip);
  runner.chain.push_back(runner.chain.front());
  expectError(runner, "it shares transfers with its neighbour, but 2 cores run "
                      "sections, and there is a barrier between groups");
}

TEST(SimulatorTest, ARowTooManyOnTwoCores) {
  target::ChipSpec chip = smallChip();
  chip.usedCores = 2;
  GroupRunner runner(convPool(), chip);
  for (int64_t id : {4, 5}) {
    runner.item(id).begin[H][1] -= 1;
    runner.item(id).size[H][1] += 1;
  }
  EXPECT_NE(runner.run(), "");
}

TEST(SimulatorTest, HaloIsMissing) {
  GroupRunner runner(convPool());
  runner.item(0).begin[H][1] = 6;
  runner.item(0).size[H][1] = 6;
  expectError(runner, "'tpu.Conv2D' (id 3), section 1 of 2: reads what it was "
                      "not given: operand 0, element c [0, 1) h [5, 6) w [0, "
                      "1) is not in the stored part c [0, 6) h [6, 12)");
}

TEST(SimulatorTest, LoadInTheTimestepOfItsReader) {
  GroupRunner runner(convPool());
  runner.chain[0].rows = {{3, 5, 0}, {4, 1, 2}}; // Load x with the convolution.
  expectError(runner, "byte 128 is the result of 'tpu.Load' (id 0), section 1, "
                      "not the result of 'tpu.Load' (id 0), section 0 [loop 1, "
                      "timestep 0, transfers first]");
  runner.item(0).stage = 1;
  expectError(runner, "byte 128 is nobody's, not the result of 'tpu.Load' "
                      "(id 0), section 0 [loop 1, timestep 0, computation "
                      "first]");
}

TEST(SimulatorTest, HeldFilterIsOverwritten) {
  GroupRunner runner(convPool());
  runner.item(4).address = 64;
  expectError(runner, "'tpu.Conv2D' (id 3), section 1 of 2: reads 'tpu.Load' "
                      "(id 1): byte 64 is");
}

TEST(SimulatorTest, ReloadedFilter) {
  GroupRunner runner(convPool());
  for (int64_t id : {1, 2}) {
    runner.item(id).begin[H] = {0, 0};
    runner.item(id).size[H] = {1, 1};
  }
  EXPECT_EQ(runner.run(), "");
  // Reloaded before the section ahead is done.
  runner.chain[0].rows = {{3, 5, 1}, {4, 0, 2}};
  expectError(runner, "reads 'tpu.Load' (id 1): byte 0 is the result of "
                      "'tpu.Load' (id 1), section 1");
}

TEST(SimulatorTest, ReloadedFilterLeavesRoom) {
  // The pooling's result lies where the filter is while nothing needs it; of
  // two transfers in one timestep, the first of the list is the first.
  GroupRunner runner(convPool());
  runner.item(1).begin[H] = {0, 0};
  runner.item(1).size[H] = {1, 1};
  runner.item(1).stage = 1;
  runner.item(4).address = 0;
  runner.chain[0].rows = {{5, 1}, {3}, {4, 0, 2}};
  EXPECT_EQ(runner.run(), "");
  runner.chain[0].rows = {{1, 5}, {3}, {4, 0, 2}};
  expectError(runner, "'tpu.Store' (id 5), section 0 of 2: reads 'tpu.Pool2D' "
                      "(id 4): byte 0 is the result of 'tpu.Load' (id 1), "
                      "section 1");
}

TEST(SimulatorTest, AcrossTheBackEdge) {
  // x of the section after is loaded while this one is pooled, and stays for
  // the convolution in the next loop.
  GroupRunner runner(convPool());
  runner.item(4).address = 224;
  expectError(runner, "byte 224 is");
  // With one section nothing is loaded after it.
  runner.chain[0].sections[H] = 1;
  for (int64_t id : {0, 3, 4, 5}) {
    runner.item(id).begin[H] = {0};
    runner.item(id).size[H] = {runner.item(id).shape.whole[H]};
    runner.item(id).bytes *= 2;
  }
  runner.item(0).address = 512;
  runner.item(4).address = 512;
  EXPECT_EQ(runner.run(), "");
}

TEST(SimulatorTest, ScratchIsLost) {
  GroupRunner runner(convPool());
  runner.item(3).scratchAddress = 512;
  runner.item(3).scratchBytes = 64;
  EXPECT_EQ(runner.run(), "");
  // The pooling's result is not there while the convolution runs, but the
  // store of the section ahead reads it then.
  runner.item(3).scratchAddress = 352;
  expectError(runner, "byte 352 is scratch of 'tpu.Conv2D' (id 3)");
  runner.item(3).scratchAddress = 200; // Its own operand.
  expectError(runner, "byte 200 is scratch of 'tpu.Conv2D' (id 3)");
  runner.item(3).scratchAddress = 200 + 64; // Its own result.
  expectError(runner, "not scratch of 'tpu.Conv2D' (id 3)");
  runner.item(3).scratchAddress = 1000;
  expectError(runner, "scratch leaves the lane");
}

TEST(SimulatorTest, StoresPartitionTheResult) {
  GroupRunner runner(convPool());
  runner.item(5).begin[H] = {1, 3};
  expectError(runner,
              "stores what it has not: element c [0, 1) h [3, 4) w [0, "
              "1) is not in the stored part c [0, 5) h [0, 3) w [0, 4)");
  runner.item(5).begin[H] = {0, 3};
  runner.item(5).size[H] = {3, 2};
  expectError(runner, "'tpu.Store' (id 5): never stores element 20");
  runner.item(4).begin[H] = {0, 2};
  runner.item(4).size[H] = {3, 4};
  runner.item(4).bytes = 64;
  runner.item(3).begin[H] = {0, 4};
  runner.item(3).size[H] = {6, 8};
  runner.item(3).bytes = 128;
  runner.item(3).address = 512;
  runner.item(0).begin[H] = {0, 3};
  runner.item(0).size[H] = {7, 9};
  runner.item(0).bytes = 160;
  runner.item(0).address = 640;
  runner.item(5).begin[H] = {0, 2};
  runner.item(5).size[H] = {3, 4};
  expectError(runner, "stores element 8 a second time");
  runner.item(5).begin[H] = {0, 3};
  runner.item(5).size[H] = {3, 3};
  EXPECT_EQ(runner.run(), "") << "more is computed than stored";
}

TEST(SimulatorTest, Places) {
  const auto withAddress = [](int64_t address) {
    GroupRunner runner(convPool());
    runner.item(4).address = address;
    return runner.run();
  };
  EXPECT_EQ(withAddress(1024 - 32), "");
  for (int64_t address :
       {int64_t(1024 - 16), int64_t(-16), INT64_MAX - 15, INT64_MIN})
    EXPECT_NE(withAddress(address).find("leave the lane"), std::string::npos);
  EXPECT_NE(withAddress(360).find("not a multiple"), std::string::npos);
  GroupRunner runner(convPool());
  runner.item(0).bytes = 127;
  expectError(runner, "takes 128 bytes, but out_size is 127");
}

//===----------------------------------------------------------------------===//
// The example of the reference: 64 lanes, weights in blocks
//===----------------------------------------------------------------------===//

TEST(SimulatorTest, ReferenceExample) {
  GroupRunner runner(referenceExample(), *target::findChip("bm1684x"));
  EXPECT_EQ(runner.run(), "");
  runner.item(3).address = 0;
  expectError(runner, "writes over its operand 'tpu.Load' (id 1)");
}

} // namespace

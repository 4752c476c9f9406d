//===- ModelErrorsTest.cpp - Groups that say nonsense; chains of groups ---===//

#include "tests/exec/groups/GroupExec.h"
#include "tests/exec/groups/GroupRunner.h"
#include "tests/exec/groups/GroupText.h"

using namespace tpu_mlir;
using namespace tpu_mlir::exec;

namespace {

void expectError(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos)
      << "expected: " << part << "\ngot: " << (error.empty() ? "fine" : error);
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(ModelErrorsTest, Groups) {
  const std::pair<const char *, std::pair<const char *, const char *>>
      kCases[] = {
          {"timesteps of the flow are not in order",
           {"-1, 3, 5, -2", "-1, 3, 5, -3"}},
          {"the flow names id 9", {"-1, 3, 5, -2", "-1, 3, 5, 9, -2"}},
          {"the flow names id 3, which no op has, or no timestep",
           {"-1, 3, 5, -2", "3, 5, -1"}},
          {"'tpu.Conv2D' (id 3) is 2 times in the flow",
           {"-1, 3, 5, -2", "-1, 3, 5, -2, 3"}},
          {"'tpu.Store' (id 5) is 0 times in the flow",
           {"-1, 3, 5, -2", "-1, 3, -2"}},
          {"'tpu.Store' (id 5) has stage 3", {"stage = 2", "stage = 3"}},
          {"has 2 starts and 2 sizes in a dimension of 3 sections",
           {"hsecs = 2", "hsecs = 3"}},
          {"leaves a dimension of 12",
           {"h_slice = [7, 7]", "h_slice = [7, 8]"}},
          {"a dimension has 0 sections",
           {"hsecs = 2", "csecs = 0 : i64, hsecs = 2"}},
          {"there is no kernel for this 'tpu.Pool2D': it is adaptive",
           {"kernel_shape = [2, 2]",
            "is_adaptive = true, kernel_shape = [2, 2]"}},
          {"reads global memory without a Load",
           {"(%0, %1, %2)", "(%x, %1, %2)"}},
          {"elements of 8, 16 or 32 bits are simulated",
           {"tensor<1x5x1x56xi8>", "tensor<1x5x1x56xi4>"}}};
  for (const auto &[message, change] : kCases) {
    SCOPED_TRACE(message);
    std::string text = replaced(convPool(), change.first, change.second);
    if (std::string(change.second).find("i4") != std::string::npos)
      text = replaced(text, "tensor<1x5x1x56xi8>", "tensor<1x5x1x56xi4>");
    GroupRunner runner(text);
    expectError(runner.run(), message);
  }
  GroupRunner runner(convPool());
  runner.item(5).id = 4;
  expectError(runner.run(), "two ops have id 4");
}

TEST(ModelErrorsTest, OpsWithoutKernel) {
  GroupText text;
  text.argument("%x", "1x4x4x4xi8");
  text.load("%0", "%x", {0, 0, 0, 16, "c 0:4; h 0:4; w 0:4"});
  text.compute("%1", "tpu.ShuffleChannel", {"%0"}, "1x4x4x4xi8",
               {1, 1, 16, 16, "c 0:4; h 0:4; w 0:4"});
  text.store("%2", "%1", {2, 2, 16, 16, "c 0:4; h 0:4; w 0:4"});
  text.group({"%y"}, {"%2"}, "-1, 0, -2, 1, -3, 2");
  expectError(GroupRunner(text.module()).run(),
              "there is no kernel for 'tpu.ShuffleChannel'");
}

TEST(ModelErrorsTest, VeryLargeNumbers) {
  const std::string most = "9223372036854775807",
                    least = "-9223372036854775808";
  const std::pair<std::string, std::string> kChanges[] = {
      {"hsecs = 2",
       "csecs = " + most + " : i64, nsecs = " + most + " : i64, hsecs = 2"},
      {"-1, 3, 5, -2", least + ", 3, 5, -2"},
      {"kernel_shape = [3, 3]", "kernel_shape = [" + most + ", 3]"},
      {"strides = [1, 1]", "strides = [" + most + ", 1]"},
      {"pads = [1, 1, 1, 1]", "pads = [" + least + ", 1, 1, 1]"},
      {"out_addr = 256", "out_addr = " + most},
      {"buffer_size = 0", "buffer_size = " + most},
      {"h_idx = [0, 5]", "h_idx = [0, " + most + "]"},
      {"h_slice = [7, 7]", "h_slice = [7, " + most + "]"},
      {"stage = 1", "stage = " + most}};
  for (const auto &[from, to] : kChanges) {
    SCOPED_TRACE(to);
    const std::string at =
        from == "buffer_size = 0" ? "\"tpu.Conv2D\"(%0, %1, %2)" : "";
    std::string text = convPool();
    const size_t start = at.empty() ? 0 : text.find(at);
    text.replace(text.find(from, start), from.size(), to);
    EXPECT_NE(GroupRunner(text).run(), "");
  }
}

TEST(ModelErrorsTest, FourImagesInASlot) {
  auto chip = smallChip();
  chip.batchLayout = target::BatchLayout::FourN;
  expectError(GroupRunner(convPool(), chip).run(), "four images");
}

//===----------------------------------------------------------------------===//
// Transfers that one group runs for the next
//===----------------------------------------------------------------------===//

/// Two groups of one op each, two sections of rows. The second one's second
/// operand is loaded in the first one's last loop, the first one's last store
/// runs in the second one's first.
std::string twoGroups(const std::string &between = "") {
  const std::string parts = "c 0:4; h 0:2 2:2; w 0:8";
  GroupText text;
  text.argument("%x", "1x4x4x8xi8");
  text.argument("%z", "1x4x1x1xi8");
  text.load("%0", "%x", {0, 1, 0, 16, parts});
  text.compute("%1", "tpu.Relu", {"%0"}, "1x4x4x8xi8", {1, 1, 16, 16, parts});
  text.store("%2", "%1", {2, 2, 16, 16, parts});
  text.group({"%a"}, {"%2"}, "-1, 0, 2, -2, 1",
             "hsecs = 2 : i64, other_up_overlap_op = [-1, 1], "
             "self_down_overlap_op = [2]");
  text.outside(between);
  text.load("%3", "%x", {0, 0, 32, 16, parts});
  text.load("%4", "%z", {1, 0, 48, 16, "c 0:4"});
  text.compute("%5", "tpu.Add", {"%3", "%4"}, "1x4x4x8xi8",
               {2, 1, 64, 16, parts});
  text.store("%6", "%5", {3, 1, 64, 16, parts});
  text.group({"%b"}, {"%6"}, "-1, 2, -2, 0, 1, 3",
             "hsecs = 2 : i64, self_up_overlap_op = [1], "
             "other_down_overlap_op = [-2, 2]");
  return text.module();
}

TEST(ChainTest, LentTransfers) {
  GroupRunner runner(twoGroups());
  ASSERT_EQ(runner.chain.size(), 2u) << runner.readError;
  EXPECT_EQ(runner.run(), "");
  ExecStats stats;
  EXPECT_EQ(runGroups(*runner.module, runner.chip, &stats).value_or(""), "");
  EXPECT_EQ(stats.groups, 2);
}

TEST(ChainTest, LentLoadNeedsFreeBytes) {
  GroupRunner runner(twoGroups());
  // Relu computes its last section after the loan.
  runner.item(1, 1).address = 16;
  expectError(runner.run(), "group 1 of the chain: 'tpu.Add' (id 2), section 0 "
                            "of 2: reads 'tpu.Load' (id 1): byte 16 is the "
                            "result of 'tpu.Relu' (id 1), section 1");
  // Relu reads its operand in the last timestep.
  runner.item(1, 1).address = 0;
  runner.chain[0].fromNext[0].row = 1;
  expectError(runner.run(), "group 0 of the chain: 'tpu.Relu' (id 1), section "
                            "1 of 2: reads 'tpu.Load' (id 0): byte 0 is");
  runner.item(1, 1).address = 96;
  EXPECT_EQ(runner.run(), "");
}

TEST(ChainTest, LentStoreNeedsItsBytesForLonger) {
  GroupRunner runner(twoGroups());
  runner.item(0, 1).address = 16; // The second group's x over Relu's result.
  expectError(runner.run(), "group 1 of the chain: 'tpu.Store' (id 2), section "
                            "1 of 2: reads 'tpu.Relu' (id 1): byte 16 is the "
                            "result of 'tpu.Load' (id 0)");
}

TEST(ChainTest, NeighboursAgree) {
  expectError(GroupRunner(replaced(twoGroups(), "other_up_overlap_op = [-1, 1]",
                                   "other_up_overlap_op = [-1, 0]"))
                  .run(),
              "do not agree");
  expectError(
      GroupRunner(replaced(twoGroups(), "other_down_overlap_op = [-2, 2]",
                           "other_down_overlap_op = []"))
          .run(),
      "do not agree");
  expectError(GroupRunner(replaced(twoGroups(), "other_up_overlap_op = [-1, 1]",
                                   "other_up_overlap_op = [-3, 1]"))
                  .run(),
              "a timestep that is not there");
  expectError(
      GroupRunner(twoGroups("%q = \"tpu.Relu\"(%a) : (tensor<1x4x4x8xi8>) -> "
                            "tensor<1x4x4x8xi8>"))
          .run(),
      "does not follow it directly");
  expectError(
      GroupRunner(replaced(convPool(), "hsecs = 2 : i64",
                           "hsecs = 2 : i64, self_down_overlap_op = [5]"))
          .run(),
      "the last group lends a transfer");
  expectError(GroupRunner(replaced(convPool(), "hsecs = 2 : i64",
                                   "hsecs = 2 : i64, self_up_overlap_op = [0]"))
                  .run(),
              "lent to a group that is not there");
}

} // namespace

//===- FormsTest.cpp - All forms that groups take -------------------------===//
//
// Cuts of each dimension, in-place pairs, tables in every lane, group types,
// reordered filters.
//
//===----------------------------------------------------------------------===//

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
// In place
//===----------------------------------------------------------------------===//

TEST(FormsTest, InPlace) {
  for (const char *op : {"tpu.Add", "tpu.Max", "tpu.Sub"}) {
    GroupRunner runner(addition(0, false, "1x4x4x4xi8", op));
    EXPECT_EQ(runner.run(), "");
    runner.chip.localInPlace = false;
    expectError(runner, "writes over its operand 'tpu.Load' (id 0), which this "
                        "chip cannot do");
  }
}

TEST(FormsTest, InPlaceIsForOperandZero) {
  GroupRunner second(addition(16, false));
  expectError(second, "writes over its operand 'tpu.Load' (id 1)");
  GroupRunner used(addition(0, true));
  expectError(used,
              "'tpu.Mul' (id 3), section 0 of 1: reads 'tpu.Load' (id 0): "
              "byte 0 is the result of 'tpu.Add' (id 2)");
  GroupRunner apart(addition(32, true));
  EXPECT_EQ(apart.run(), "");
}

TEST(FormsTest, InPlaceNeedsOneLayout) {
  GroupRunner runner(addition(0, false));
  runner.item(0).euAlign = false;
  runner.item(0).bytes = 16;
  expectError(runner, "which is laid out otherwise");
  GroupRunner shifted(addition(0, false));
  shifted.item(0).bytes = shifted.item(2).bytes = 16;
  shifted.item(2).euAlign = false;
  shifted.item(2).address = 8;
  expectError(shifted, "which is laid out otherwise");
}

TEST(FormsTest, InPlaceIsForElementwiseOps) {
  GroupText text;
  text.argument("%a", "1x4x4x4xi8");
  text.load("%0", "%a", {0, 0, 0, 16, "c 0:4; h 0:4; w 0:4"});
  text.compute("%1", "tpu.Softmax", {"%0"}, "1x4x4x4xi8",
               {1, 1, 0, 16, "c 0:4; h 0:4; w 0:4"}, "axis = 3 : si32");
  text.store("%2", "%1", {2, 2, 0, 16, "c 0:4; h 0:4; w 0:4"});
  text.group({"%y"}, {"%2"}, "-1, 0, -2, 1, -3, 2");
  GroupRunner runner(text.module());
  expectError(runner, "writes over its operand");
  runner.item(1).address = 16;
  EXPECT_EQ(runner.run(), "");
}

TEST(FormsTest, BroadcastOperand) {
  GroupRunner runner(addition(32, false, "1x4x1x1xi8"));
  EXPECT_EQ(runner.run(), "");
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

TEST(FormsTest, EveryDimensionCut) {
  GroupRunner slopes(manyCuts(/*convolves=*/false));
  EXPECT_EQ(slopes.run(), "");
  GroupRunner runner(manyCuts(/*convolves=*/true));
  EXPECT_EQ(runner.run(), "");
  EXPECT_EQ(runner.chain[0].numSections(), 16);
  EXPECT_FALSE(runner.chain[0].isHeld(runner.item(1)));
  // n, d, h, w, c from the outermost loop.
  EXPECT_EQ(runner.chain[0].sectionIndex(1), (Index5{0, 1, 0, 0, 0}));
  EXPECT_EQ(runner.chain[0].sectionIndex(2), (Index5{0, 0, 0, 0, 1}));
  EXPECT_EQ(runner.chain[0].sectionIndex(4), (Index5{0, 0, 0, 1, 0}));
  EXPECT_EQ(runner.chain[0].sectionIndex(8), (Index5{1, 0, 0, 0, 0}));
  // The filter of the wrong channels.
  std::swap(runner.item(1).begin[C][0], runner.item(1).begin[C][1]);
  std::swap(runner.item(1).size[C][0], runner.item(1).size[C][1]);
  expectError(runner, "operand 1, element c [0, 1) is not in the stored part c "
                      "[4, 6)");
}

TEST(FormsTest, ThreeDimensions) {
  GroupText text;
  text.argument("%x", "1x2x6x4x3xi8");
  text.argument("%f", "5x2x3x1x1xi8");
  text.load("%0", "%x", {0, 0, 0, 64, "c 0:2; d 0:4 2:4; h 0:4; w 0:3"});
  text.load("%1", "%f", {1, 0, 64, 16, "c 0:5; w 0:6", false}, "",
            "1x5x1x6xi8");
  text.compute("%2", "tpu.Conv3D", {"%0", "%1"}, "1x5x6x4x3xi8",
               {2, 1, 128, 96, "c 0:5; d 0:3 3:3; h 0:4; w 0:3"},
               "kernel_shape = [3, 1, 1], strides = [1, 1, 1], pads = [1, 0, "
               "0, 1, 0, 0]");
  text.store("%3", "%2", {3, 1, 128, 96, "c 0:5; d 0:3 3:3; h 0:4; w 0:3"});
  text.group({"%y"}, {"%3"}, "-1, 2, -2, 0, 1, 3",
             "dsecs = 2 : i64, group_type = 1 : i64");
  GroupRunner runner(text.module());
  EXPECT_EQ(runner.run(), "");
  runner.item(0).begin[D][1] = 1;
  expectError(runner, "d [5, 6)");
}

TEST(FormsTest, SmallChannels) {
  // (1, 2, 6, 5) becomes 3 images of 4 channels and 5 rows.
  GroupText text;
  const std::string parts = "n 0:2 2:1; c 0:4; h 0:5";
  text.argument("%x", "1x2x6x5xf16");
  text.load("%0", "%x", {0, 0, 0, 32, parts});
  text.compute("%1", "tpu.Softmax", {"%0"}, "1x2x6x5xf16",
               {1, 1, 32, 32, parts}, "axis = 3 : si32");
  text.store("%2", "%1", {2, 1, 32, 32, parts});
  text.group({"%y"}, {"%2"}, "-1, 1, -2, 0, 2",
             "nsecs = 2 : i64, group_type = 2 : i64");
  GroupRunner runner(text.module());
  EXPECT_EQ(runner.run(), "");
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

std::string lookup(const std::string &table, const std::string &parts) {
  GroupText text;
  text.argument("%x", "1x6x4x4xi8");
  text.argument("%t", table);
  text.load("%0", "%x", {0, 0, 0, 32, "c 0:6; h 0:4; w 0:4"});
  text.load("%1", "%t", {1, 0, 32, 256, parts, false}, "do_bcast = true");
  text.compute("%2", "tpu.Lut", {"%0", "%1"}, "1x6x4x4xi8",
               {2, 1, 512, 32, "c 0:6; h 0:4; w 0:4"});
  text.store("%3", "%2", {3, 2, 512, 32, "c 0:6; h 0:4; w 0:4"});
  text.group({"%y"}, {"%3"}, "-1, 0, 1, -2, 2, -3, 3");
  return text.module();
}

TEST(FormsTest, TableInEveryLane) {
  GroupRunner runner(lookup("1x1x1x256xsi8", "w 0:256"));
  EXPECT_EQ(runner.run(), "");
  runner.item(1).size[W] = {255};
  expectError(runner, "operand 1, element w [255, 256)");
  GroupRunner several(lookup("1x2x1x128xsi8", "c 0:2; w 0:128"));
  expectError(several, "copies several channels to every lane");
}

TEST(FormsTest, LoadedFormOfAnotherSize) {
  TensorShape small, large;
  small.dims = {4};
  small.whole = {4, 1, 1, 1, 1};
  large.dims = {6};
  large.whole = {6, 1, 1, 1, 1};
  TensorPart four = TensorPart::whole(small), six = TensorPart::whole(large);
  four.values = {1, 2, 3, 4};
  six.values = {1, 2, 3, 4, 5, 127};
  EXPECT_EQ(loadedForm(four, large).values,
            (std::vector<int32_t>{1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(loadedForm(six, small).values,
            (std::vector<int32_t>{6, -127, 3, 4}));
  EXPECT_EQ(loadedForm(four, small).values, four.values);
}

TEST(FormsTest, PaddingBelongsToTheBuffer) {
  // x: 12 of 16 bytes a channel are elements.
  GroupText text;
  text.argument("%x", "1x2x3x4xi8");
  text.argument("%z", "1x2x1x1xi8");
  text.load("%0", "%x", {0, 0, 0, 16, "c 0:2; h 0:3; w 0:4"});
  text.load("%1", "%z", {1, 0, 12, 1, "c 0:2", false});
  text.compute("%2", "tpu.Add", {"%0", "%1"}, "1x2x3x4xi8",
               {2, 1, 32, 16, "c 0:2; h 0:3; w 0:4"});
  text.store("%3", "%2", {3, 2, 32, 16, "c 0:2; h 0:3; w 0:4"});
  text.group({"%y"}, {"%3"}, "-1, 0, 1, -2, 2, -3, 3");
  GroupRunner runner(text.module());
  expectError(runner, "reads 'tpu.Load' (id 0): byte 12 is the result of "
                      "'tpu.Load' (id 1)");
  runner.item(1).address = 16;
  EXPECT_EQ(runner.run(), "");
}

} // namespace

//===- GroupCheckTest.cpp - Layouts, lives and figures by hand ------------===//

#include "lib/Analysis/Local/Check/Checks.h"
#include "lib/Analysis/Local/Check/Recount.h"

#include "tests/Dialect/TestModules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::local;

namespace {

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

TEST(LayoutTest, BytesInLane) {
  const target::ChipSpec &chip = *target::findChip("cv184x"); // 8 lanes, 16 B
  // n, c, d, h, w: 9 channels are two planes of 30 bytes in lane 0.
  EXPECT_EQ(bytesInLane(chip, {1, 9, 1, 3, 5}, 16, false), 60);
  EXPECT_EQ(bytesInLane(chip, {1, 9, 1, 3, 5}, 16, true), 64);
  EXPECT_EQ(bytesInLane(chip, {2, 8, 3, 3, 5}, 16, true), 6 * 32);
  // Three elements of four bits are two bytes.
  EXPECT_EQ(bytesInLane(chip, {1, 1, 1, 1, 3}, 4, false), 2);
  EXPECT_EQ(bytesInLane(chip, {int64_t(1) << 40, 8, 1, int64_t(1) << 30, 1}, 8,
                        false),
            std::nullopt);
}

TEST(LayoutTest, FourImagesShareASlot) {
  const target::ChipSpec &chip = *target::findChip("bm1684"); // 64 lanes, 4N
  EXPECT_EQ(bytesInLane(chip, {5, 64, 1, 2, 3}, 8, false), 2 * 6 * 4);
  EXPECT_EQ(bytesInLane(chip, {5, 64, 1, 2, 3}, 16, false), 3 * 6 * 4);
  EXPECT_EQ(bytesInLane(chip, {5, 64, 1, 2, 3}, 32, false), 5 * 6 * 4);
}

TEST(LayoutTest, Extents) {
  const target::ChipSpec &chip = *target::findChip("cv184x");
  const int64_t shape[] = {2, 3, 4, 5, 6};
  EXPECT_EQ(extentsOf(shape, 0, chip), (Extents{2, 3, 1, 4, 30}));
  EXPECT_EQ(extentsOf(shape, 1, chip), (Extents{2, 3, 4, 5, 6}));
  // 24 rows are dealt out to 8 lanes; 6 rows of 5 are not.
  EXPECT_EQ(extentsOf({2, 3, 4, 5}, 2, chip), (Extents{3, 8, 1, 5, 1}));
  EXPECT_EQ(extentsOf({2, 3, 1, 5}, 2, chip), (Extents{6, 1, 1, 5, 1}));
  EXPECT_EQ(extentsOf({2, 0}, 0, chip), std::nullopt);
}

TEST(LayoutTest, LayoutsAgreeWithoutPadding) {
  const target::ChipSpec &chip = *target::findChip("cv184x");
  EXPECT_TRUE(layoutsAgree(chip, {1, 16, 1, 2, 4}, 16));
  EXPECT_FALSE(layoutsAgree(chip, {1, 16, 1, 2, 3}, 16));
  EXPECT_TRUE(layoutsAgree(chip, {1, 8, 1, 2, 3}, 16)) << "one plane a lane";
}

//===----------------------------------------------------------------------===//
// Groups of basic.mlir
//===----------------------------------------------------------------------===//

class GroupTest : public testing::Test {
protected:
  /// The group of the module called `name`.
  tpu::GroupOp parse(StringRef name) {
    auto file = llvm::MemoryBuffer::getFile(
        "tests/Transforms/Tpu/VerifyLocal/basic.mlir");
    EXPECT_TRUE(file) << "basic.mlir";
    SmallVector<StringRef> texts;
    (*file)->getBuffer().split(texts, "// -----");
    for (StringRef text : texts)
      if (text.contains(("module @" + name + " ").str()))
        module = context.parse(text);
    return cast<tpu::GroupOp>(test::findOp(*module, "tpu.Group"));
  }

  test::TestContext context;
  OwningOpRef<ModuleOp> module;
  const target::ChipSpec &chip = *target::findChip("cv184x");
};

TEST_F(GroupTest, Recount) {
  Violations violations;
  auto group = readGroup(parse("conv_pool"), chip, violations);
  ASSERT_TRUE(group && violations.empty());
  auto figures = recountGroup(*group);
  ASSERT_TRUE(figures);
  EXPECT_EQ(figures->numSections, 3);
  EXPECT_EQ(figures->numRows, 2);
  EXPECT_EQ(figures->highWaterBytes, 4096 + 64);
  // Row 1 of loop 1: filter and bias, what is convolved and pooled, and the
  // next section of the input.
  EXPECT_EQ(figures->peakBytes, 576 + 8 + 192 + 64 + 256);
  EXPECT_EQ(figures->peakTime, 3);
  EXPECT_EQ(figures->peakMembers, (std::vector<int>{0, 1, 2, 3, 4}));
  // 7 + 8 + 5 rows of 16 channels and 8 columns; weights once.
  EXPECT_EQ(figures->loadedBytes, 20 * 16 * 8 * 2 + 16 * 144 * 2 + 16 * 4);
  EXPECT_EQ(figures->storedBytes, 16 * 8 * 4 * 2);
}

TEST_F(GroupTest, RecountOfWhatIsLoadedAgain) {
  Violations violations;
  auto group = readGroup(parse("reloaded"), chip, violations);
  ASSERT_TRUE(group && violations.empty());
  EXPECT_EQ(recountGroup(*group)->loadedBytes,
            (5 + 5) * 8 * 8 * 2 + 8 * 8 * 2 + 2 * 8 * 72 * 2);
  // An update in place takes its bytes once: a row with input, filter,
  // activation (its own scratch is over) and sum.
  group = readGroup(parse("residual"), chip, violations);
  ASSERT_TRUE(group && violations.empty());
  const Member &sum = group->members[4];
  const Member &active = group->members[3];
  EXPECT_EQ(sum.bytes, active.bytes);
  EXPECT_EQ(recountGroup(*group)->peakBytes, 112 + 144 + 96 + 96 + 256);
}

TEST_F(GroupTest, Reading) {
  Violations violations;
  auto group = readGroup(parse("reloaded"), chip, violations);
  ASSERT_TRUE(group);
  EXPECT_FALSE(group->members[0].held) << "the input is cut";
  EXPECT_TRUE(group->members[1].held);
  EXPECT_FALSE(group->members[2].held) << "one entry for each section";
  EXPECT_EQ(group->time(group->members[4]), 1 * 2 + 1);
  EXPECT_EQ(group->totalRows(), 4 * 2);
  EXPECT_EQ(group->members[0].readers, (SmallVector<int>{3}));
}

TEST_F(GroupTest, SectionsRunWithChannelsFastest) {
  Violations violations;
  auto group = readGroup(parse("grid"), chip, violations);
  ASSERT_TRUE(group);
  const auto box = boxOf(*group, group->members[0], 1);
  EXPECT_EQ(box[AxisN], (Interval{0, 1}));
  EXPECT_EQ(box[AxisC], (Interval{8, 16}));
  EXPECT_EQ(boxOf(*group, group->members[0], 2)[AxisN], (Interval{1, 2}));
}

/// Numbers that no chip has must not become wrong arithmetic.
TEST_F(GroupTest, NonsenseIsReported) {
  tpu::GroupOp op = parse("conv_pool");
  Builder builder(op);
  for (int64_t sections :
       {int64_t(0), int64_t(-1), std::numeric_limits<int64_t>::max()}) {
    op->setAttr("hsecs", builder.getI64IntegerAttr(sections));
    const Violations violations = checkGroup(op, chip);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations[0].invariant, Invariant::Form);
  }
  op->setAttr("hsecs", builder.getI64IntegerAttr(3));
  for (int64_t entry : {std::numeric_limits<int64_t>::min(),
                        std::numeric_limits<int64_t>::max(), int64_t(-5)}) {
    op->setAttr("flow", builder.getI64ArrayAttr({-1, 0, entry}));
    const Violations violations = checkGroup(op, chip);
    ASSERT_FALSE(violations.empty());
    EXPECT_EQ(violations[0].invariant, Invariant::Flow);
  }
}

} // namespace

//===- LocalSliceTest.cpp - What an elementwise op reads ------------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Tpu/IR/TpuOps.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class LocalSliceTest : public ::testing::Test {
protected:
  /// Operand `operand` of the op called `name`, as "[begin,end) ...".
  std::string slice(StringRef name, StringRef op, unsigned operand,
                    ArrayRef<Interval> result) {
    auto module =
        context.parseOps("%x: tensor<1x8x16x16xf16>, %row: tensor<16xf16>, "
                         "%c: tensor<1x8x1x1xf16>, %dyn: tensor<1x8x?x16xf16>, "
                         "%odd: tensor<1x4x16x16xf16>, %n: none",
                         op);
    if (!module)
      return "does not parse";
    auto local = cast<LocalSliceOpInterface>(findOp(*module, name));
    auto slices = local.getOperandSlice(operand, result);
    if (failed(slices))
      return "failure";
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Interval &s : *slices)
      os << '[' << s.begin << ',' << s.end << ')';
    return text;
  }
  const Interval part[4] = {{0, 1}, {0, 8}, {4, 10}, {0, 16}};
  TestContext context;
};

TEST_F(LocalSliceTest, Unary) {
  StringRef op =
      R"(%0 = "tpu.Active"(%x) : (tensor<1x8x16x16xf16>) -> tensor<1x8x16x16xf16>)";
  EXPECT_EQ(slice("tpu.Active", op, 0, part), "[0,1)[0,8)[4,10)[0,16)");
  EXPECT_EQ(slice("tpu.Active", op, 1, part), "failure");
  EXPECT_EQ(slice("tpu.Active", op, 0, ArrayRef(part).drop_front()), "failure");
  // Not a part of the result.
  const Interval over[4] = {{0, 1}, {0, 8}, {4, 17}, {0, 16}};
  EXPECT_EQ(slice("tpu.Active", op, 0, over), "failure");
}

TEST_F(LocalSliceTest, Broadcast) {
  StringRef op =
      R"(%0 = "tpu.Add"(%x, %row, %c, %n) : (tensor<1x8x16x16xf16>, tensor<16xf16>,
      tensor<1x8x1x1xf16>, none) -> tensor<1x8x16x16xf16>)";
  EXPECT_EQ(slice("tpu.Add", op, 0, part), "[0,1)[0,8)[4,10)[0,16)");
  EXPECT_EQ(slice("tpu.Add", op, 1, part), "[0,16)");
  EXPECT_EQ(slice("tpu.Add", op, 2, part), "[0,1)[0,8)[0,1)[0,1)");
  EXPECT_EQ(slice("tpu.Add", op, 3, part), "");
}

TEST_F(LocalSliceTest, DoesNotBroadcast) {
  EXPECT_EQ(slice("tpu.Mul", R"(%0 = "tpu.Mul"(%x, %odd)
      : (tensor<1x8x16x16xf16>, tensor<1x4x16x16xf16>) -> tensor<1x8x16x16xf16>)",
                  1, part),
            "failure");
  EXPECT_EQ(slice("tpu.Mul", R"(%0 = "tpu.Mul"(%x, %dyn)
      : (tensor<1x8x16x16xf16>, tensor<1x8x?x16xf16>) -> tensor<1x8x16x16xf16>)",
                  1, part),
            "failure");
  // An operand of a higher rank than the result.
  EXPECT_EQ(slice("tpu.Mul", R"(%0 = "tpu.Mul"(%row, %x)
      : (tensor<16xf16>, tensor<1x8x16x16xf16>) -> tensor<16xf16>)",
                  1, part[3]),
            "failure");
}

TEST_F(LocalSliceTest, TablesAreReadWhole) {
  StringRef op =
      R"(%0 = "tpu.Lut"(%x, %c) : (tensor<1x8x16x16xf16>, tensor<1x8x1x1xf16>)
      -> tensor<1x8x16x16xf16>)";
  EXPECT_EQ(slice("tpu.Lut", op, 0, part), "[0,1)[0,8)[4,10)[0,16)");
  EXPECT_EQ(slice("tpu.Lut", op, 1, part), "[0,1)[0,8)[0,1)[0,1)");
  EXPECT_EQ(slice("tpu.Lut", op, 2, part), "failure");
}

// Moving dimensions moves elements between lanes.
TEST_F(LocalSliceTest, OthersAreGlobal) {
  auto module = context.parseOps("%x: tensor<1x8x16x16xf16>", R"(
    %0 = "tpu.Permute"(%x) {order = [0, 2, 1, 3]}
      : (tensor<1x8x16x16xf16>) -> tensor<1x16x8x16xf16>)");
  ASSERT_TRUE(module);
  EXPECT_FALSE(isa<LocalSliceOpInterface>(findOp(*module, "tpu.Permute")));
}

//===----------------------------------------------------------------------===//
// Refusals
//===----------------------------------------------------------------------===//

struct Refusal {
  const char *name, *operands, *attributes, *types, *why;
};

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, SaysWhy) {
  const Refusal &r = GetParam();
  TestContext context;
  auto module = context.parseOps(
      "%a: tensor<1x8x6x6xf16>, %w: tensor<8x8x3x3xf16>, %v: tensor<4x6xf16>, "
      "%d: tensor<1x?x6x6xf16>, %u: tensor<*xf16>, %e: tensor<1x0x6x6xf16>, "
      "%n: none",
      std::string("%0 = \"") + r.name + "\"(" + r.operands + ") {" +
          r.attributes + "} : " + r.types);
  ASSERT_TRUE(module);
  auto op = cast<LocalSliceOpInterface>(findOp(*module, r.name));
  EXPECT_EQ(op.whyGlobal(), r.why);
  EXPECT_TRUE(failed(op.getOperandRules(0)));
  const Interval part[4] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}};
  EXPECT_TRUE(failed(op.getOperandSlice(0, part)));
  EXPECT_EQ(op.getLocalScratch(), LocalScratch());
}

#define IMAGE "tensor<1x8x6x6xf16>"
#define FILTER "tensor<8x8x3x3xf16>"
const Refusal kRefusals[] = {
    {"tpu.Conv2D", "%a, %w", "kernel_shape = [3, 3], inserts = [1, 0]",
     "(" IMAGE ", " FILTER ") -> " IMAGE, "it inserts zeros into its input"},
    {"tpu.Conv2D", "%a, %w", "", "(" IMAGE ", " FILTER ") -> " IMAGE,
     "its kernel does not have the dimensions of its result"},
    {"tpu.Conv2D", "%a, %w", "kernel_shape = [3, 3], strides = [1]",
     "(" IMAGE ", " FILTER ") -> " IMAGE,
     "its strides, pads or dilations do not fit its kernel"},
    {"tpu.Conv2D", "%a, %w", "kernel_shape = [3, 3], strides = [0, 1]",
     "(" IMAGE ", " FILTER ") -> " IMAGE,
     "its strides, pads or dilations do not fit its kernel"},
    {"tpu.Conv2D", "%a, %w", "kernel_shape = [3, 3], pads = [1, 1, 1, -1]",
     "(" IMAGE ", " FILTER ") -> tensor<1x8x6x4xf16>",
     "its strides, pads or dilations do not fit its kernel"},
    {"tpu.Deconv", "%a, %w", "kernel_shape = [3, 3], pads = [-1, 1, 1, 1]",
     "(" IMAGE ", " FILTER ") -> tensor<1x8x8x6xf16>",
     "its strides, pads or dilations do not fit its kernel"},
    {"tpu.Pool2D", "%a", "kernel_shape = [3, 3], pads = [1, -1, 1, 1]",
     "(" IMAGE ") -> tensor<1x8x6x4xf16>",
     "its strides, pads or dilations do not fit its kernel"},
    {"tpu.Conv2D", "%a, %w",
     "kernel_shape = [2000000000, 3], dilations = [2000000000, 1]",
     "(" IMAGE ", " FILTER ") -> " IMAGE, "its kernel is too long"},
    {"tpu.Conv2D", "%a, %w",
     "kernel_shape = [2000000000, 2000000000], group = 2 : i64",
     "(" IMAGE ", " FILTER ") -> " IMAGE, "its kernel is too large"},
    {"tpu.Conv2D", "%a, %w", "kernel_shape = [3, 3], group = 3 : i64",
     "(" IMAGE ", " FILTER ") -> " IMAGE, "its groups do not fit its channels"},
    {"tpu.Conv2D", "%d, %w", "kernel_shape = [3, 3]",
     "(tensor<1x?x6x6xf16>, " FILTER ") -> " IMAGE, "a shape is not static"},
    {"tpu.Cast", "%u", "", "(tensor<*xf16>) -> tensor<*xf32>",
     "a shape is not static"},
    {"tpu.Cast", "%e", "", "(tensor<1x0x6x6xf16>) -> tensor<1x0x6x6xf32>",
     "a dimension is empty or too long"},
    {"tpu.Pool2D", "%a", "kernel_shape = [2, 2], is_adaptive = true",
     "(" IMAGE ") -> " IMAGE, "the pooling is adaptive"},
    {"tpu.Pool2D", "%a", "kernel_shape = [6, 6], keepdims = false",
     "(" IMAGE ") -> tensor<1x8xf16>", "it drops dimensions"},
    {"tpu.Upsample", "%a", "scale_h = 2 : i64, scale_w = 2 : i64",
     "(" IMAGE ") -> " IMAGE, "its shapes do not fit"},
    {"tpu.Upsample", "%v", "scale_h = 1 : i64",
     "(tensor<4x6xf16>) -> tensor<4x6xf16>", "it is not of rank 4"},
    {"tpu.MatMul", "%a, %v", "hdim_is_batch = true",
     "(" IMAGE ", tensor<4x6xf16>) -> tensor<1x8x6x4xf16>",
     "its batch is in the middle of its shape"},
    {"tpu.MatMul", "%a, %v", "",
     "(" IMAGE ", tensor<4x6xf16>) -> tensor<1x8x6x4xf16>",
     "its shapes do not fit"},
    {"tpu.MatMul", "%a, %v", "right_transpose = true",
     "(" IMAGE ", tensor<4x6xf16>) -> tensor<48x4xf16>",
     "its result does not have the rank of its operands"},
    {"tpu.Softmax", "%a", "axis = 4 : si32", "(" IMAGE ") -> " IMAGE,
     "its axis is none of its dimensions"},
    {"tpu.Reduce", "%a", "", "(" IMAGE ") -> tensor<1x8x6x1xf16>",
     "its axes are not known"},
    {"tpu.Reduce", "%a", "axes = [3], keepdims = false",
     "(" IMAGE ") -> tensor<1x8x6x1xf16>", "its shapes do not fit"},
    {"tpu.Slice", "%a, %v, %n, %n, %n", "offset = [0, 0, 0, 0]",
     "(" IMAGE ", tensor<4x6xf16>, none, none, none) -> " IMAGE,
     "its offsets are not known"},
    {"tpu.Slice", "%a", "offset = [0, 0, 0, 5], steps = [1, 1, 1, -1]",
     "(" IMAGE ") -> " IMAGE, "it goes backwards"},
    {"tpu.Slice", "%a", "offset = [0, 0, 0, 3], steps = [1, 1, 1, 1]",
     "(" IMAGE ") -> " IMAGE, "its shapes do not fit"},
    {"tpu.Pad", "%a",
     "mode = #tpu<Pad_Mode reflect>, paddings = [0, 0, 1, 1, 0, 0, 1, 1]",
     "(" IMAGE ") -> tensor<1x8x8x8xf16>",
     "what it pads with depends on the elements at the edge"},
    {"tpu.Pad", "%a, %v", "paddings = [0, 0, 1, 1, 0, 0, 1, 1]",
     "(" IMAGE ", tensor<4x6xf16>) -> tensor<1x8x8x8xf16>",
     "its paddings are not known"},
    {"tpu.Pad", "%a", "paddings = [0, 0, 1, 1, 0, 0, 1, 0]",
     "(" IMAGE ") -> tensor<1x8x8x8xf16>", "its shapes do not fit"},
    {"tpu.Rope", "%a, %n, %n", "is_permute_optimize = true",
     "(" IMAGE ", none, none) -> " IMAGE,
     "its tables are laid out for another order of dimensions"},
    {"tpu.Reshape", "%a", "", "(" IMAGE ") -> tensor<1x48x6xf16>",
     "it changes the first two dimensions"},
};
#undef IMAGE
#undef FILTER

INSTANTIATE_TEST_SUITE_P(, RefusalTest, ::testing::ValuesIn(kRefusals));

//===----------------------------------------------------------------------===//
// Scratch and work
//===----------------------------------------------------------------------===//

struct Costs {
  const char *name, *operands, *attributes, *types;
  LocalScratch scratch;
  LocalWork work;
};

class CostsTest : public ::testing::TestWithParam<Costs> {};

TEST_P(CostsTest, AreThese) {
  const Costs &c = GetParam();
  TestContext context;
  auto module = context.parseOps(
      "%a: tensor<1x8x6x6xf32>, %q: tensor<1x8x6x6xsi8>, "
      "%w: tensor<8x4x3x3xf32>, %m: tensor<8x64xbf16>, %n: none",
      std::string("%0 = \"") + c.name + "\"(" + c.operands + ") {" +
          c.attributes + "} : " + c.types);
  ASSERT_TRUE(module);
  auto op = cast<LocalSliceOpInterface>(findOp(*module, c.name));
  ASSERT_EQ(op.whyGlobal(), "");
  LocalScratch scratch = op.getLocalScratch();
  EXPECT_EQ(scratch, c.scratch)
      << scratch.tiles << " tiles of " << scratch.tileBits << " bits, "
      << scratch.tableBytes << " bytes";
  EXPECT_EQ(op.getLocalWork(), c.work) << op.getLocalWork().opsPerElement;
}

constexpr auto kResult = LocalScratch::Of::Result;
#define F32 "tensor<1x8x6x6xf32>"
#define INT8 "tensor<1x8x6x6xsi8>"
const Costs kCosts[] = {
    {"tpu.Conv2D",
     "%a, %w",
     "kernel_shape = [3, 3], group = 2 : i64",
     "(" F32 ", tensor<8x4x3x3xf32>) -> " F32,
     {},
     {4 * 9, true}},
    // Depthwise: no array, one channel at a time.
    {"tpu.Conv2D",
     "%a, %n",
     "kernel_shape = [3, 3], group = 8 : i64",
     "(" F32 ", none) -> " F32,
     {},
     {9, false}},
    // Of five taps, every second one meets an element.
    {"tpu.Deconv",
     "%a, %n",
     "kernel_shape = [5, 5], strides = [2, 2]",
     "(" F32 ", none) -> tensor<1x1x15x15xf32>",
     {},
     {8 * 9, true}},
    {"tpu.Pool2D",
     "%a",
     "kernel_shape = [2, 3]",
     "(" F32 ") -> tensor<1x8x5x4xf32>",
     {},
     {6, false}},
    {"tpu.MatMul",
     "%m, %m",
     "right_transpose = true",
     "(tensor<8x64xbf16>, tensor<8x64xbf16>) -> tensor<8x8xbf16>",
     {1, 32, kResult, 0},
     {64, true}},
    {"tpu.MatMul",
     "%m, %m",
     "right_transpose = true",
     "(tensor<8x64xbf16>, tensor<8x64xbf16>) -> tensor<8x8xf32>",
     {},
     {64, true}},
    {"tpu.Add", "%a, %a", "", "(" F32 ", " F32 ") -> " F32, {}, {1, false}},
    {"tpu.Add",
     "%q, %q, %q",
     "",
     "(" INT8 ", " INT8 ", " INT8 ") -> " INT8,
     {2, 16, kResult, 0},
     {2, false}},
    {"tpu.Active",
     "%a",
     "mode = #tpu<active_mode SILU>",
     "(" F32 ") -> " F32,
     {2, 32, kResult, 128},
     {8, false}},
    {"tpu.Active",
     "%a",
     "mode = #tpu<active_mode SOFT_PLUS>",
     "(" F32 ") -> " F32,
     {2, 32, kResult, 192},
     {16, false}},
    {"tpu.Active",
     "%m",
     "mode = #tpu<active_mode EXP>",
     "(tensor<8x64xbf16>) -> tensor<8x64xbf16>",
     {2, 16, kResult, 64},
     {8, false}},
    {"tpu.Active",
     "%a",
     "mode = #tpu<active_mode ABSVAL>",
     "(" F32 ") -> " F32,
     {},
     {1, false}},
    {"tpu.RMSNorm",
     "%m, %n",
     "",
     "(tensor<8x64xbf16>, none) -> tensor<8x64xbf16>",
     {2, 32, kResult, 64},
     {8, false}},
    {"tpu.Softmax",
     "%a",
     "",
     "(" F32 ") -> " F32,
     {2, 32, kResult, 128},
     {16, false}},
    {"tpu.Reduce",
     "%a",
     "axes = [2, 3]",
     "(" F32 ") -> tensor<1x8x1x1xf32>",
     {1, 32, LocalScratch::Of::Operand, 0},
     {36, false}},
    {"tpu.Concat",
     "%a, %a",
     "axis = 1 : si32",
     "(" F32 ", " F32 ") -> tensor<1x16x6x6xf32>",
     {},
     {1, false}},
};
#undef F32
#undef INT8

INSTANTIATE_TEST_SUITE_P(, CostsTest, ::testing::ValuesIn(kCosts));

} // namespace

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

} // namespace

//===- ReadsTest.cpp - What ops read, by two independent statements -------===//
//
// The verifier enumerates elements and taps; planners evaluate the rules that
// ops state. Both were written from the ops' definitions, and have to agree on
// the interval that a part of a result needs.
//
//===----------------------------------------------------------------------===//

#include "lib/Analysis/Local/Check/Reads.h"

#include "tests/Dialect/TestModules.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <set>

using namespace mlir;
using namespace tpu_mlir;

namespace {

std::string text(Interval interval) {
  return "[" + std::to_string(interval.begin) + ", " +
         std::to_string(interval.end) + ")";
}

/// Parts of a dimension: ends, a middle, all.
std::vector<Interval> partsOf(int64_t extent) {
  std::vector<Interval> parts{{0, extent}};
  if (extent > 1) {
    parts.push_back({0, 1});
    parts.push_back({extent - 1, extent});
    parts.push_back({extent / 3, extent / 2 + 1});
  }
  return parts;
}

/// What has to be stored: what is read (I2), up to the border where padding is
/// read (I3); windows with holes may skip the border's own element.
Interval withBorders(const local::ReadHull &hull, int64_t extent) {
  Interval needed = hull.needed;
  if (hull.padsBelow && !needed.empty())
    needed.begin = 0;
  if (hull.padsAbove && !needed.empty())
    needed.end = extent;
  return needed;
}

class Comparison {
public:
  void compare(Operation *op) {
    auto rules = dyn_cast<LocalSliceOpInterface>(op);
    if (!rules || !rules.whyGlobal().empty() ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    uncut = rules.getUncutDims();
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      auto ofOperand = rules.getOperandRules(operand.getOperandNumber());
      if (type && type.hasStaticShape() && succeeded(ofOperand))
        compareOperand(op, operand.getOperandNumber(), type, *ofOperand);
    }
    ops.insert(op->getName().getStringRef().str());
  }

  std::set<std::string> ops; ///< Names of what was compared.
  int64_t parts = 0;

private:
  void compareOperand(Operation *op, unsigned operand, RankedTensorType type,
                      ArrayRef<DimRule> rules) {
    const SmallVector<local::DimReads> reads = local::operandReads(op, operand);
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    for (int dim = 0; dim < type.getRank(); ++dim) {
      const int resultDim =
          std::max(rules[dim].resultDim, reads[dim].resultDim);
      const bool isCut = resultDim >= 0 && !uncut[resultDim];
      if (type.getDimSize(dim) == 1 || !isCut)
        continue;
      for (Interval part : partsOf(result.getDimSize(resultDim))) {
        const Interval stated =
            neededInterval(rules[dim], part, type.getDimSize(dim));
        const Interval found = withBorders(
            local::enumerateReads(reads[dim], part, type.getDimSize(dim)),
            type.getDimSize(dim));
        ++parts;
        EXPECT_TRUE((stated.empty() && found.empty()) || stated == found)
            << op->getName().getStringRef().str() << ", operand " << operand
            << ", dimension " << dim << ", part " << text(part) << ": stated "
            << text(stated) << ", found " << text(found);
      }
    }
  }

  SmallVector<bool> uncut;
};

constexpr const char *kOps = R"(
  %c0 = "tpu.Conv2D"(%x, %w3, %none) {kernel_shape = [3, 3], strides = [2, 1], pads = [1, 1, 0, 2], dilations = [1, 2], group = 1 : i64} : (tensor<2x8x12x10xf16>, tensor<8x8x3x3xf16>, none) -> tensor<2x8x6x9xf16>
  %c1 = "tpu.Conv2D"(%x, %wg, %none) {kernel_shape = [1, 1], strides = [1, 1], pads = [0, 0, 0, 0], group = 4 : i64} : (tensor<2x8x12x10xf16>, tensor<1x16x1x2xf16>, none) -> tensor<2x16x12x10xf16>
  %c2 = "tpu.Deconv"(%x, %w3, %none) {kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], group = 1 : i64} : (tensor<2x8x12x10xf16>, tensor<8x8x3x3xf16>, none) -> tensor<2x8x23x19xf16>
  %c3 = "tpu.Pool2D"(%x) {kernel_shape = [3, 2], strides = [3, 2], pads = [1, 0, 1, 0], pool_mode = #tpu<pool_mode Max>} : (tensor<2x8x12x10xf16>) -> tensor<2x8x4x5xf16>
  %e0 = "tpu.Add"(%x, %b) : (tensor<2x8x12x10xf16>, tensor<8x1x10xf16>) -> tensor<2x8x12x10xf16>
  %e1 = "tpu.Active"(%x) {mode = #tpu<active_mode SILU>} : (tensor<2x8x12x10xf16>) -> tensor<2x8x12x10xf16>
  %e2 = "tpu.Where"(%x, %x, %none) : (tensor<2x8x12x10xf16>, tensor<2x8x12x10xf16>, none) -> tensor<2x8x12x10xf16>
  %e3 = "tpu.Lut"(%x, %t) : (tensor<2x8x12x10xf16>, tensor<1x1x1x256xf16>) -> tensor<2x8x12x10xf16>
  %e4 = "tpu.PRelu"(%x, %p) : (tensor<2x8x12x10xf16>, tensor<1x8x1x1xf16>) -> tensor<2x8x12x10xf16>
  %e5 = "tpu.Scale"(%x, %p, %p) : (tensor<2x8x12x10xf16>, tensor<1x8x1x1xf16>, tensor<1x8x1x1xf16>) -> tensor<2x8x12x10xf16>
  %e6 = "tpu.Scale"(%x, %pw, %ph) : (tensor<2x8x12x10xf16>, tensor<1x1x1x10xf16>, tensor<1x1x12x1xf16>) -> tensor<2x8x12x10xf16>
  %e7 = "tpu.PRelu"(%x, %pw) : (tensor<2x8x12x10xf16>, tensor<1x1x1x10xf16>) -> tensor<2x8x12x10xf16>
  %e8 = "tpu.RequantIntAxis"(%x, %pt) : (tensor<2x8x12x10xf16>, tensor<1x8x1x2xf16>) -> tensor<2x8x12x10xf16>
  %e9 = "tpu.ScaleLut"(%x, %pt) : (tensor<2x8x12x10xf16>, tensor<1x8x1x2xf16>) -> tensor<2x8x12x10xf16>
  %s0 = "tpu.Concat"(%x, %y) {axis = 2 : si32} : (tensor<2x8x12x10xf16>, tensor<2x8x5x10xf16>) -> tensor<2x8x17x10xf16>
  %sa = "tpu.Slice"(%x, %none, %none, %none, %none) {offset = [-6, 0], steps = [2, 1], ends = [8, 12], axes = [1, -2]} : (tensor<2x8x12x10xf16>, none, none, none, none) -> tensor<2x3x12x10xf16>
  %s1 = "tpu.Slice"(%x, %none, %none, %none, %none) {offset = [0, 2, 1, 0], steps = [1, 1, 3, 2], ends = [2, 8, 12, 10], axes = []} : (tensor<2x8x12x10xf16>, none, none, none, none) -> tensor<2x6x4x5xf16>
  %s2 = "tpu.Upsample"(%x) {scale_h = 2 : i64, scale_w = 3 : i64} : (tensor<2x8x12x10xf16>) -> tensor<2x8x24x30xf16>
  %s3 = "tpu.Pad"(%x, %none, %none) {paddings = [0, 0, 1, 2, 0, 0, 3, 0], mode = #tpu<Pad_Mode constant>} : (tensor<2x8x12x10xf16>, none, none) -> tensor<2x8x16x12xf16>
  %s6 = "tpu.Pad"(%x, %none, %none) {paddings = [0, 0, -1, 2, 0, 0, 3, -2], mode = #tpu<Pad_Mode constant>} : (tensor<2x8x12x10xf16>, none, none) -> tensor<2x8x14x10xf16>
  %s4 = "tpu.Reshape"(%x) : (tensor<2x8x12x10xf16>) -> tensor<2x8x120xf16>
  %s5 = "tpu.Permute"(%x, %none) {order = [0, 2, 1, 3]} : (tensor<2x8x12x10xf16>, none) -> tensor<2x12x8x10xf16>
  %m0 = "tpu.MatMul"(%l, %r, %none) : (tensor<2x12x8xf16>, tensor<2x8x6xf16>, none) -> tensor<2x12x6xf16>
  %m1 = "tpu.MatMul"(%l, %rt, %none) {right_transpose = true} : (tensor<2x12x8xf16>, tensor<6x8xf16>, none) -> tensor<2x12x6xf16>
  %n0 = "tpu.Softmax"(%x, %none, %none, %none, %none, %none) {axis = 3 : si32} : (tensor<2x8x12x10xf16>, none, none, none, none, none) -> tensor<2x8x12x10xf16>
  %n1 = "tpu.LayerNorm"(%x, %none, %none) {axis = 2 : si32, normalized_shape = [12, 10]} : (tensor<2x8x12x10xf16>, none, none) -> tensor<2x8x12x10xf16>
  %n2 = "tpu.RMSNorm"(%x, %none) : (tensor<2x8x12x10xf16>, none) -> tensor<2x8x12x10xf16>
  %n3 = "tpu.GroupNorm"(%x, %none, %none) {num_groups = 2 : i64} : (tensor<2x8x12x10xf16>, none, none) -> tensor<2x8x12x10xf16>
  %n4 = "tpu.Reduce"(%x, %none) {axes = [3], keepdims = true, mode = "ReduceSum"} : (tensor<2x8x12x10xf16>, none) -> tensor<2x8x12x1xf16>
)";

TEST(ReadsTest, AgreesWithTheRulesOfOps) {
  test::TestContext context;
  auto module = context.parseOps(
      "%x: tensor<2x8x12x10xf16>, %y: tensor<2x8x5x10xf16>, "
      "%w3: tensor<8x8x3x3xf16>, %wg: tensor<1x16x1x2xf16>, "
      "%b: tensor<8x1x10xf16>, %t: tensor<1x1x1x256xf16>, "
      "%pw: tensor<1x1x1x10xf16>, %ph: tensor<1x1x12x1xf16>, "
      "%pt: tensor<1x8x1x2xf16>, "
      "%p: tensor<1x8x1x1xf16>, %l: tensor<2x12x8xf16>, "
      "%r: tensor<2x8x6xf16>, %rt: tensor<6x8xf16>, %none: none",
      kOps);
  ASSERT_TRUE(module);
  Comparison comparison;
  module->walk([&](Operation *op) { comparison.compare(op); });
  EXPECT_GE(comparison.ops.size(), 18u);
  EXPECT_GE(comparison.parts, 150);
}

/// Every op of real networks. Needs $TPU_MEMORY_DATA; skips without.
TEST(ReadsTest, AgreesWithTheRulesOfRealOps) {
  const std::vector<std::string> files = test::realModules();
  if (files.empty())
    GTEST_SKIP() << "no real models: TPU_MEMORY_DATA is not set";
  test::TestContext context;
  Comparison comparison;
  for (const std::string &file : files) {
    auto module = parseSourceFile<ModuleOp>(file, context.get());
    ASSERT_TRUE(module) << file;
    SCOPED_TRACE(file);
    module->walk([&](Operation *op) { comparison.compare(op); });
  }
  EXPECT_GE(comparison.ops.size(), 8u);
  EXPECT_GE(comparison.parts, 1000);
}

TEST(ReadsTest, KnowsWhatIsPadding) {
  test::TestContext context;
  auto module = context.parseOps(
      "%x: tensor<1x8x6x6xf16>",
      R"(%p = "tpu.Pool2D"(%x) {kernel_shape = [3, 3], strides = [1, 1], pads = [1, 1, 1, 1]} : (tensor<1x8x6x6xf16>) -> tensor<1x8x6x6xf16>)");
  ASSERT_TRUE(module);
  const auto reads =
      local::operandReads(test::findOp(*module, "tpu.Pool2D"), 0);
  auto hull = [&](Interval part) {
    return local::enumerateReads(reads[2], part, 6);
  };
  EXPECT_TRUE(hull({0, 2}).padsBelow);
  EXPECT_FALSE(hull({0, 2}).padsAbove);
  EXPECT_EQ(hull({0, 2}).needed, (Interval{0, 3}));
  EXPECT_FALSE(hull({1, 5}).padsBelow || hull({1, 5}).padsAbove);
  EXPECT_TRUE(hull({5, 6}).padsAbove);
}

TEST(ReadsTest, TakesAllOfWhatItDoesNotKnow) {
  test::TestContext context;
  auto module = context.parseOps(
      "%x: tensor<1x8x6x6xf16>",
      R"(%a = "tpu.Attention"(%x) : (tensor<1x8x6x6xf16>) -> tensor<1x8x6x6xf16>
         %p = "tpu.Pool2D"(%x) {kernel_shape = [3, 3], strides = [0, 1], pads = [1, 1, 1, 1]} : (tensor<1x8x6x6xf16>) -> tensor<1x8x6x6xf16>)");
  ASSERT_TRUE(module);
  for (const char *name : {"tpu.Attention", "tpu.Pool2D"}) {
    bool known = true;
    const auto reads =
        local::operandReads(test::findOp(*module, name), 0, &known);
    EXPECT_FALSE(known) << name;
    EXPECT_EQ(local::enumerateReads(reads[2], {2, 3}, 6).needed,
              (Interval{0, 6}));
  }
}

} // namespace

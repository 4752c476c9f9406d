//===- SpellingTest.cpp - What attributes say, however spelled ------------===//

#include "TestModules.h"

#include "tpu_mlir/Dialect/Interfaces/Form.h"
#include "tpu_mlir/Dialect/Interfaces/Interfaces.h"
#include "tpu_mlir/Dialect/Tpu/IR/TpuAttrs.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tpu_mlir;
using namespace tpu_mlir::test;

namespace {

class SpellingTest : public ::testing::Test {
protected:
  std::optional<int64_t> integer(StringRef text) {
    return readInteger(context.attribute(text));
  }
  std::optional<SmallVector<int64_t>> integers(StringRef text) {
    return readIntegers(context.attribute(text));
  }

  TestContext context;
};

TEST_F(SpellingTest, IntegersOfAnyWidthAndSign) {
  for (const char *one :
       {"1 : i64", "1 : si64", "1 : ui64", "1 : i32", "1 : si32", "1 : ui32",
        "1 : i8", "1 : ui8", "1 : index", "1 : i128", "true", "1.0 : f32"})
    EXPECT_EQ(integer(one), 1) << one;
  EXPECT_EQ(integer("-1 : si32"), -1);
  EXPECT_EQ(integer("-7 : i128"), -7);
  EXPECT_EQ(integer("0 : i0"), 0);
  EXPECT_EQ(integer("255 : ui8"), 255);
  EXPECT_EQ(integer("false"), 0);
  EXPECT_EQ(integer("9223372036854775807 : ui64"), INT64_MAX);
  for (const char *none :
       {"9223372036854775808 : ui64", "170141183460469231731 : i128",
        "1.5 : f32", "0x7FF0000000000000 : f64", "\"1\"", "[1]", "unit"})
    EXPECT_EQ(integer(none), std::nullopt) << none;
  EXPECT_EQ(readInteger({}), std::nullopt);
}

TEST_F(SpellingTest, Flags) {
  for (const char *set : {"true", "1 : i64", "1 : ui8", "unit"})
    EXPECT_EQ(readFlag(context.attribute(set)), true) << set;
  for (const char *clear : {"false", "0 : i64", "0 : si32"})
    EXPECT_EQ(readFlag(context.attribute(clear)), false) << clear;
  for (const char *none : {"2 : i64", "-1 : i64", "\"true\"", "[]"})
    EXPECT_EQ(readFlag(context.attribute(none)), std::nullopt) << none;
}

TEST_F(SpellingTest, Lists) {
  const SmallVector<int64_t> expected = {1, -2, 3};
  for (const char *list :
       {"[1, -2, 3]", "[1 : i32, -2 : si32, 3 : ui8]", "[1.0, -2.0, 3]",
        "array<i64: 1, -2, 3>", "array<i32: 1, -2, 3>", "array<i16: 1, -2, 3>",
        "array<i8: 1, -2, 3>", "dense<[1, -2, 3]> : tensor<3xi64>",
        "dense<[1, -2, 3]> : vector<3xi8>"})
    EXPECT_EQ(integers(list), expected) << list;
  EXPECT_EQ(integers("[]"), (SmallVector<int64_t>{}));
  EXPECT_EQ(integers("array<i1: true, false>"), (SmallVector<int64_t>{1, 0}));
  EXPECT_EQ(integers("dense<200> : tensor<2xui8>"),
            (SmallVector<int64_t>{200, 200}));
  for (const char *none : {"[1, \"2\"]", "3 : i64", "[1.5]", "[[1]]"})
    EXPECT_EQ(integers(none), std::nullopt) << none;
}

TEST_F(SpellingTest, EnumsByCaseNameAndNumber) {
  for (const char *edge :
       {"#tpu<Pad_Mode edge>", "\"edge\"", "3 : i64", "3 : si32"})
    EXPECT_EQ(tpu::readEnum<tpu::PaddingModeAttr>(context.attribute(edge)),
              tpu::PaddingMode::edge)
        << edge;
  for (const char *none : {"\"circular\"", "4 : i64", "-1 : i64",
                           "#tpu<round_mode Up>", "#tpu<Pad_Mode circular>"})
    EXPECT_EQ(tpu::readEnum<tpu::PaddingModeAttr>(context.attribute(none)),
              std::nullopt)
        << none;
}

/// Expects every case of an enum to be understood as a number, and as such and
/// as a string in its own letters, in capital and in small ones.
template <typename EnumAttr> void expectEverySpelling(TestContext &context) {
  using Enum = decltype(std::declval<EnumAttr>().getValue());
  uint32_t number = 0;
  for (;; ++number) {
    const auto value = static_cast<Enum>(number);
    const StringRef name = stringifyEnum(value);
    if (name.empty())
      break;
    EXPECT_EQ(tpu::readEnum<EnumAttr>(EnumAttr::get(context.get(), value)),
              value);
    std::vector<std::string> texts = {std::to_string(number) + " : si32"};
    for (const std::string &word : {name.str(), name.upper(), name.lower()}) {
      texts.push_back('"' + word + '"');
      texts.push_back(
          ("#tpu<" + EnumAttr::getMnemonic() + " " + word + ">").str());
    }
    for (const std::string &text : texts)
      EXPECT_EQ(tpu::readEnum<EnumAttr>(context.attribute(text)), value)
          << text;
    EXPECT_EQ(
        tpu::readEnum<EnumAttr>(context.attribute('"' + name.str() + "_\"")),
        std::nullopt);
  }
  EXPECT_GT(number, 0u);
}

template <typename... EnumAttrs> void expectAllSpelled(TestContext &context) {
  (expectEverySpelling<EnumAttrs>(context), ...);
}

TEST_F(SpellingTest, EveryCaseOfEveryEnumInCapitalAndSmallLetters) {
  expectAllSpelled<
      tpu::ActiveModeAttr, tpu::BufferTypeAttr, tpu::CorePatternAttr,
      tpu::DequantModeAttr, tpu::DevPatternAttr, tpu::ImageOutFormatAttr,
      tpu::LutBF16ModeAttr, tpu::PaddingModeAttr, tpu::PoolModeAttr,
      tpu::RequantModeAttr, tpu::ResizeCoordModeAttr, tpu::ResizeModeAttr,
      tpu::RopeModeAttr, tpu::RoundModeAttr, tpu::RunModeAttr,
      tpu::Yuv2rgbFormulaModeAttr>(context);
}

TEST_F(SpellingTest, LettersThatAreTwoCasesAreNone) {
  const StringRef names[] = {"Up", "uP", "Down", ""};
  const auto caseOf = [&](StringRef word) {
    return tpu::findCase(word, [&](uint32_t number) { return names[number]; });
  };
  EXPECT_EQ(caseOf("Up"), 0);
  EXPECT_EQ(caseOf("uP"), 1);
  EXPECT_EQ(caseOf("UP"), std::nullopt);
  EXPECT_EQ(caseOf("DOWN"), 2);
  EXPECT_EQ(caseOf(""), std::nullopt);
}

/// The offset in bytes at which the slice of a module is a view.
std::optional<int64_t> sliceView(TestContext &context, StringRef attributes) {
  auto module = context.parseOps("%a: tensor<8x4xf32>",
                                 ("%0 = \"tpu.Slice\"(%a) {" + attributes +
                                  "} : (tensor<8x4xf32>) -> tensor<2x4xf32>")
                                     .str());
  auto edges =
      cast<InPlaceOpInterface>(findOp(*module, "tpu.Slice")).getInPlaceEdges();
  return edges.size() == 1 ? std::optional(edges[0].offsetBytes) : std::nullopt;
}

TEST_F(SpellingTest, WhatPlanningReadsIsTheSameInEverySpelling) {
  for (const char *attributes :
       {"offset = [2, 0], steps = [1, 1]",
        "offset = [2 : i32, 0 : i32], steps = [1 : si32, 1 : ui64]",
        "offset = array<i64: 2, 0>, steps = array<i32: 1, 1>",
        "offset = dense<[2, 0]> : tensor<2xi64>, steps = [1, 1]",
        "offset = [2, 0], steps = [1, 1], brand_new = #tpu.thing<3>"})
    EXPECT_EQ(sliceView(context, attributes), 32) << attributes;
  // Not understood: no view, and no error.
  for (const char *attributes :
       {"offset = \"2,0\", steps = [1, 1]", "offset = 2 : i64, steps = [1, 1]",
        "offset = [2, \"0\"], steps = [1, 1]"})
    EXPECT_EQ(sliceView(context, attributes), std::nullopt) << attributes;
}

TEST_F(SpellingTest, WhatDoesNotFitItsRecordHasNoFacts) {
  auto module = context.parseOps("%a: tensor<4xf32>, %b: i32", R"(
    %0 = "tpu.Conv2D"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "tpu.Reshape"() : () -> tensor<4xf32>
    %2:2 = "tpu.Relu"(%a) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %3 = "tpu.Add"(%a, %b) : (tensor<4xf32>, i32) -> tensor<4xf32>
    "tpu.MatMul"() : () -> ()
    %5 = "tpu.Softmax"(%a) {axis = "last"} : (tensor<4xf32>) -> tensor<4xf32>
    %6 = "tpu.Concat"(%a) {axis = 0 : i64} : (tensor<4xf32>) -> tensor<5xf32>
    "tpu.Slice"(%a) : (tensor<4xf32>) -> ()
    %7 = "tpu.Insert"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  )");
  ASSERT_TRUE(module);
  int count = 0;
  module->walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "tpu")
      return;
    ++count;
    EXPECT_NE(whyUnfit(op), "") << op->getName().getStringRef().str();
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    EXPECT_TRUE(!inPlace || inPlace.getInPlaceEdges().empty());
    auto local = dyn_cast<LocalSliceOpInterface>(op);
    EXPECT_TRUE(!local || local.getLocalFacts().isGlobal());
  });
  EXPECT_EQ(count, 9);
  EXPECT_EQ(whyUnfit(findOp(*module, "tpu.Softmax")),
            "attribute 'axis' failed to satisfy constraint: an integer");
}

} // namespace
